#include "verify/verify.hpp"

#include <limits>
#include <optional>

#include "history/digest.hpp"
#include "system/input_error.hpp"
#include "verify/axioms.hpp"
#include "verify/facts.hpp"
#include "verify/lines.hpp"
#include "verify/proof.hpp"
#include "verify/replay.hpp"

namespace assay::verify {

namespace {

constexpr std::string_view kFirstLine = "assay-certificate 2";

void check(Lines& lines, const History& history, Show show, Claim& claim) {
  lines.require_whole();
  require(lines.whole_line() == kFirstLine, "this is no certificate");
  const auto count = [](std::uint32_t n, const char* what) { return std::to_string(n) + what; };
  require(lines.whole_line() == "history " + count(history.sessions(), " sessions ") +
                                    count(history.transactions(), " transactions ") +
                                    count(history.operations(), " operations ") +
                                    count(history.keys(), " keys ") + hexadecimal(digest(history)),
          "the certificate is about another history");
  lines.next("level");
  const std::string_view name = lines.word();
  const std::optional<Level> found = find_level(name);
  require(found && info(*found).name == name, "there is no such level");
  claim.level = *found;
  claim.keep_sessions = lines.either("sessions", "keep", "ignore");
  lines.next("clock-drift");
  const std::uint64_t drift = lines.number_word();
  require(drift <= std::numeric_limits<std::int64_t>::max(), "the clock drift is out of range");
  claim.clock_drift = std::chrono::nanoseconds(static_cast<std::int64_t>(drift));
  claim.holds = lines.either("verdict", "holds", "violated");

  Facts facts(history, claim.level, show);
  if (claim.holds) facts.require_understood();
  if (claim.holds && implies(claim.level, Level::prefix)) {
    check_replay(lines, facts, claim);
  } else if (facts.find_writers(); claim.holds) {
    check_axioms(lines, facts, claim);
  } else {
    check_proof(lines, facts, claim);
  }
  lines.end();
}

}  // namespace

Verification verify(std::string_view certificate, const std::string& path, const History& history,
                    Show show) {
  if (certificate.substr(0, certificate.find('\n')) != kFirstLine) {
    throw InputError(path, "line 1", "expected \"" + std::string(kFirstLine) + "\": this is no certificate");
  }
  Verification result;
  Lines lines(certificate);
  try {
    check(lines, history, show, result.claim);
    result.accepted = true;
  } catch (const Rejected& rejected) {
    result.reason = lines.number() == 0 ? "" : "line " + std::to_string(lines.number()) + ": ";
    result.reason += rejected.why;
  }
  return result;
}

}  // namespace assay::verify
