// The smallest FastCGI client: one request per connection.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::php::testing {

using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Response {
  bool complete = false;  // END_REQUEST came
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string errors;
};

// From what a CGI program prints: headers, an empty line, the body.
Response parse_cgi(const std::string& output);

// To a server that listens on a Unix socket.
Response ask(const std::string& socket, const Parameters& parameters, const std::string& input);

}  // namespace assay::php::testing
