// The counterexample as a history of its own.
#include "evidence/shrink.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "check/check.hpp"
#include "evidence/examine.hpp"
#include "support/examined.hpp"
#include "support/random/draw.hpp"

namespace assay::evidence {
namespace {

std::optional<History> shrunk(const History& history, Level level) {
  const std::vector<Level> levels{level};
  const Examination found = examine(borrowed(history), levels, {});
  EXPECT_EQ(found.explanations.size(), 1U);
  if (found.explanations.empty()) return std::nullopt;
  return shrink(history, found.explanations[0], {});
}

TEST(Shrink, KeepsWhatViolatesTheLevelByItself) {
  const std::vector<Level> levels{Level::snapshot_isolation};
  const auto part =
      shrunk(draw("a: w(x,4)\nb: r(x,4) w(x,5)\nc: r(x,4) w(x,6)\nd: w(y,1) | r(y,1)\ne: r(x,5)"), levels[0]);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->transactions(), 3U);
  EXPECT_EQ(check::check(*part, levels)[0].verdict, check::Verdict::violated);
}

TEST(Shrink, TakesQueriesApart) {
  const std::vector<Level> levels{Level::read_atomic};
  const auto part = shrunk(draw("a: i(m,1)\nb: g(a..p,[]) g(a..p,[m=1])\nz: w(q,1)"), levels[0]);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->transactions(), 2U);
  EXPECT_FALSE(part->has(OpKind::range_read));
  EXPECT_EQ(check::check(*part, levels)[0].verdict, check::Verdict::violated);
}

}  // namespace
}  // namespace assay::evidence
