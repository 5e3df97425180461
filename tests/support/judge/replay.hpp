// An order of events put to the verifier, as a certificate that claims no more than that order.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay {

// nullopt iff the verifier takes the order as a proof that the history satisfies the level; otherwise what is
// wrong with it. `sources`: lines of the certificate that say which writes ambiguous reads saw.
std::optional<std::string> replay(const History& history, Level level, bool keep_sessions,
                                  std::chrono::nanoseconds drift, std::span<const check::Event> order,
                                  const std::string& sources = "");

// The body of a certificate with its last line: how many lines it has, and their sum.
std::string with_end(const std::string& body);

}  // namespace assay
