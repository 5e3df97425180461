#include "audit/front/params.hpp"

#include <algorithm>
#include <array>

namespace assay::audit::front {

namespace {

// "HTTP_X_NAME", or "" for a field that is left out.
std::string param_name(const std::string& field) {
  static constexpr std::array<std::string_view, 4> kLeftOut = {"Content-Length", "Content-Type",
                                                               "Transfer-Encoding", "Proxy"};
  if (std::any_of(kLeftOut.begin(), kLeftOut.end(),
                  [&](std::string_view name) { return same_name(field, name); })) {
    return "";
  }
  std::string name = "HTTP_";
  for (const char c : field) {
    if (c >= 'a' && c <= 'z') {
      name.push_back(static_cast<char>(c - 'a' + 'A'));
    } else if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
      name.push_back(c);
    } else if (c == '-') {
      name.push_back('_');
    } else {
      return "";
    }
  }
  return name;
}

// Without a port.
std::string host_name(std::string_view host) {
  if (host.substr(0, 1) == "[") return std::string(host.substr(0, host.find(']') + 1));
  return std::string(host.substr(0, host.rfind(':')));
}

void add_fields(fastcgi::Params& out, const Fields& fields) {
  const std::size_t first = out.size();
  for (const Field& field : fields) {
    const std::string name = param_name(field.name);
    if (name.empty()) continue;
    const auto same = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                                   [&](const auto& param) { return param.first == name; });
    if (same == out.end()) {
      out.emplace_back(name, field.value);
    } else {
      same->second += name == "HTTP_COOKIE" ? "; " : ", ";
      same->second += field.value;
    }
  }
}

}  // namespace

fastcgi::Params params_of(const HttpRequest& request, const Script& script, const std::string& root_at_php,
                          const Peer& peer, bool secure) {
  const std::size_t question = request.target.find('?');
  const Field* const host = find_field(request.fields, "Host");
  const Field* const type = find_field(request.fields, "Content-Type");
  fastcgi::Params out = {
      {"GATEWAY_INTERFACE", "CGI/1.1"},
      {"SERVER_SOFTWARE", "assay"},
      {"SERVER_PROTOCOL", request.version == HttpVersion::http_1_0 ? "HTTP/1.0" : "HTTP/1.1"},
      {"REQUEST_METHOD", request.method},
      {"REQUEST_SCHEME", secure ? "https" : "http"},
      {"REQUEST_URI", request.target},
      {"DOCUMENT_URI", script.name + script.path_info},
      {"DOCUMENT_ROOT", root_at_php},
      {"SCRIPT_NAME", script.name},
      {"SCRIPT_FILENAME", root_at_php + script.name},
      {"QUERY_STRING", question == std::string::npos ? "" : request.target.substr(question + 1)},
      {"REMOTE_ADDR", peer.client_host},
      {"REMOTE_PORT", peer.client_port},
      {"SERVER_ADDR", peer.server_host},
      {"SERVER_PORT", peer.server_port},
      {"SERVER_NAME", host != nullptr && !host->value.empty() ? host_name(host->value) : peer.server_host},
      // PHP as a CGI program may be built to refuse what did not come through a web server.
      {"REDIRECT_STATUS", "200"},
  };
  if (secure) out.emplace_back("HTTPS", "on");
  if (!script.path_info.empty()) out.emplace_back("PATH_INFO", script.path_info);
  if (type != nullptr) out.emplace_back("CONTENT_TYPE", type->value);
  if (request.has_body) out.emplace_back("CONTENT_LENGTH", std::to_string(request.body.size()));
  add_fields(out, request.fields);
  return out;
}

}  // namespace assay::audit::front
