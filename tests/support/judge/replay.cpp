#include "support/judge/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "history/digest.hpp"
#include "verify/verify.hpp"

namespace assay {

std::string with_end(const std::string& body) {
  std::uint64_t sum = 0xCBF29CE484222325ULL;
  for (const char c : body) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return fmt::format("{}end {} {:016x}\n", body, std::count(body.begin(), body.end(), '\n'), sum);
}

std::optional<std::string> replay(const History& history, Level level, bool keep_sessions,
                                  std::chrono::nanoseconds drift, std::span<const check::Event> order,
                                  const std::string& sources) {
  std::string body = fmt::format(
      "assay-certificate 2\nhistory {} sessions {} transactions {} operations {} keys {:016x}\n"
      "level {}\nsessions {}\nclock-drift {}\nverdict holds\n",
      history.sessions(), history.transactions(), history.operations(), history.keys(), digest(history),
      info(level).name, keep_sessions ? "keep" : "ignore", drift.count());
  body += sources;
  for (const check::Event& e : order) {
    body += fmt::format("order {}{}\n", e.side == check::Event::Side::begin ? 'b' : 'c', index(e.txn));
  }
  const verify::Verification found = verify::verify(with_end(body), "test", history);
  return found.accepted ? std::nullopt : std::optional(found.reason);
}

}  // namespace assay
