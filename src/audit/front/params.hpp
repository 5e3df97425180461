// What PHP is told about a request: the FastCGI parameters, those that nginx and Apache give too, and in the
// trace exactly as here. Nothing of them speaks of the collector but ASSAY_RID, which is added when the
// request gets its number.
#pragma once

#include <string>

#include "audit/front/fastcgi.hpp"
#include "audit/front/http_request.hpp"
#include "audit/front/script_map.hpp"

namespace assay::audit::front {

// Both ends of a client's connection, as texts.
struct Peer {
  std::string client_host, client_port;
  std::string server_host, server_port;
};

inline constexpr const char* kRidParam = "ASSAY_RID";

// `secure`: whoever stands before the collector speaks TLS with the clients.
//
// A header field "X-Name: value" becomes HTTP_X_NAME. Of those with the same name the values are joined by
// ", " (cookies by "; "). Left out are: Content-Length and Content-Type, which have names of their own;
// Transfer-Encoding, which is undone here; Proxy, which programs would take for the environment's HTTP_PROXY;
// and names with other characters than letters, digits and "-", since X_Name would pass for X-Name.
fastcgi::Params params_of(const HttpRequest& request, const Script& script, const std::string& root_at_php,
                          const Peer& peer, bool secure);

}  // namespace assay::audit::front
