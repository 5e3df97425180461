// A client of one HTTP connection that says whatever a test wants and reads responses one by one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "system/descriptor.hpp"

namespace assay::testing {

struct HttpAnswer {
  int status = 0;  // 0: the connection ended before a response was whole
  std::string reason;
  std::vector<std::pair<std::string, std::string>> fields;  // in their order
  std::string body;

  std::string field(const std::string& name) const;  // the first; "(none)" if there is none
};

class HttpClient {
 public:
  // `address` is HOST:PORT.
  explicit HttpClient(const std::string& address);

  // False if the other side is gone.
  bool say(std::string_view bytes);
  // "GET /path" with a Host field and these others.
  bool get(const std::string& path, const std::string& fields = "");
  bool post(const std::string& path, std::string_view body, const std::string& fields = "");
  // Waits for the next response, a minute at most. `to_head`: it has no body.
  HttpAnswer answer(bool to_head = false);
  // Whether the other side closes, with nothing more said.
  bool closes();
  void end_input();  // sends FIN, goes on reading
  void reset();      // sends RST
  void hurry();      // gives up waiting after a second

 private:
  bool more();

  system::Descriptor socket_;
  std::string in_;
  int patience_milliseconds_ = 60'000;
};

// One request on a connection of its own.
HttpAnswer http_get(const std::string& address, const std::string& path, const std::string& fields = "");

}  // namespace assay::testing
