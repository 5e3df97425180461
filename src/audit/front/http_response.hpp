// What the client is told: PHP's response with HTTP around it, or an answer of the collector's own. The whole
// body is known by then, so every response has its length and none comes in chunks.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "audit/front/cgi_head.hpp"

namespace assay::audit::front {

struct ResponseFraming {
  bool keep_alive = true;
  bool to_head = false;  // the request was HEAD: no body follows, whatever the fields say
  std::time_t now = 0;   // for the Date field, where PHP sent none
};

// The head, then as much of the body as may follow it. PHP's fields stand as PHP wrote them and in its order,
// but for those that speak of the connection, which is not PHP's.
std::string response(const CgiHead& head, std::string_view body, const ResponseFraming& framing);

// "502 Bad Gateway" and a sentence, as text.
std::string own_response(int status, std::string_view why, const ResponseFraming& framing);

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace assay::audit::front
