#include "record/pace.hpp"

#include <gtest/gtest.h>

#include <set>

namespace assay::record {
namespace {

TEST(Pace, SessionsTakeTurnsAtTheRate) {
  constexpr std::uint32_t kSessions = 4;
  std::set<std::int64_t> due;
  for (std::uint32_t session = 0; session < kSessions; ++session) {
    Pace pace(1000, kSessions, session);
    for (int i = 0; i < 5; ++i, pace.next()) due.insert(pace.due().count());
  }
  // One per millisecond from the start on, no two at once.
  std::int64_t expected = 0;
  for (const std::int64_t one : due) {
    EXPECT_EQ(one, expected);
    expected += 1'000'000;
  }
  EXPECT_EQ(due.size(), 20U);
}

}  // namespace
}  // namespace assay::record
