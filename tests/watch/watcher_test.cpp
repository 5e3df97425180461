// What a watcher says and keeps, case by case.
#include "watch/watcher.hpp"

#include <gtest/gtest.h>

#include <string>

#include "check/check.hpp"
#include "history/builder.hpp"
#include "support/random/draw.hpp"
#include "system/input_error.hpp"

namespace assay::watch {
namespace {

Watcher watcher_of(std::initializer_list<const char*> sessions, Level level = Level::serializable) {
  WatchOptions options;
  options.level = level;
  Watcher watcher(options);
  for (const char* session : sessions) watcher.admit(session);
  watcher.all_sessions_known();
  return watcher;
}

Round feed(Watcher& watcher, std::string_view drawing) {
  watcher.add(draw(drawing));
  return watcher.decide();
}

// All sessions read and write one key in turn, twice: whatever came before is known to.
class Fences {
 public:
  explicit Fences(std::vector<std::string> sessions) : sessions_(std::move(sessions)) {}
  std::string next() {
    std::string drawing;
    for (int turn = 0; turn < 2; ++turn) {
      for (const std::string& session : sessions_) {
        drawing += session + ": r(fence," + std::to_string(value_) + ") w(fence," +
                   std::to_string(value_ + 1) + ")\n";
        ++value_;
      }
    }
    return drawing;
  }

 private:
  std::vector<std::string> sessions_;
  int value_ = 0;
};

std::uint64_t transactions(const Kept& kept) {
  return kept.live + kept.frozen;
}

// Who can have deleted a row that a query did not return may still be to come.
TEST(Watch, QueriesAreNeitherHeldAgainstAnybodyNorSaidToHold) {
  for (const Level level : {Level::serializable, Level::read_atomic}) {
    Watcher watcher = watcher_of({"a", "b"}, level);
    EXPECT_EQ(feed(watcher, "a: i(m,1)\nb: g(a..z,[m=1]) | g(a..z,[])").verdict, Verdict::undecided);
    EXPECT_EQ(feed(watcher, "a: d(m)").verdict, Verdict::undecided);
  }
}

TEST(Watch, AReadWaitsForItsWriter) {
  Watcher watcher = watcher_of({"a", "b"});
  EXPECT_EQ(feed(watcher, "a: r(x,1) | w(y,1)").verdict, Verdict::holds);
  EXPECT_EQ(watcher.kept().waiting, 2U);
  EXPECT_EQ(feed(watcher, "b: w(x,1)").verdict, Verdict::holds);
  EXPECT_EQ(watcher.kept().waiting, 0U);
}

TEST(Watch, AWriteThatNeverComesIsMissedWhenItsSessionsAreClosed) {
  Watcher watcher = watcher_of({"a", "b"});
  EXPECT_EQ(feed(watcher, "a: r(x,1)").verdict, Verdict::holds);
  watcher.close("b");
  const Round round = watcher.decide();
  EXPECT_EQ(round.verdict, Verdict::violated);
  ASSERT_TRUE(round.counterexample);
  EXPECT_EQ(round.counterexample->transactions(), 1U);
}

TEST(Watch, AWriteThatNeverComesIsMissedWhenItWouldBeTooLate) {
  Watcher watcher = watcher_of({"a", "b"});
  Fences fences({"a", "b"});
  EXPECT_EQ(feed(watcher, "a: r(x,1)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, fences.next()).verdict, Verdict::violated);
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds) << "told once";
}

TEST(Watch, ReadsThatWaitForEachOtherAreAViolation) {
  Watcher watcher = watcher_of({"a", "b"});
  EXPECT_EQ(feed(watcher, "a: r(y,1) | w(x,1)\nb: r(x,1) | w(y,1)").verdict, Verdict::violated);
}

TEST(Watch, AKeyWrittenOnceIsReadLongAfter) {
  Watcher watcher = watcher_of({"a", "b", "c"});
  Fences fences({"a", "b", "c"});
  feed(watcher, "a: w(x,1)\nb: r(x,1) w(x,2)");
  for (int i = 0; i < 50; ++i) ASSERT_EQ(feed(watcher, fences.next()).verdict, Verdict::holds);
  EXPECT_LT(transactions(watcher.kept()), 12U);
  EXPECT_EQ(watcher.kept().entries, 2U);
  EXPECT_EQ(feed(watcher, "c: r(x,2)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "b: r(x,2) w(x,3)\na: r(x,3)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, fences.next()).verdict, Verdict::holds);

  std::string state;
  watcher.save(state);
  for (const char* stale : {"b: r(x,0)", "b: r(x,1)", "b: r(x,2)"}) {
    Watcher again = Watcher::load(state, "state");
    again.add(draw(stale));
    // What is gone looks like what has not come yet, until the reader is known to be in the past.
    Fences later = fences;
    again.add(draw(later.next()));
    EXPECT_EQ(again.decide().verdict, Verdict::violated) << stale;
  }
}

TEST(Watch, AnOldVersionOfAKeptWriterIsStale) {
  Watcher watcher = watcher_of({"a", "b", "c"});
  Fences fences({"a", "b", "c"});
  // The writes of y are not ordered, so a and b stay; x is overwritten and its last writer leaves.
  feed(watcher, "a: w(x,1) w(y,1)\nb: w(y,2)");
  feed(watcher, fences.next());
  feed(watcher, "c: r(x,1) w(x,2)");
  feed(watcher, fences.next());
  EXPECT_EQ(feed(watcher, fences.next()).verdict, Verdict::holds);
  EXPECT_GE(watcher.kept().frozen, 2U);
  EXPECT_EQ(feed(watcher, "b: r(x,1)").verdict, Verdict::violated);
}

TEST(Watch, TwoFencesThatReadTheSameVersion) {
  Watcher watcher = watcher_of({"a", "b"});
  const Round round = feed(watcher, "a: r(fence,0) w(fence,1)\nb: r(fence,0) w(fence,2)");
  EXPECT_EQ(round.verdict, Verdict::violated);
  ASSERT_TRUE(round.counterexample);
  EXPECT_EQ(round.counterexample->transactions(), 2U);
}

TEST(Watch, AViolationComesWithWhatIsToBeSaidOfIt) {
  Watcher watcher = watcher_of({"a", "b"});
  const Round round = feed(watcher, "a: r(x,0) w(y,1)\nb: r(y,0) w(x,1)");
  ASSERT_EQ(round.verdict, Verdict::violated);
  EXPECT_EQ(round.outcome.verdict, Verdict::violated);
  ASSERT_TRUE(round.explanation);
  EXPECT_EQ(round.explanation->transactions.size(), 2U);
  EXPECT_EQ(round.explanation->anomaly, Anomaly::write_skew);
  EXPECT_FALSE(round.explanation->derivation.empty());
}

// A backlog, gone through in rounds of at most so many.
struct Backlog {
  std::vector<Round> rounds;
  std::uint64_t transactions = 0;
};
Backlog go_through(Watcher& watcher) {
  Backlog backlog;
  do {
    backlog.rounds.push_back(watcher.decide());
    backlog.transactions += backlog.rounds.back().transactions;
  } while (backlog.rounds.back().more && backlog.rounds.size() < 100);
  return backlog;
}

TEST(Watch, ARoundTakesNoMoreThanItIsTold) {
  WatchOptions options;
  options.round_transactions = 4;
  Watcher watcher(options);
  Fences fences({"a", "b"});
  for (int i = 0; i < 6; ++i) watcher.add(draw(fences.next()));
  watcher.all_sessions_known();
  const Backlog backlog = go_through(watcher);
  EXPECT_EQ(backlog.transactions, 24U);
  EXPECT_GE(backlog.rounds.size(), 6U);
  for (const Round& round : backlog.rounds) {
    EXPECT_LE(round.transactions, 4U);
    EXPECT_EQ(round.verdict, Verdict::holds);
  }
  EXPECT_EQ(watcher.kept().waiting, 0U);
  EXPECT_LT(transactions(watcher.kept()), 10U) << "what is settled left on the way";
}

TEST(Watch, OneFragmentCanBeMoreThanARound) {
  WatchOptions options;
  options.round_transactions = 3;
  Watcher watcher(options);
  watcher.add(draw("a: w(x,1) | w(x,2) | w(x,3) | w(x,4)\nb: r(x,1) | r(x,2) | r(x,3) | r(x,4)\nc: w(y,1)"));
  const Backlog backlog = go_through(watcher);
  EXPECT_EQ(backlog.transactions, 9U);
  // One more of each session at most, so that sessions go forward side by side.
  for (const Round& round : backlog.rounds) EXPECT_LE(round.transactions, 6U);
  EXPECT_EQ(backlog.rounds.back().verdict, Verdict::holds);
}

TEST(Watch, WhatHasArrivedBeyondARoundIsStillToCome) {
  WatchOptions options;
  options.round_transactions = 1;
  Watcher watcher(options);
  // What a reads first is the last that has arrived, and nobody sends anything more.
  watcher.add(draw("a: r(x,1) | w(z,1)"));
  watcher.add(draw("b: w(y,1) | w(y,2) | w(x,1)"));
  watcher.all_sessions_known();
  watcher.close("a");
  watcher.close("b");
  const Backlog backlog = go_through(watcher);
  EXPECT_EQ(backlog.transactions, 5U);
  for (const Round& round : backlog.rounds) EXPECT_EQ(round.verdict, Verdict::holds);
  EXPECT_EQ(watcher.kept().waiting, 0U);
}

TEST(Watch, GoesOnAfterAViolation) {
  Watcher watcher = watcher_of({"a", "b"});
  Fences fences({"a", "b"});
  feed(watcher, fences.next());
  const Round round = feed(watcher, "a: r(x,0) w(x,1)\nb: r(x,0) w(x,2)");
  EXPECT_EQ(round.verdict, Verdict::violated);
  EXPECT_TRUE(round.more);
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds);
  // Reading what a culprit wrote is no evidence.
  EXPECT_EQ(feed(watcher, "a: r(x,2)\nb: r(x,1)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "a: r(y,0) w(y,1)\nb: r(y,0) w(y,2)").verdict, Verdict::violated);
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds);
}

TEST(Watch, AViolationThatRestsOnWhatIsGoneSaysSo) {
  Watcher watcher = watcher_of({"a", "b", "c"});
  Fences fences({"a", "b", "c"});
  feed(watcher, "a: w(x,1) w(y,1)\nb: w(y,2)");
  feed(watcher, fences.next());
  feed(watcher, "c: w(x,2) w(z,1)");
  feed(watcher, fences.next());
  feed(watcher, fences.next());
  const Round round = feed(watcher, "b: r(x,1)");
  EXPECT_EQ(round.verdict, Verdict::violated);
  ASSERT_TRUE(round.counterexample);
}

TEST(Watch, ASessionThatBeginsLate) {
  for (const bool informed : {true, false}) {
    Watcher watcher = watcher_of({"a", "b"});
    Fences fences({"a", "b"});
    feed(watcher, fences.next());
    feed(watcher, fences.next());
    ASSERT_LT(transactions(watcher.kept()), 8U) << "something was dropped";
    watcher.add(draw("a: w(x,1)"));
    watcher.add(draw(informed ? "late: r(x,1) w(x,2)" : "late: w(x,2)"));
    EXPECT_EQ(watcher.decide().verdict, Verdict::holds) << "it can be put after all that is gone";
    // Overwritten long ago. Who has shown that he began after that is wrong; who has not may have read it before.
    watcher.close("a");
    watcher.close("b");
    EXPECT_EQ(feed(watcher, "late: r(fence,3)").verdict, informed ? Verdict::violated : Verdict::undecided);
  }
}

// A late session that does not show where it begins is trusted; what is wrong by itself is found all the same.
TEST(Watch, AViolationIsFoundBesideASessionThatBeganTooLate) {
  Watcher watcher = watcher_of({"a", "b"});
  Fences fences({"a", "b"});
  feed(watcher, fences.next());
  feed(watcher, fences.next());
  EXPECT_EQ(feed(watcher, "a: w(x,1)\nlate: w(x,2)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "b: r(x,2)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "a: r(y,0) w(y,1)\nb: r(y,0) w(y,2)").verdict, Verdict::violated);
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "a: w(z,1)\nlate: r(z,1) w(z,2) | r(z,1)").verdict, Verdict::violated);
}

TEST(Watch, FencesThatAreDroppedHoldBackNothingButTheFloor) {
  Watcher watcher = watcher_of({"a", "b"});
  for (int i = 0; i < 10; ++i) {
    const std::string value = std::to_string(i + 1);
    EXPECT_EQ(feed(watcher, "a: w(x," + value + ")\nb: w(y," + value + ")").verdict, Verdict::holds);
  }
  EXPECT_EQ(transactions(watcher.kept()), 20U) << "nothing is known to be past";
  EXPECT_EQ(feed(watcher, "a: r(x,9)").verdict, Verdict::violated);
}

TEST(Watch, AFenceThatGotLostIsWaitedForAndThenMissed) {
  Watcher watcher = watcher_of({"a", "b", "c"});
  // The fence of b, which wrote 2, does not arrive.
  EXPECT_EQ(feed(watcher, "a: r(fence,0) w(fence,1)\nc: r(fence,2) w(fence,3)").verdict, Verdict::holds);
  EXPECT_EQ(watcher.kept().waiting, 1U);
  for (const char* session : {"a", "b", "c"}) watcher.close(session);
  const Round round = watcher.decide();
  EXPECT_EQ(round.verdict, Verdict::violated) << "a value from nowhere";
}

TEST(Watch, AFenceThatArrivesTwiceBreaksAPromiseOfTheRecorderNotOfTheDatabase) {
  Watcher watcher = watcher_of({"a", "b"});
  EXPECT_EQ(feed(watcher, "a: r(fence,0) w(fence,1)\nb: r(fence,1) w(fence,2)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "b: r(fence,1) w(fence,2)\na: r(fence,2) w(fence,3)").verdict, Verdict::undecided);
}

TEST(Watch, FencesThatArriveInAnotherOrder) {
  Watcher watcher = watcher_of({"a", "b", "c"});
  EXPECT_EQ(feed(watcher, "c: r(fence,2) w(fence,3)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "b: r(fence,1) w(fence,2)").verdict, Verdict::holds);
  EXPECT_EQ(watcher.kept().waiting, 2U);
  EXPECT_EQ(feed(watcher, "a: r(fence,0) w(fence,1)").verdict, Verdict::holds);
  EXPECT_EQ(watcher.kept().waiting, 0U);
  // In one session the order is what the session says it is.
  EXPECT_EQ(feed(watcher, "a: r(fence,4) w(fence,5) | r(fence,3) w(fence,4)").verdict, Verdict::violated);
}

TEST(Watch, AForgedFenceDoesNotRaiseTheFloor) {
  Watcher watcher = watcher_of({"a", "b"});
  feed(watcher, "a: w(x,1) | w(x,2)\nb: w(x,3)");
  // It claims to have read what nobody wrote, or nothing at all.
  EXPECT_EQ(feed(watcher, "b: w(fence,1) | r(fence,77) w(fence,2)").verdict, Verdict::holds);
  EXPECT_EQ(watcher.kept().waiting, 1U);
  EXPECT_EQ(transactions(watcher.kept()), 4U) << "a has heard of nothing";
  // Once a has gone past it, nobody can have written that any more.
  EXPECT_EQ(feed(watcher, "a: r(fence,2)").verdict, Verdict::violated);
}

TEST(Watch, CausalIsBounded) {
  Watcher watcher = watcher_of({"a", "b", "c"}, Level::causal);
  Fences fences({"a", "b", "c"});
  feed(watcher, "a: w(x,1)\nb: r(x,1) w(x,2)\nc: w(z,1)\na: w(z,2)");
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(feed(watcher, fences.next()).verdict, Verdict::holds);
    ASSERT_LT(transactions(watcher.kept()), 15U);
  }
  EXPECT_EQ(feed(watcher, "c: r(x,2)\nb: r(z,1)").verdict, Verdict::holds);
  std::string state;
  watcher.save(state);
  for (const char* wrong : {"a: r(x,0)", "a: r(x,1)", "a: r(z,2) | r(z,1)", "b: r(z,2)"}) {
    Watcher again = Watcher::load(state, "state");
    again.add(draw(wrong));
    Fences later = fences;
    again.add(draw(later.next()));
    EXPECT_EQ(again.decide().verdict, Verdict::violated) << wrong;
  }
}

Watcher forgetful(Level level, std::uint64_t horizon) {
  WatchOptions options;
  options.level = level;
  options.horizon = horizon;
  Watcher watcher(options);
  for (const char* session : {"a", "b"}) watcher.admit(session);
  watcher.all_sessions_known();
  return watcher;
}

TEST(Watch, BeyondTheHorizonNothingIsCertain) {
  for (const Level level : {Level::read_committed, Level::read_atomic}) {
    Watcher watcher = forgetful(level, 10);
    Fences fences({"a", "b"});
    feed(watcher, "a: w(x,1) w(once,1) | w(x,2)\nb: r(x,1)");
    for (int i = 0; i < 40; ++i) ASSERT_EQ(feed(watcher, fences.next()).verdict, Verdict::holds);
    EXPECT_LT(transactions(watcher.kept()), 25U);
    feed(watcher, "a: w(x,3)");
    for (int i = 0; i < 40; ++i) ASSERT_EQ(feed(watcher, fences.next()).verdict, Verdict::holds);
    // The newest version is never forgotten, however old.
    EXPECT_EQ(feed(watcher, "b: r(once,1) | r(x,3)").verdict, Verdict::holds);
    // Both levels allow b to read this; but it cannot be told from what nobody ever wrote.
    watcher.add(draw("b: r(x,2)"));
    Fences later = fences;
    watcher.add(draw(later.next()));
    EXPECT_EQ(watcher.decide().verdict, Verdict::undecided);
    while (watcher.decide().more) {
    }
    // What is certainly wrong is still told.
    EXPECT_EQ(feed(watcher, "a: w(p,1) w(q,1)\nb: r(p,1) r(q,0)").verdict, Verdict::violated);
  }
}

TEST(Watch, WhatWaitsOfAClosedSessionIsStillToCome) {
  // Found by chance: the floor forgot a session that was closed while its transactions waited.
  Watcher watcher = watcher_of({"1", "3", "5"});
  EXPECT_EQ(feed(watcher, "1: w(5,1) w(3,3) | r(5,2) | r(1,15) | r(3,3)\n5: w(3,1) | w(1,15)").verdict,
            Verdict::holds);
  watcher.close("1");
  watcher.close("5");
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "3: w(9,1)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "3: w(5,2)").verdict, Verdict::holds);
  watcher.close("3");
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds);
}

TEST(Watch, WhatIsLearnedOfAKeptTransactionReachesSessionsWhoseLastOneIsGone) {
  // Found by chance: 3's first write turns out to precede 2's when 2 reads its own again. By then the
  // transaction of 1 that follows both is gone, and 1 must learn of it all the same.
  Watcher watcher = watcher_of({"1", "2", "3"});
  EXPECT_EQ(feed(watcher, "1: r(1,8)\n3: w(4,1) | w(1,10)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "2: w(4,2) | w(1,8) | r(1,10)").verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "2: r(4,2)").verdict, Verdict::holds);
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "1: r(4,2)").verdict, Verdict::holds);
}

TEST(Watch, ATimeBeforeWhatIsFrozenIsAContradiction) {
  // Found by chance: the transaction that shows it had been dropped.
  WatchOptions options;
  options.level = Level::strict_serializable;
  options.clock_drift = 1;
  Watcher watcher(options);
  watcher.admit("a");
  watcher.all_sessions_known();
  EXPECT_EQ(feed(watcher, "a: @20-29 w(z,1) | @29-59 w(x,1)").verdict, Verdict::holds);
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds);
  EXPECT_LT(transactions(watcher.kept()), 2U);
  EXPECT_EQ(feed(watcher, "a: @7-25 w(y,1)").verdict, Verdict::violated);
}

TEST(Watch, AFateThatAReadProvedStaysProved) {
  // Found by chance: the transaction of unknown fate was kept for its start, and its reader dropped.
  Watcher watcher = watcher_of({"a"}, Level::strict_serializable);
  EXPECT_EQ(feed(watcher, "a: @0- w(y,1) ? | r(y,1)").verdict, Verdict::holds);
  EXPECT_EQ(watcher.decide().verdict, Verdict::holds);
  EXPECT_EQ(feed(watcher, "a: r(y,0)").verdict, Verdict::violated);
}

TEST(Watch, BlindWritesStayBounded) {
  Watcher watcher = watcher_of({"a", "b", "c", "d"});
  Fences fences({"a", "b", "c", "d"});
  std::uint64_t most = 0;
  int value = 0;
  for (int i = 0; i < 60; ++i) {
    std::string drawing;
    for (const char* session : {"a", "b", "c", "d"}) {
      for (int n = 0; n < 5; ++n) {
        ++value;
        drawing += std::string(session) + ": w(k" + std::to_string(value % 7) + "," + std::to_string(value) +
                   ") w(k" + std::to_string(value % 5) + "," + std::to_string(value + 100000) + ")\n";
      }
    }
    ASSERT_EQ(feed(watcher, drawing + fences.next()).verdict, Verdict::holds);
    if (i > 5) most = std::max(most, transactions(watcher.kept()));
  }
  EXPECT_LT(most, 150U);
}

TEST(Watch, ARepeatedValueIsNotJudgedByAPromiseItBreaks) {
  Watcher watcher = watcher_of({"a", "b"});
  EXPECT_EQ(feed(watcher, "a: w(x,1)\nb: w(x,1) | r(x,1)").verdict, Verdict::holds);
  Fences fences({"a", "b"});
  feed(watcher, fences.next());
  feed(watcher, fences.next());
  EXPECT_GE(transactions(watcher.kept()), 11U) << "nothing may be dropped";
}

TEST(Watch, DamagedStateIsRefused) {
  Watcher watcher = watcher_of({"a", "b"});
  Fences fences({"a", "b"});
  feed(watcher, "a: w(x,1) w(y,1)\nb: w(y,2)\n" + fences.next());
  feed(watcher, fences.next() + "a: r(nothing,1)");
  std::string state;
  watcher.save(state);
  Watcher again = Watcher::load(state, "state");
  std::string copy;
  again.save(copy);
  EXPECT_EQ(copy.size(), state.size());
  for (std::size_t n = 0; n < state.size(); ++n) {
    EXPECT_THROW(Watcher::load(std::string_view(state).substr(0, n), "state"), InputError);
  }
  for (std::size_t at = 0; at < state.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\xFF'}) {
      std::string damaged = state;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      try {
        Watcher::load(damaged, "state").decide();
      } catch (const InputError&) {
      }
    }
  }
}

}  // namespace
}  // namespace assay::watch
