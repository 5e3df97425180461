// A client of the collector: HTTP/1.1 on one connection that is kept open. Only for what the collector sends:
// every response says its length.
#pragma once

#include <string>
#include <vector>

#include "system/address.hpp"
#include "system/descriptor.hpp"

namespace assay::audit {

struct WebRequest {
  std::string method = "GET";
  std::string target = "/";
  std::string form;     // the body of a POST
  std::string cookies;  // "a=1; b=2"
};

struct WebResponse {
  int status = 0;
  std::vector<std::string> set_cookies;
  std::string body;
};

class WebClient {
 public:
  explicit WebClient(system::Address server) : server_(std::move(server)) {}

  // Throws InputError if nobody listens, std::runtime_error if the connection breaks or takes too long.
  WebResponse ask(const WebRequest& request);

 private:
  void send_all(std::string_view bytes);
  void receive_more();

  system::Address server_;
  system::Descriptor socket_;
  std::string received_;
};

}  // namespace assay::audit
