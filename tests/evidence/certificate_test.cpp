// What a certificate says that random histories seldom ask for.
#include "evidence/certificate.hpp"

#include <gtest/gtest.h>

#include <array>

#include "check/check.hpp"
#include "evidence/counterexample.hpp"
#include "support/random/draw.hpp"
#include "verify/verify.hpp"

namespace assay::evidence {
namespace {

TEST(Certificate, WhatACaseAssumesIsCitedByItsNumber) {
  const History h = draw(
      "a: i(x,2) r(y,0) r(y,0)\n"
      "b: w(y,1) r(y,1) w(y,1) r(x,2)\n"
      "d: r(y,1) w(y,1) r(x,0)\n"
      "f: w(x,2) r(x,2) r(x,2) r(y,0) | r(x,0) w(y,1)\n");
  check::Options options;
  options.sessions = check::SessionOrder::ignore;
  const std::array level{Level::snapshot_isolation};
  const check::Outcome outcome = check::check(h, level, options)[0];
  ASSERT_EQ(outcome.verdict, check::Verdict::violated);
  const Counterexample found = find_counterexample(h, outcome, options);
  const auto text = certificate(h, outcome, &found, options);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("split-order"), std::string::npos) << "another history is needed: " << *text;
  const verify::Verification judged = verify::verify(*text, "test", h);
  EXPECT_TRUE(judged.accepted) << judged.reason << "\n" << *text;
}

}  // namespace
}  // namespace assay::evidence
