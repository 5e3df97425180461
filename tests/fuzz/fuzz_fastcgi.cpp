// Any bytes as what PHP sends to the collector: one way to end, the same however they are cut.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "audit/front/exchange.hpp"
#include "audit/front/http_response.hpp"

namespace {

using namespace assay::audit::front;

std::string understood(std::string_view bytes, std::size_t piece, const ResponseLimits& limits) {
  Exchange exchange({{"A", "1"}}, "body", limits);
  while (!bytes.empty()) {
    exchange.received(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  exchange.closed();
  if (!exchange.ended()) std::abort();
  if (exchange.body().size() > limits.body_bytes || (!exchange.head() && !exchange.body().empty()))
    std::abort();
  std::string out =
      std::to_string(static_cast<int>(*exchange.ended())) + exchange.why() + exchange.complaints();
  if (!exchange.head()) return out;
  // One head goes to the client: what PHP sends cannot end it early or begin another.
  const std::string sent = response(*exchange.head(), exchange.body(), {true, false, 0});
  const std::size_t end = sent.find("\r\n\r\n");
  if (end == std::string::npos) std::abort();
  const bool no_body = exchange.head()->status == 204 || exchange.head()->status == 304;
  if (sent.substr(end + 4) != (no_body ? "" : exchange.body())) std::abort();
  return out + sent;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ResponseLimits small;
  small.head_bytes = 60;
  small.body_bytes = 10;
  for (const ResponseLimits& limits : {ResponseLimits{}, small}) {
    const std::string whole = understood(bytes, size + 1, limits);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{9}}) {
      if (understood(bytes, piece, limits) != whole) std::abort();
    }
  }
  return 0;
}
