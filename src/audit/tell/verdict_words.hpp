// The words that a verdict is told with, whatever it is written on. Texts of the input in them are not yet
// made safe to show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/verdict.hpp"

namespace assay::audit {

std::string request_name(const Verdict& verdict, std::uint64_t rid);    // "request 17 (GET /?page=2)"
std::string moment_name(const Verdict& verdict, const Moment& moment);  // "the response to request 17 (…)"
std::string reason_of(const Precedence& step);                          // "the collector saw it so"
std::vector<std::string> finding_sentences(const Verdict& verdict);     // REQUIRES a finding

// Who says what, where two things differ.
struct Sides {
  std::string_view expected, found;
};
Sides sides_of(Reason reason);

}  // namespace assay::audit
