#include "split/split.hpp"

#include <gtest/gtest.h>

#include "check/check.hpp"
#include "evidence/examine.hpp"
#include "history/builder.hpp"
#include "split/division.hpp"
#include "support/judge/replay.hpp"
#include "support/random/draw.hpp"

namespace assay::split {
namespace {

using check::Outcome;
using check::SessionOrder;
using check::Verdict;

Verdict verdict(const Outcome& outcome) {
  return outcome.verdict;
}

std::uint64_t count(const Outcome& outcome, std::string_view name) {
  for (const check::Count& one : outcome.counts) {
    if (one.name == name) return one.value;
  }
  return 0;
}

Outcome by_tenant(const History& history, Level level, const char* pattern = "?") {
  return decide(history, std::span(&level, 1), {}, pattern).front();
}

std::vector<std::uint32_t> parts(const Division& division) {
  return division.part_of;
}

// Key names of drawings are texts: the first character is the tenant here.

TEST(Split, FindsInOneTenantWhatTheWholeViolates) {
  const History h = draw(
      "s: r(ax,0) w(ax,1)\n"
      "t: r(ax,0) w(ax,2)\n"
      "u: w(bx,1) | r(bx,1)");
  const Outcome outcome = by_tenant(h, Level::snapshot_isolation);
  EXPECT_EQ(verdict(outcome), Verdict::violated);
  EXPECT_EQ(count(outcome, "parts"), 2U);
}

TEST(Split, TellsOfTheWholesOwnTransactionsAndReads) {
  const History h = draw(
      "s: w(bx,1)\n"
      "t: r(ax,7)\n"
      "u: r(cx,9)");
  const Outcome outcome = by_tenant(h, Level::read_committed);
  ASSERT_EQ(outcome.bad_reads.size(), 2U);
  EXPECT_EQ(outcome.bad_reads[0].txn, Txn{1});
  EXPECT_EQ(outcome.bad_reads[0].read, Op{1});
  EXPECT_EQ(outcome.bad_reads[1].txn, Txn{2});
}

TEST(Split, SeesWhatOnlyTheOrderOfSessionsBetweenTenantsShows) {
  // Each tenant is serializable by itself; a and b together are not.
  const History h = draw(
      "s: w(ax,1) | r(by,0)\n"
      "t: w(by,1) | r(ax,0)\n"
      "u: w(cz,1) | r(cz,1)");
  const Outcome outcome = by_tenant(h, Level::serializable);
  EXPECT_EQ(verdict(outcome), Verdict::violated);
  EXPECT_EQ(count(outcome, "parts joined"), 1U) << "c is not joined";
}

TEST(Split, SeesCausalityThatLeavesATenantAndComesBack) {
  const History h = draw(
      "s: w(ax,1) | w(by,1)\n"
      "t: r(by,1) | r(ax,0)");
  EXPECT_EQ(verdict(by_tenant(h, Level::causal)), Verdict::violated);
}

TEST(Split, MergesTheOrdersOfTenantsThatShareSessions) {
  const History h = draw(
      "s: w(ax,1) | w(by,1) | r(ax,2)\n"
      "t: r(by,0) | r(ax,1) w(ax,2) | r(by,1)");
  const Outcome outcome = by_tenant(h, Level::serializable);
  ASSERT_EQ(verdict(outcome), Verdict::holds);
  EXPECT_EQ(replay(h, Level::serializable, true, std::chrono::nanoseconds(0), outcome.order), std::nullopt);
}

TEST(Split, KeepsRealTimeBetweenTenants) {
  const History h = draw(
      "s: @1-2 w(ax,1)\n"
      "t: @3-4 w(by,1)\n"
      "u: @5-6 r(ax,1)");
  const Outcome outcome = by_tenant(h, Level::strict_serializable);
  ASSERT_EQ(verdict(outcome), Verdict::holds);
  EXPECT_EQ(outcome.order, (std::vector<check::Event>{{Txn{0}}, {Txn{1}}, {Txn{2}}}));
}

TEST(Split, SeesThatSessionsAreNotInTheTimesOfClocksThatDiffer) {
  // Sessions and tenants are a forest, and each tenant holds.
  const History h = draw(
      "s: @8-10 r(ax,1) | @11-12 w(by,1)\n"
      "u: @1-9 r(by,1)\n"
      "v: @15-16 w(ax,1)");
  check::Options options;
  options.clock_drift = std::chrono::nanoseconds(5);
  const Level level = Level::strict_serializable;
  EXPECT_EQ(verdict(decide(h, std::span(&level, 1), options, "?").front()), Verdict::violated);
  options.sessions = SessionOrder::ignore;
  EXPECT_EQ(verdict(decide(h, std::span(&level, 1), options, "?").front()), Verdict::holds);
}

TEST(Split, LeavesAHistoryWholeWhereAQueryCanTouchAnyTenant) {
  const History h = draw(
      "s: w(ax,1)\n"
      "t: g(a..c,[ax=1])");
  EXPECT_FALSE(can_be_divided(h));
  EXPECT_EQ(verdict(by_tenant(h, Level::serializable)), Verdict::holds);
}

TEST(Division, TransactionsJoinTheKeysThatTheyTouch) {
  const History h = draw(
      "s: w(ax,1) w(by,1) | w(cz,1)\n"
      "t: w(by,2)");
  EXPECT_EQ(parts(divide(h, std::nullopt)), (std::vector<std::uint32_t>{0, 1, 0}));
}

TEST(Division, ATransactionWithoutKeysGoesWithItsNeighbour) {
  HistoryBuilder build;
  const Session s = build.session(Atom::integer(1)), idle = build.session(Atom::integer(2));
  const auto transaction = [&](Session session, int key) {
    build.begin(session, Atom::integer(0));
    if (key != 0) build.write(Atom::integer(key), Atom::integer(1));
    build.end(Status::committed);
  };
  for (const int key : {0, 1, 0, 2}) transaction(s, key);
  transaction(idle, 0);
  EXPECT_EQ(parts(divide(build.finish(), std::nullopt)), (std::vector<std::uint32_t>{0, 0, 0, 1, 2}));
}

TEST(Division, AForestJoinsWhatLiesOnACircleAndNothingElse) {
  // s and t both meet a and b; c hangs at s alone.
  const History h = draw(
      "s: w(ax,1) | w(by,1) | w(cz,1)\n"
      "t: w(ax,2) | w(by,2)");
  const Division fine = divide(h, std::nullopt);
  EXPECT_EQ(fine.parts, 3U);
  EXPECT_EQ(parts(made_a_forest(h, fine, SessionOrder::keep)), (std::vector<std::uint32_t>{0, 0, 1, 0, 0}));
  EXPECT_EQ(made_a_forest(h, fine, SessionOrder::ignore).parts, 3U);
}

TEST(Division, CirclesThatShareOnlyASessionStayApart) {
  const History h = draw(
      "s: w(ax,1) | w(by,1) | w(cz,1) | w(dw,1)\n"
      "t: w(ax,2) | w(by,2)\n"
      "u: w(cz,2) | w(dw,2)");
  const Division forest = made_a_forest(h, divide(h, std::nullopt), SessionOrder::keep);
  EXPECT_EQ(parts(forest), (std::vector<std::uint32_t>{0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST(Division, LargerPartsOfAForestAreAForest) {
  HistoryBuilder build;
  for (int i = 0; i < 200; ++i) {  // a chain: session i meets parts i and i + 1
    const Session s = build.session(Atom::integer(i));
    for (const int key : {i, i + 1}) {
      build.begin(s, Atom::integer(0));
      build.write(Atom::integer(key), Atom::integer(i + 1));
      build.end(Status::committed);
    }
  }
  const History h = build.finish();
  const Division larger = with_larger_parts(h, divide(h, std::nullopt), SessionOrder::keep, 40);
  EXPECT_GE(larger.parts, 5U);
  EXPECT_LE(larger.parts, 11U);
  EXPECT_EQ(made_a_forest(h, larger, SessionOrder::keep).parts, larger.parts);
}

// Four tenants, each with a session of its own, in one of which a read goes back in time if `stale_read`.
History large(bool stale_read) {
  HistoryBuilder build;
  for (std::int64_t tenant = 0; tenant < 4; ++tenant) {
    for (std::int64_t i = 0; i < 10'000; ++i) {
      build.begin(build.session(Atom::integer(tenant)), Atom::integer(i));
      const Atom key = Atom::integer(tenant * 10 + i % 7);
      const bool stale = stale_read && tenant == 2 && i == 7'000;
      if (i < 7) {
        build.read_initial(key);
      } else {
        build.read(key, Atom::integer(stale ? i - 13 : i - 6));
      }
      build.write(key, Atom::integer(i + 1));
      build.end(Status::committed);
    }
  }
  return build.finish();
}

TEST(Split, ALargeHistoryOfDisjointPartsIsDividedWhereThereAreThreads) {
  check::Options options;
  const Level level = Level::serializable;
  const History h = large(false);
  EXPECT_EQ(count(decide(h, std::span(&level, 1), options).front(), "parts"), 0U);
  options.threads = 2;
  const Outcome outcome = decide(h, std::span(&level, 1), options).front();
  EXPECT_EQ(verdict(outcome), Verdict::holds);
  EXPECT_GE(count(outcome, "parts"), 4U);
  EXPECT_EQ(replay(h, level, true, std::chrono::nanoseconds(0), outcome.order), std::nullopt);
}

TEST(Split, AViolationOfAPartIsExplainedInTheWhole) {
  evidence::ExamineOptions options;
  options.check.threads = 2;
  const Level level = Level::snapshot_isolation;
  const auto found =
      evidence::examine(std::make_shared<const History>(large(true)), std::span(&level, 1), options);
  ASSERT_EQ(found.outcomes.front().verdict, Verdict::violated);
  ASSERT_EQ(found.explanations.size(), 1U);
  for (const Txn t : found.explanations.front().counterexample.transactions)
    EXPECT_EQ(found.history->session_of(t), Session{2});
}

}  // namespace
}  // namespace assay::split
