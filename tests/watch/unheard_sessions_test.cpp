// Until it is said who may still send something, a session that nobody has heard of may: what it could have
// written is waited for, and what it could touch is kept.
#include <gtest/gtest.h>

#include <string>

#include "support/random/draw.hpp"
#include "watch/watcher.hpp"

namespace assay::watch {
namespace {

Watcher watcher_at(Level level, std::uint64_t horizon = 0) {
  WatchOptions options;
  options.level = level;
  options.horizon = horizon;
  return Watcher(options);
}

Round feed(Watcher& watcher, std::string_view drawing) {
  watcher.add(draw(drawing));
  return watcher.decide();
}

constexpr Level kSomeLevels[] = {
    Level::read_your_writes, Level::read_committed, Level::repeatable_read, Level::read_atomic,
    Level::causal,           Level::prefix,         Level::serializable,    Level::snapshot_isolation};

TEST(UnheardSessions, AReadOfWhatOneOfThemMayHaveWrittenIsNoViolation) {
  for (const Level level : kSomeLevels) {
    Watcher watcher = watcher_at(level);
    const Round waits = feed(watcher, "b: r(x,1)");
    EXPECT_EQ(waits.verdict, Verdict::undecided) << info(level).name;
    EXPECT_NE(waits.reason.find("not heard of"), std::string::npos) << waits.reason;
    EXPECT_EQ(watcher.kept().waiting, 1U);
    EXPECT_EQ(feed(watcher, "a: w(x,1)").verdict, Verdict::holds) << info(level).name;
    EXPECT_EQ(watcher.kept().waiting, 0U);
  }
}

TEST(UnheardSessions, ThatOthersHaveGoneOnOrAreOverSaysNothingOfThem) {
  Watcher watcher = watcher_at(Level::serializable);
  feed(watcher, "b: r(x,1) | w(y,1)\nc: r(y,1)");
  watcher.close("b");
  watcher.close("c");
  EXPECT_EQ(watcher.decide().verdict, Verdict::undecided);
  EXPECT_EQ(feed(watcher, "a: w(x,1)").verdict, Verdict::holds);
}

TEST(UnheardSessions, OnceAllAreKnownWhatNobodyWroteIsAViolation) {
  Watcher watcher = watcher_at(Level::serializable);
  EXPECT_EQ(feed(watcher, "b: r(x,1)").verdict, Verdict::undecided);
  watcher.all_sessions_known();
  EXPECT_EQ(watcher.decide().verdict, Verdict::violated);
}

TEST(UnheardSessions, WhatIsWrongWhateverTheySendIsToldAtOnce) {
  Watcher watcher = watcher_at(Level::serializable);
  EXPECT_EQ(feed(watcher, "a: r(x,0) w(x,1)\nb: r(x,0) w(x,2)").verdict, Verdict::violated) << "lost update";
  Watcher aborted = watcher_at(Level::read_committed);
  EXPECT_EQ(feed(aborted, "a: w(x,1) !\nb: r(x,1)").verdict, Verdict::violated) << "its writer is here";
}

// The fate of a writer that comes later decides as if it had come first.
TEST(UnheardSessions, AWriterThatComesLaterMayHaveAbortedOrBeOfUnknownFate) {
  Watcher aborted = watcher_at(Level::serializable);
  EXPECT_EQ(feed(aborted, "b: r(x,1)").verdict, Verdict::undecided);
  EXPECT_EQ(feed(aborted, "a: w(x,1) !").verdict, Verdict::violated);
  Watcher unknown = watcher_at(Level::serializable);
  EXPECT_EQ(feed(unknown, "b: r(x,1)").verdict, Verdict::undecided);
  EXPECT_EQ(feed(unknown, "a: w(x,1) ?").verdict, Verdict::holds);
}

// Two sessions hear of each other for long; then a third one turns out to have read what they overwrote at the
// start, before anything else happened.
TEST(UnheardSessions, WhatTheyCouldTouchIsKept) {
  for (const Level level : {Level::causal, Level::prefix, Level::snapshot_isolation, Level::serializable}) {
    Watcher watcher = watcher_at(level);
    feed(watcher, "a: w(x,1) | r(x,1) w(x,2)");
    for (int i = 0; i < 20; ++i) {
      const std::string before = std::to_string(2 * i), between = std::to_string(2 * i + 1),
                        after = std::to_string(2 * i + 2);
      feed(watcher,
           "a: r(f," + before + ") w(f," + between + ")\nb: r(f," + between + ") w(f," + after + ")");
    }
    EXPECT_EQ(watcher.kept().live, 42U) << info(level).name;
    EXPECT_EQ(feed(watcher, "late: r(x,1) | r(x,2)").verdict, Verdict::holds) << info(level).name;
    watcher.all_sessions_known();
    EXPECT_EQ(feed(watcher, "late: r(f,40)\na: r(f,40)\nb: r(f,40)").verdict, Verdict::holds);
    EXPECT_LT(watcher.kept().live + watcher.kept().frozen, 10U) << "now it is bounded";
  }
}

// A session that was announced and is silent is known; it comes late only to a watcher that was told wrong.
TEST(UnheardSessions, OneThatWasAnnouncedMayBeginAnywhereHoweverLate) {
  Watcher watcher = watcher_at(Level::serializable);
  feed(watcher, "a: w(x,1) | r(x,1) w(x,2)");
  watcher.admit("silent");
  watcher.all_sessions_known();
  feed(watcher, "a: w(y,1) | r(y,1) w(y,2)");
  EXPECT_EQ(feed(watcher, "silent: r(x,1) r(y,0)").verdict, Verdict::holds);
}

// Told wrong, but nothing is gone yet: the newcomer's place is as open as anybody's.
TEST(UnheardSessions, ANewcomerAfterAllWereKnownIsJudgedInFullIfNothingIsGone) {
  Watcher watcher = watcher_at(Level::serializable);
  // The two writes of x are in no known order, so they stay although both are frozen.
  watcher.add(draw("a: w(x,1)\nb: w(x,2)"));
  watcher.all_sessions_known();
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "new: r(x,0)").verdict, Verdict::holds) << "it may precede both";
  EXPECT_EQ(feed(watcher, "new: r(x,1) | r(x,2)\na: r(x,1)").verdict, Verdict::holds);
}

// At the levels with a horizon, whoever reads a version that is forgotten is left undecided, known or not.
TEST(UnheardSessions, AHorizonForgetsWithoutThem) {
  Watcher watcher = watcher_at(Level::read_committed, 4);
  for (int i = 1; i <= 30; ++i) feed(watcher, "a: w(x," + std::to_string(i) + ")");
  EXPECT_LT(watcher.kept().live, 20U);
  EXPECT_EQ(feed(watcher, "late: r(x,30)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "late: r(x,2)").verdict, Verdict::undecided) << "it waits";
  watcher.all_sessions_known();
  watcher.close("a");
  EXPECT_EQ(watcher.decide().verdict, Verdict::undecided) << "it cannot be told from what nobody wrote";
}

}  // namespace
}  // namespace assay::watch
