// Circles in plain sight: who is in them, and that what is allowed is not taken for one.
#include "evidence/direct_cycle.hpp"

#include <gtest/gtest.h>

#include "support/random/draw.hpp"

namespace assay::evidence {
namespace {

std::vector<std::uint32_t> found(const char* drawn, Level level,
                                 check::SessionOrder sessions = check::SessionOrder::keep) {
  std::vector<std::uint32_t> numbers;
  for (const Txn t : direct_cycle(draw(drawn), level, sessions)) numbers.push_back(index(t));
  return numbers;
}
using Numbers = std::vector<std::uint32_t>;

// The long way around stands in the first sessions, the short one in the last.
TEST(DirectCycle, IsTheShortestWithWhomItReadFrom) {
  const char* const two =
      "a: r(x,0) w(x,1) w(y,1)\nb: r(y,1) w(z,1)\nc: r(z,1) w(u,1)\nd: r(u,1) r(x,0)\n"
      "e: w(p,1) w(q,1)\nf: r(p,1) r(q,1) w(p,2)\ng: r(p,1) r(q,1) w(q,2)";
  EXPECT_EQ(found(two, Level::serializable), (Numbers{4, 5, 6}));
}

TEST(DirectCycle, KnowsWhatSnapshotsAllow) {
  const char* const write_skew = "a: r(x,0) r(y,0) w(x,1)\nb: r(x,0) r(y,0) w(y,1)";
  EXPECT_EQ(found(write_skew, Level::serializable), (Numbers{0, 1}));
  EXPECT_EQ(found(write_skew, Level::snapshot_isolation), Numbers{});
  const char* const fractured = "a: r(x,0) w(x,1) w(y,1)\nb: r(y,1) r(x,0)";
  EXPECT_EQ(found(fractured, Level::snapshot_isolation), (Numbers{0, 1}));
}

TEST(DirectCycle, FollowsSessionsUnlessToldNotTo) {
  const char* const stale = "a: r(x,0) w(x,1) | r(x,0)";
  EXPECT_EQ(found(stale, Level::prefix), (Numbers{0, 1}));
  EXPECT_EQ(found(stale, Level::prefix, check::SessionOrder::ignore), Numbers{});
}

TEST(DirectCycle, SeesTheOrderOfLists) {
  EXPECT_EQ(found("a: a(x,1) a(y,1)\nb: a(x,2) a(y,2)\nc: l(x,[1,2]) l(y,[2,1])", Level::serializable),
            (Numbers{0, 1, 2}));
}

TEST(DirectCycle, FindsNoneWhereThereIsNone) {
  EXPECT_EQ(found("a: w(x,1)\nb: r(x,1) w(x,2)\nc: r(x,2)", Level::serializable), Numbers{});
  EXPECT_EQ(found("", Level::serializable), Numbers{});
}

}  // namespace
}  // namespace assay::evidence
