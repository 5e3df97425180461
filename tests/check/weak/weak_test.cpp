#include "check/weak/weak.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "history/builder.hpp"
#include "support/judge/weak_evidence_check.hpp"
#include "support/neutral.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_history.hpp"

namespace assay::check {
namespace {

using enum Level;
constexpr std::array kWeak{causal,          read_atomic,     repeatable_read,  monotonic_atomic_view,
                           read_committed,  monotonic_reads, monotonic_writes, writes_follow_reads,
                           read_your_writes};

Outcome decide(const History& h, Level level, const Options& options = {}) {
  const Reads reads = resolve_reads(h);
  const Limits limits(options.timeout_seconds, options.memory_bytes);
  Outcome outcome = WeakChecker(h, reads, options, limits).decide(level);
  if (outcome.verdict == Verdict::holds && !outcome.order.empty()) {
    EXPECT_EQ(fault_in_order(reads, h, outcome, options.sessions), "");
  }
  if (outcome.verdict == Verdict::violated && outcome.bad_reads.empty()) {
    EXPECT_EQ(fault_in_derivation(reads, h, outcome, options.sessions), "");
  }
  return outcome;
}

bool holds(std::string_view drawing, Level level, const Options& options = {}) {
  const Verdict verdict = decide(draw(drawing), level, options).verdict;
  EXPECT_NE(verdict, Verdict::undecided) << drawing;
  return verdict == Verdict::holds;
}

// The levels that the history breaks, as the short names of level.cpp.
std::string broken(std::string_view drawing) {
  std::string names;
  for (const Level level : kWeak) {
    if (!holds(drawing, level)) names += (names.empty() ? "" : " ") + std::string(info(level).aliases[0]);
  }
  return names;
}

TEST(Weak, EachLevelHasASmallestHistoryThatBreaksIt) {
  EXPECT_EQ(broken("a: w(x,1) | r(x,0)"), "cc ra ryw");
  EXPECT_EQ(broken("a: w(x,1)\nb: r(x,1) | r(x,0)"), "cc mr");
  EXPECT_EQ(broken("a: w(x,1) | w(y,1)\nb: r(y,1) r(x,0)"), "cc mw");
  EXPECT_EQ(broken("a: w(x,1)\nb: r(x,1) w(y,1)\nc: r(y,1) r(x,0)"), "cc wfr");
  EXPECT_EQ(broken("a: w(x,1) w(y,1)\nb: r(x,1) r(y,0)"), "cc ra mav rc");
  EXPECT_EQ(broken("a: w(x,1) w(y,1)\nb: r(y,0) r(x,1)"), "cc ra");
  EXPECT_EQ(broken("a: w(x,1)\nb: r(x,0) r(x,1)"), "cc ra rr");
}

TEST(Weak, AStaleReadOfTheInitialStateIsFound) {
  EXPECT_FALSE(holds("a: w(x,1) | r(x,0)", read_atomic));
  EXPECT_FALSE(holds("a: w(x,1) | r(x,0)", causal));
  EXPECT_TRUE(holds("a: w(x,1) | r(x,0)", read_committed));
  EXPECT_FALSE(holds("a: w(x,1)\nb: r(x,1) r(x,0)", read_committed)) << "1, then back to the initial state";
  const Outcome outcome = decide(draw("a: w(x,1) | r(x,0)"), read_atomic);
  ASSERT_EQ(outcome.derivation.cycle.size(), 2U);
  const Step& forced = outcome.derivation.steps[outcome.derivation.cycle[0]];
  EXPECT_EQ(forced.rule, Rule::axiom);
  EXPECT_EQ(forced.from.txn, Txn{0});
  EXPECT_EQ(forced.to.txn, kInitialTxn);
  EXPECT_EQ(forced.witness, Txn{1});
}

TEST(Weak, WhatIsFineAtEveryLevel) {
  EXPECT_EQ(broken("a: w(x,1)\nb: r(x,1) r(x,1)"), "") << "a key read twice from one writer";
  EXPECT_EQ(broken("a: w(x,1) r(x,1) w(x,2) r(x,2)\nb: r(x,2)"), "") << "own write, read and overwritten";
  EXPECT_EQ(broken("a: r(x,0) w(x,1) | r(x,1) w(x,2) | r(x,2)"), "");
  EXPECT_EQ(broken("a: w(x,1)!\nb: r(x,0)"), "") << "an aborted write need not be seen";
  EXPECT_EQ(broken("a: w(x,1)? | r(x,0)"), "") << "nor one of unknown fate that nobody saw";
  EXPECT_EQ(broken("a: r(x,0)"), "");
  EXPECT_EQ(broken(""), "");
}

TEST(Weak, AnUnknownTransactionThatWasReadCounts) {
  EXPECT_EQ(broken("a: w(x,1) w(y,1)?\nb: r(x,1) r(y,0)"), "cc ra mav rc");
  EXPECT_EQ(broken("a: w(x,1)? | r(x,0)\nb: r(x,1)"), "cc ra ryw");
}

TEST(Weak, ABadReadBreaksEveryLevel) {
  for (const Level level : kWeak) {
    const Outcome outcome = decide(draw("a: w(x,1)!\nb: r(x,1)"), level);
    EXPECT_EQ(outcome.verdict, Verdict::violated);
    ASSERT_EQ(outcome.bad_reads.size(), 1U);
    EXPECT_EQ(outcome.bad_reads[0].kind, BadRead::Kind::aborted);
  }
}

TEST(Weak, ACycleOfSessionsAndReadsBreaksAllThatNeedACommitOrder) {
  EXPECT_EQ(broken("a: r(y,1) | w(x,1)\nb: r(x,1) | w(y,1)"), "cc ra mav rc mr mw wfr ryw");
}

TEST(Weak, TheShortestContradictionIsShown) {
  // The cycle between a and b, not the longer one that also exists.
  const Outcome outcome =
      decide(draw("a: w(x,1) w(y,1)\nb: w(x,2) w(y,2)\nc: r(x,1) r(y,2)\nd: r(y,1) r(x,2)"), read_atomic);
  ASSERT_EQ(outcome.verdict, Verdict::violated);
  EXPECT_EQ(outcome.derivation.cycle.size(), 2U);
}

TEST(Weak, AWalkAlongASessionIsOneStep) {
  const Outcome outcome = decide(
      draw("a: w(x,1) | w(z,1) | w(z,2) | w(z,3) | r(q,1)\nb: r(x,1) w(q,1) | r(x,1)\nc: r(z,3) r(x,0)"),
      causal);
  ASSERT_EQ(outcome.verdict, Verdict::violated);
  const Step& forced = outcome.derivation.steps[outcome.derivation.cycle[0]];
  EXPECT_EQ(forced.premises.size(), 3U) << "session, read of z, read of x";
}

TEST(Weak, WithoutSessionsTheirGuaranteesAreEmpty) {
  Options ignore;
  ignore.sessions = SessionOrder::ignore;
  EXPECT_TRUE(holds("a: w(x,1) | r(x,0)", causal, ignore));
  EXPECT_TRUE(holds("a: w(x,1)\nb: r(x,1) | r(x,0)", causal, ignore));
  EXPECT_FALSE(holds("a: w(x,1) w(y,1)\nb: r(x,1) r(y,0)", read_committed, ignore));
  EXPECT_FALSE(holds("a: w(x,1)\nb: r(x,1) w(y,1)\nc: r(y,1) r(x,0)", writes_follow_reads, ignore));
}

TEST(Weak, AmbiguousReadsAreAttributedSoThatTheLevelHolds) {
  EXPECT_TRUE(holds("a: w(x,7) w(y,1)\nb: w(x,7)\nc: r(x,7) r(y,0)", read_committed)) << "c read from b";
  EXPECT_FALSE(holds("a: w(x,7) w(y,1)\nb: w(x,7) w(y,2)\nc: r(x,7) r(y,0)", read_committed)) << "either way";
  EXPECT_TRUE(holds("a: w(x,7) w(y,1)\nb: w(x,7) w(y,2)?\nd: w(x,7)\nc: r(x,7) r(y,0)", read_committed));
  const Outcome outcome = decide(draw("a: w(x,7) w(y,1)\nb: w(x,7)\nc: r(x,7) r(y,0)"), read_atomic);
  EXPECT_EQ(outcome.choices, std::vector<std::uint32_t>{1});
}

TEST(Weak, ListsKnowTheirVersionOrder) {
  // c saw 1 before 2, so whoever saw 2 (b) and then only 1 went back.
  EXPECT_EQ(broken("a: a(x,1)\nb: a(x,2) a(y,5)\nc: l(x,[1,2])\nd: l(y,[5]) l(x,[1])"), "cc ra mav rc");
  EXPECT_EQ(broken("a: a(x,1)\nb: a(x,2)\nc: l(x,[1,2])\nd: l(x,[1])"), "");
}

TEST(Weak, WhatIsNotUnderstoodNeverHolds) {
  const History fine = draw("a: a(x,1) | w(x,2)");
  EXPECT_EQ(decide(fine, read_committed).verdict, Verdict::undecided);
  EXPECT_FALSE(decide(fine, read_committed).reason.empty());
  const History broken_too = draw("a: a(x,1) | w(x,2)\nb: w(y,1) w(z,1)\nc: r(y,1) r(z,0)");
  EXPECT_EQ(decide(broken_too, read_committed).verdict, Verdict::violated);
}

TEST(Weak, ATimeLimitThatPassedLeavesCausalUndecided) {
  Options hurry;
  hurry.timeout_seconds = 0;
  const Outcome outcome = decide(draw("a: w(x,1)\nb: r(x,1)"), causal, hurry);
  EXPECT_EQ(outcome.verdict, Verdict::undecided);
  EXPECT_EQ(outcome.reason, "the time limit was reached");
}

TEST(Weak, AStrongerVerdictSettlesTheWeakerLevels) {
  const History h = draw("a: w(x,1)\nb: r(x,1)");
  const Reads reads = resolve_reads(h);
  WeakChecker checker(h, reads, {});
  EXPECT_EQ(checker.decide(causal).method, "axiom");
  const Outcome implied = checker.decide(read_committed);
  EXPECT_EQ(implied.method, "implied");
  EXPECT_EQ(implied.level, read_committed);
  EXPECT_EQ(implied.verdict, Verdict::holds);
}

// A history rebuilt with other names and in another order of sessions.
History renamed(const History& h, std::int64_t shift) {
  HistoryBuilder build;
  std::vector<Session> sessions(h.sessions());
  for (std::uint32_t s = h.sessions(); s-- > 0;) sessions[s] = build.session(Atom::integer(s));
  for (const Txn t : h.all_transactions()) {
    build.begin(sessions[index(h.session_of(t))], Atom::integer(1000 - std::int64_t{index(t)}));
    for (const Op op : h.operations_of(t)) {
      const Version v = h.version(op);
      const std::string key = "k" + std::to_string(7 * index(h.key(op)) % 11);
      const Atom value = Atom::integer(shift - static_cast<std::int64_t>(index(v)));
      if (h.kind(op) == OpKind::erase) {
        build.erase(Atom::string(key));
      } else if (writes(h.kind(op))) {
        build.write(Atom::string(key), value);
      } else if (h.is_initial(v)) {
        build.read_initial(Atom::string(key));
      } else {
        build.read(Atom::string(key), value);
      }
    }
    build.end(h.status(t));
  }
  return build.finish();
}

TEST(WeakMetamorphic, NamesAndTheOrderOfSessionsDoNotMatter) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(1000); ++i) {
    Rng rng(seed + i);
    Shape shape = shape_with_everything();
    shape.max_transactions = 10;
    const History h = random_history(rng, shape);
    const History other = renamed(h, 500);
    for (const Level level : kWeak) {
      ASSERT_EQ(decide(h, level).verdict, decide(other, level).verdict) << "seed " << seed + i << "\n"
                                                                        << drawing(h);
    }
  }
}

// Adds the transactions of h (registers, no deletes) except one.
void copy(const History& h, HistoryBuilder& build, Txn left_out = kInitialTxn) {
  for (const Txn t : h.all_transactions()) {
    if (t == left_out) continue;
    build.begin(build.session(h.name(h.session_of(t))), h.name(t));
    for (const Op op : h.operations_of(t)) {
      const Version v = h.version(op);
      if (writes(h.kind(op))) {
        build.write(h.name(h.key(op)), h.value(v));
      } else if (h.is_initial(v)) {
        build.read_initial(h.name(h.key(op)));
      } else {
        build.read(h.name(h.key(op)), h.value(v));
      }
    }
    build.end(h.status(t));
  }
}

// h and one more transaction that reads what the keys hold at the end of `order`.
History with_final_reader(const History& h, const std::vector<Event>& order) {
  HistoryBuilder build;
  copy(h, build);
  std::vector<std::optional<Version>> state(h.keys());
  for (const Event& event : order) {
    for (const Op op : h.operations_of(event.txn)) {
      if (writes(h.kind(op))) state[index(h.key(op))] = h.version(op);
    }
  }
  build.begin(build.session(Atom::string("last")), Atom::integer(1 << 20));
  for (std::uint32_t k = 0; k < h.keys(); ++k) {
    if (state[k]) {
      build.read(h.name(Key{k}), h.value(*state[k]));
    } else {
      build.read_initial(h.name(Key{k}));
    }
  }
  build.end(Status::committed);
  return build.finish();
}

TEST(WeakMetamorphic, SomebodyWhoReadsTheEndOfAWitnessChangesNothing) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(1000); ++i) {
    Rng rng(seed + i);
    Shape shape;
    shape.max_transactions = 10;
    const History h = random_history(rng, shape);
    for (const Level level : kWeak) {
      const Outcome outcome = decide(h, level);
      if (outcome.verdict != Verdict::holds || (level == repeatable_read && outcome.order.empty())) continue;
      const History longer = with_final_reader(h, outcome.order);
      ASSERT_EQ(decide(longer, level).verdict, Verdict::holds)
          << info(level).name << " seed " << seed + i << "\n"
          << drawing(h);
    }
  }
}

// It takes constraints away and adds none.
TEST(WeakMetamorphic, LeavingOutATransactionThatNobodyReadBreaksNothing) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(1000); ++i) {
    Rng rng(seed + i);
    Shape shape;
    shape.max_transactions = 10;
    const History h = random_history(rng, shape);
    const Reads reads = resolve_reads(h);
    if (!reads.bad_reads().empty()) continue;
    const AttributedHistory attributed(h, reads, SessionOrder::keep, {});
    for (const Txn t : h.all_transactions()) {
      if (attributed.readers(t).size() > 0) continue;
      HistoryBuilder build;
      copy(h, build, t);
      const History shorter = build.finish();
      for (const Level level : kWeak) {
        if (decide(h, level).verdict != Verdict::holds) continue;
        ASSERT_EQ(decide(shorter, level).verdict, Verdict::holds)
            << info(level).name << " seed " << seed + i << "\n"
            << drawing(h);
      }
    }
  }
}

TEST(WeakShared, AgreesWithEveryLabel) {
  if (!std::filesystem::exists(shared_histories())) GTEST_SKIP() << "no ../shared/histories";
  int compared = 0;
  for (const char* folder :
       {"awdit", "cobralogs", "elle-cli", "isovista", "made", "polysi", "random", "veristrong"}) {
    for (const Label& label : labels_of(folder)) {
      if (!WeakChecker::decides(label.level)) continue;
      // Files in other formats have a neutral twin if they are small.
      const bool neutral = label.path.ends_with(".jsonl");
      const std::string path =
          shared_histories() + (neutral ? "/" + label.path : "/neutral/" + label.path + ".jsonl");
      if (!std::filesystem::exists(path)) continue;
      ++compared;
      const History h = read_neutral(path);
      const Reads reads = resolve_reads(h);
      const Outcome outcome = WeakChecker(h, reads, {}).decide(label.level);
      EXPECT_EQ(outcome.verdict, label.satisfies ? Verdict::holds : Verdict::violated)
          << path << " " << info(label.level).name << " " << outcome.reason;
    }
  }
  EXPECT_GT(compared, 0);
  RecordProperty("compared", compared);
}

}  // namespace
}  // namespace assay::check
