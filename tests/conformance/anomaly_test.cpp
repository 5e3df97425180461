// One history per anomaly that has a name: the level that it breaks, the name, the transactions that matter,
// and the sentence that a person is told. Others that happen to be there must not get into the story.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "report/report.hpp"
#include "report/story.hpp"
#include "support/draw.hpp"

namespace assay::report {
namespace {

using enum Level;
using evidence::Anomaly;

struct Conformance {
  const char* name;
  const char* history;
  Level level;
  std::vector<std::uint32_t> transactions;
  const char* sentence;  // the summary; for a cycle without one its first sentence
};

// Transactions are numbered session by session; the last session is a bystander.
const Conformance kCases[] = {
    {"dirty-write",
     "a: a(x,1) a(y,1)\nb: a(x,2) a(y,2)\nc: l(x,[1,2]) l(y,[2,1])\nz: w(q,1)",
     read_committed,
     {0, 1, 2},
     "T0 and T1 both wrote x and y, but x shows what T0 wrote first (the list x=[1,2]) and y what T1 wrote "
     "first (the list y=[2,1]): their writes were mixed."},
    {"aborted-read",
     "a: w(x,1)!\nb: r(x,1)\nz: w(q,1)",
     read_committed,
     {0, 1},
     "transaction 1 of session b read 1 of key x, but that was written by transaction 0 of session a "
     "(w(x)=1), which "
     "aborted."},
    {"intermediate-read",
     "a: w(x,1) w(x,2)\nb: r(x,1)\nz: w(q,1)",
     read_committed,
     {0, 1},
     "transaction 1 of session b read 1 of key x, but transaction 0 of session a overwrote that (w(x)=1) "
     "itself before "
     "it committed: nobody else may see it."},
    {"thin-air-read",
     "a: w(x,1)\nb: r(x,7)",
     read_committed,
     {1},
     "transaction 1 of session b read 7 of key x, but nobody ever wrote that."},
    {"internal-inconsistency",
     "a: w(x,1) r(x,2)\nb: w(x,2)",
     read_committed,
     {0},
     "transaction 0 of session a read 2 of key x, although it had itself done w(x)=1 before and should have "
     "seen that."},
    {"future-read",
     "a: r(x,1) w(x,1)\nb: w(y,2)",
     read_committed,
     {0},
     "transaction 0 of session a read 1 of key x, which only this transaction itself writes, and only "
     "later."},
    {"incompatible-order",
     "a: a(x,1)\nb: a(x,2)\nc: l(x,[1,2])\nd: l(x,[2,1])",
     read_committed,
     {0, 1, 2, 3},
     "transaction 3 of session d saw r(x)=[2,1], but transaction 2 of session c saw r(x)=[1,2]: no list can "
     "have been "
     "both."},
    {"circular-information-flow",
     "a: r(x,1) w(y,1)\nb: r(y,1) w(x,1)\nz: w(q,1)",
     serializable,
     {0, 1},
     "T0 read x=1 written by T1, and T1 read y=1 written by T0: each saw what the other wrote."},
    {"non-repeatable-read",
     "a: w(x,1)\nb: r(x,0) r(x,1)\nz: w(q,1)",
     repeatable_read,
     {0, 1},
     "T1 read x twice and saw two versions: first the initial x, then x=1 written by T0."},
    {"read-your-writes-violation",
     "a: w(x,1) | r(x,0)\nz: w(q,1)",
     causal,
     {0, 1},
     "T1 read the initial x, although T0 had overwritten it and comes before T1."},
    {"monotonic-reads-violation",
     "a: w(x,1)\nb: r(x,1) | r(x,0)\nz: w(q,1)",
     causal,
     {0, 1, 2},
     "T2 read the initial x, although T0 had overwritten it and comes before T2."},
    {"monotonic-writes-violation",
     "a: w(x,1) | w(y,1)\nb: r(y,1) r(x,0)\nz: w(q,1)",
     causal,
     {0, 1, 2},
     "T2 read the initial x, although T0 had overwritten it and comes before T2."},
    {"writes-follow-reads-violation",
     "a: w(x,1)\nb: r(x,1) | w(y,1)\nc: r(y,1) r(x,0)\nz: w(q,1)",
     causal,
     {0, 1, 2, 3},
     "T3 read the initial x, although T0 had overwritten it and comes before T3."},
    {"causality-violation",
     "a: w(x,1)\nb: r(x,1) w(y,1)\nc: r(y,1) r(x,0)\nz: w(q,1)",
     causal,
     {0, 1, 2},
     "T2 read the initial x, although T0 had overwritten it and comes before T2."},
    {"fractured-read",
     "a: w(x,1) w(y,1)\nb: r(y,0) r(x,1)\nz: w(q,1)",
     serializable,
     {0, 1},
     "T1 saw what T0 wrote to x (x=1) but not what it wrote to y: it read the initial y."},
    {"read-skew",
     "a: a(x,1) a(y,1)\nb: a(y,2) w(u,1)\nc: l(y,[1,2])\nd: l(x,[]) r(u,1)\nz: w(q,1)",
     snapshot_isolation,
     {0, 1, 2, 3},
     "T3 read the list x=[], although T0 had overwritten it and comes before T3."},
    {"long-fork",
     "a: w(x,1)\nb: w(y,1)\nc: r(x,1) r(y,0)\nd: r(y,1) r(x,0)\nz: w(q,1)",
     snapshot_isolation,
     {0, 1, 2, 3},
     "T2 saw what T0 wrote (x=1) but not what T1 wrote (it read the initial y); T3 saw what T1 wrote (y=1) "
     "but not what T0 wrote (it read the initial x): they saw the two writes in opposite orders."},
    {"lost-update",
     "a: w(x,4)\nb: r(x,4) w(x,5)\nc: r(x,4) w(x,6)\nz: w(q,1)",
     snapshot_isolation,
     {0, 1, 2},
     "T1 and T2 both read x=4 written by T0 and both overwrote it: one update is lost."},
    {"write-skew",
     "a: r(x,0) r(y,0) w(x,1)\nb: r(x,0) r(y,0) w(y,1)\nz: w(q,1)",
     serializable,
     {0, 1},
     "T0 read the initial y, which T1 overwrote, and T1 read the initial x, which T0 overwrote: neither saw "
     "what the "
     "other did."},
    {"anti-dependency-cycle",
     "a: r(x,0) w(y,1)\nb: r(y,0) w(z,1)\nc: r(z,0) w(x,1)\nz: w(q,1)",
     serializable,
     {0, 1, 2},
     "T1 comes before T0: T1 read the initial value of key y, and T0 wrote that key."},
    {"phantom",
     "a: i(m,1)\nb: g(a..p,[]) g(a..p,[m=1])\nz: w(q,1)",
     read_atomic,
     {0, 1},
     "T1 asked for all rows between a and p and did not see row m, which T0 inserted, although T0 comes "
     "before "
     "it by what it saw otherwise."},
    {"predicate-write-skew",
     "a: p(value >= 5 and value < 9,[]) i(m,6)\nb: p(value >= 5 and value < 9,[]) i(n,7)\nz: w(q,1)",
     serializable,
     {0, 1},
     "T0 asked for all rows where \"value >= 5 and value < 9\" and did not see row n, which T1 inserted; T1 "
     "asked for all rows where \"value >= 5 and value < 9\" and did not see row m, which T0 inserted: each "
     "missed what another did."},
    {"stale-read",
     "a: @0-10 w(x,1)\nb: @20-30 r(x,0)\nz: @0-90 w(q,1)",
     strict_serializable,
     {0, 1},
     "T1 read the initial x, although T0 had overwritten it and comes before T1."},
};

Story told(const Conformance& c, const History& h) {
  const std::array<Level, 1> levels{c.level};
  const auto outcomes = check::check(h, levels);
  EXPECT_EQ(outcomes[0].verdict, check::Verdict::violated) << c.name;
  return tell(h, outcomes[0], {});
}

TEST(Anomaly, IsCalledByItsName) {
  for (const Conformance& c : kCases) {
    const History h = draw(c.history);
    const Story story = told(c, h);
    EXPECT_EQ(evidence::info(story.counterexample.anomaly).name, c.name);
    std::vector<std::uint32_t> numbers;
    for (const Txn t : story.counterexample.transactions) numbers.push_back(index(t));
    EXPECT_EQ(numbers, c.transactions) << c.name;
    ASSERT_FALSE(story.sentences.empty()) << c.name;
    EXPECT_EQ(story.sentences[0], c.sentence) << c.name;
    EXPECT_NE(story.consequence, "") << c.name;
  }
}

// The table says which levels forbid an anomaly; the checkers agree.
TEST(Anomaly, IsForbiddenByTheLevelsOfItsRow) {
  for (const Conformance& c : kCases) {
    const History h = draw(c.history);
    const std::vector<Level> forbidden = evidence::levels_that_forbid(told(c, h).counterexample.anomaly);
    EXPECT_NE(std::find(forbidden.begin(), forbidden.end(), c.level), forbidden.end()) << c.name;
    for (const auto& outcome : check::check(h, forbidden)) {
      if (info(outcome.level).real_time && !h.has_times()) continue;
      EXPECT_EQ(outcome.verdict, check::Verdict::violated) << c.name << " at " << info(outcome.level).name;
    }
  }
}

TEST(Anomaly, EveryNameHasACase) {
  for (const evidence::AnomalyInfo& row : evidence::anomalies()) {
    if (row.anomaly == Anomaly::unnamed_cycle) continue;
    EXPECT_TRUE(std::any_of(std::begin(kCases), std::end(kCases), [&](const Conformance& c) {
      return c.name == row.name;
    })) << row.name;
    EXPECT_EQ(&evidence::info(row.anomaly), &row);
  }
}

}  // namespace
}  // namespace assay::report
