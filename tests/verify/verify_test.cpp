#include "verify/verify.hpp"

#include <gtest/gtest.h>

#include <array>

#include "check/check.hpp"
#include "evidence/certificate.hpp"
#include "evidence/counterexample.hpp"
#include "support/random/draw.hpp"
#include "system/input_error.hpp"

namespace assay::verify {
namespace {

std::string certificate_of(const History& h, Level level) {
  const std::array<Level, 1> levels{level};
  const auto outcomes = check::check(h, levels);
  evidence::Counterexample found;
  if (outcomes[0].verdict == check::Verdict::violated)
    found = evidence::find_counterexample(h, outcomes[0], {});
  return evidence::certificate(h, outcomes[0], &found, {}).value();
}

bool is_accepted(const std::string& text, const History& h) {
  try {
    return verify(text, "test", h).accepted;
  } catch (const InputError&) {
    return false;
  }
}

// One of each kind of proof.
const std::array<std::pair<const char*, Level>, 7> kProofs{{
    {"a: w(x,1)\nb: r(x,1) w(x,2)\nc: r(x,2)", Level::serializable},
    {"a: w(x,1)\nb: r(x,1) w(x,2)\nc: r(x,2)", Level::snapshot_isolation},
    {"a: w(x,1)!\nb: r(x,1)", Level::read_committed},
    {"a: r(x,0) w(x,1)\nb: r(x,0) w(x,2)", Level::snapshot_isolation},
    {"a: w(x,1)\nb: r(x,1) w(y,1)\nc: r(y,1) r(x,0)", Level::causal},
    {"a: r(x,0) r(y,0) w(x,1)\nb: r(x,0) r(y,0) w(y,1)", Level::serializable},
    {"a: w(x,1) r(y,0)\nb: w(x,1) r(y,0)\nc: r(x,1) w(y,1) | r(x,0)", Level::serializable},
}};

TEST(Verify, AcceptsEachKindOfProof) {
  for (const auto& [drawn, level] : kProofs) {
    const History h = draw(drawn);
    const Verification found = verify(certificate_of(h, level), "test", h);
    EXPECT_TRUE(found.accepted) << found.reason;
    EXPECT_EQ(found.claim.level, level);
  }
}

TEST(Verify, RejectsADroppedLine) {
  for (const auto& [drawn, level] : kProofs) {
    const History h = draw(drawn);
    const std::string text = certificate_of(h, level);
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      std::string shorter = text;
      shorter.erase(at, text.find('\n', at) + 1 - at);
      EXPECT_FALSE(is_accepted(shorter, h)) << shorter;
    }
  }
}

TEST(Verify, RejectsEveryChangedByte) {
  for (const auto& [drawn, level] : kProofs) {
    const History h = draw(drawn);
    const std::string text = certificate_of(h, level);
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (const char c : {'0', '1', ' ', 'c', '\n', '\0'}) {
        std::string other = text;
        if (other[at] == c) continue;
        other[at] = c;
        EXPECT_FALSE(is_accepted(other, h)) << other;
      }
      EXPECT_FALSE(is_accepted(text.substr(0, at), h));
    }
  }
}

TEST(Verify, RefusesWhatIsNoCertificate) {
  const History h = draw("a: w(x,1)");
  EXPECT_THROW(verify("", "test", h), InputError);
  EXPECT_THROW(verify("{}", "test", h), InputError);
  EXPECT_THROW(verify("assay-certificate 1\n", "test", h), InputError) << "of an earlier version";
  EXPECT_FALSE(verify("assay-certificate 2\n", "test", h).accepted);
  EXPECT_FALSE(verify("assay-certificate 2", "test", h).accepted);
}

TEST(Verify, SaysWhenTheHistoryIsAnother) {
  const History h = draw("a: w(x,1)");
  const Verification found = verify(certificate_of(h, Level::serializable), "test", draw("a: w(x,2)"));
  EXPECT_EQ(found.reason, "line 2: the certificate is about another history");
}

}  // namespace
}  // namespace assay::verify
