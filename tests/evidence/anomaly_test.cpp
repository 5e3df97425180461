// One history per anomaly that has a name: the level that it breaks, the name, the transactions that matter,
// and the sentence that a person is told. Others that happen to be there must not get into the story.
#include "level/anomaly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "check/check.hpp"
#include "evidence/explain.hpp"
#include "report/story.hpp"
#include "support/random/draw.hpp"

namespace assay::evidence {
namespace {

using enum Level;

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
     "T2 read [1,2] of key x, with the 1 that T0 appended before the 2 that T1 did, but T2 read [2,1] of key "
     "y, with the 2 that T1 appended before the 1 that T0 did: their writes were mixed."},
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
     "transaction 3 of session d read [2,1] of key x, but transaction 2 of session c read [1,2] of that key: "
     "no list can have been both."},
    {"circular-information-flow",
     "a: r(x,1) w(y,1)\nb: r(y,1) w(x,1)\nz: w(q,1)",
     serializable,
     {0, 1},
     "T0 read 1 of key x, which T1 wrote, and T1 read 1 of key y, which T0 wrote: each saw what the other "
     "wrote."},
    {"non-repeatable-read",
     "a: w(x,1)\nb: r(x,0) r(x,1)\nz: w(q,1)",
     repeatable_read,
     {0, 1},
     "T1 read key x twice and saw two versions: first the initial value, then 1."},
    {"read-your-writes-violation",
     "a: w(x,1) | r(x,0)\nz: w(q,1)",
     causal,
     {0, 1},
     "T1 read the initial value of key x, which T0 overwrote, although T0 comes before T1."},
    {"monotonic-reads-violation",
     "a: w(x,1)\nb: r(x,1) | r(x,0)\nz: w(q,1)",
     causal,
     {0, 1, 2},
     "T2 read the initial value of key x, which T0 overwrote, although T0 comes before T2."},
    {"monotonic-writes-violation",
     "a: w(x,1) | w(y,1)\nb: r(y,1) r(x,0)\nz: w(q,1)",
     causal,
     {0, 1, 2},
     "T2 read the initial value of key x, which T0 overwrote, although T0 comes before T2."},
    {"writes-follow-reads-violation",
     "a: w(x,1)\nb: r(x,1) | w(y,1)\nc: r(y,1) r(x,0)\nz: w(q,1)",
     causal,
     {0, 1, 2, 3},
     "T3 read the initial value of key x, which T0 overwrote, although T0 comes before T3."},
    {"causality-violation",
     "a: w(x,1)\nb: r(x,1) w(y,1)\nc: r(y,1) r(x,0)\nz: w(q,1)",
     causal,
     {0, 1, 2},
     "T2 read the initial value of key x, which T0 overwrote, although T0 comes before T2."},
    {"fractured-read",
     "a: w(x,1) w(y,1)\nb: r(y,0) r(x,1)\nz: w(q,1)",
     serializable,
     {0, 1},
     "T1 read 1 of key x, which T0 wrote, but T1 read the initial value of key y, which T0 overwrote: it saw "
     "a part of what T0 did."},
    {"read-skew",
     "a: a(x,1) a(y,1)\nb: a(y,2) w(u,1)\nc: l(y,[1,2])\nd: l(x,[]) r(u,1)\nz: w(q,1)",
     snapshot_isolation,
     {0, 1, 2, 3},
     "T3 read [] of key x, without the 1 that T0 appended, although T0 comes before T3."},
    {"long-fork",
     "a: w(x,1)\nb: w(y,1)\nc: r(x,1) r(y,0)\nd: r(y,1) r(x,0)\nz: w(q,1)",
     snapshot_isolation,
     {0, 1, 2, 3},
     "T2 read the initial value of key y, which T1 overwrote, although T2 comes after T0; T3 read the "
     "initial value of key x, which T0 overwrote, although T3 comes after T1: they saw two writes in "
     "opposite orders."},
    {"lost-update",
     "a: w(x,4)\nb: r(x,4) w(x,5)\nc: r(x,4) w(x,6)\nz: w(q,1)",
     snapshot_isolation,
     {0, 1, 2},
     "T1 and T2 both read 4 of key x and both overwrote it: one update is lost."},
    {"write-skew",
     "a: r(x,0) r(y,0) w(x,1)\nb: r(x,0) r(y,0) w(y,1)\nz: w(q,1)",
     serializable,
     {0, 1},
     "T0 read the initial value of key y, which T1 overwrote, and T1 read the initial value of key x, which "
     "T0 overwrote: neither saw what the other did."},
    {"anti-dependency-cycle",
     "a: r(x,0) w(y,1)\nb: r(y,0) w(z,1)\nc: r(z,0) w(x,1)\nz: w(q,1)",
     serializable,
     {0, 1, 2},
     "T1 read the initial value of key y, which T0 overwrote; T0 read the initial value of key x, which T2 "
     "overwrote; T2 read the initial value of key z, which T1 overwrote: each missed what another did."},
    {"phantom",
     "a: i(m,1)\nb: g(a..p,[]) g(a..p,[m=1])\nz: w(q,1)",
     read_atomic,
     {0, 1},
     "T1 asked for all rows between a and p and did not see row m, which T0 inserted, although T0 comes "
     "before T1."},
    {"predicate-write-skew",
     "a: p(value >= 5 and value < 9,[]) i(m,6)\nb: p(value >= 5 and value < 9,[]) i(n,7)\nz: w(q,1)",
     serializable,
     {0, 1},
     "T0 asked for all rows where \"value >= 5 and value < 9\" and did not see row n, which T1 inserted, and "
     "T1 asked for all rows where \"value >= 5 and value < 9\" and did not see row m, which T0 inserted: "
     "neither saw what the other did."},
    {"duplicate-row",
     "a: i(m,1)\nb: d(m)\nc: w(m,3) g(a..p,[m=1,m=3])\nz: w(q,1)",
     read_atomic,
     {2},
     "transaction 2 of session c asked for all rows between a and p and was returned row m twice: the "
     "version "
     "of its snapshot, 1, and its own, 3."},
    {"dirty-update",
     "a: a(x,1)!\nb: a(x,2)\nc: l(x,[1,2])\nz: w(q,1)",
     read_committed,
     {0, 1, 2},
     "transaction 2 of session c read [1,2] of key x, with the 1 that transaction 0 of session a appended, "
     "which aborted; the 2 that transaction 1 of session b appended stands on it."},
    {"duplicate-elements",
     "a: a(x,1)\nb: l(x,[1,1])\nz: w(q,1)",
     read_committed,
     {0, 1},
     "transaction 1 of session b read [1,1] of key x, with the 1 twice: nobody appended it twice."},
    {"cyclic-versions",
     "a: r(x,2) w(x,1)\nb: r(x,1) w(x,2)\nz: w(q,1)",
     read_committed,
     {0, 1},
     "T1 read 1 of key x, which T0 wrote, but T0 read 2 of key x, which T1 wrote: that is a circle."},
    {"observed-transaction-vanishes",
     "a: w(x,1) w(y,1)\nb: r(x,1) r(y,0)\nz: w(q,1)",
     read_committed,
     {0, 1},
     "T1 read 1 of key x, which T0 wrote, but T1 read the initial value of key y, which T0 overwrote: it saw "
     "a "
     "part of what T0 did."},
    {"single-anti-dependency-cycle",
     "a: a(x,1) a(y,1)\nb: l(y,[]) a(x,2)\nc: l(x,[1,2])\nz: w(q,1)",
     snapshot_isolation,
     {0, 1, 2},
     "T1 read [] of key y, without the 1 that T0 appended, although T0 comes before T1."},
    {"nonadjacent-anti-dependency-cycle",
     "a: a(x,1) a(w,1)\nb: l(y,[]) a(x,2)\nc: a(y,1) a(v,1)\nd: l(w,[]) a(v,2)\ne: l(x,[1,2]) l(v,[1,2])\nz: "
     "w(q,1)",
     snapshot_isolation,
     {0, 1, 2, 3, 4},
     "T1 read [] of key y, without the 1 that T2 appended; T3 read [] of key w, without the 1 that T0 "
     "appended: each missed what another did."},
    {"write-order-against-clock",
     "a: @30-40 a(x,1)\nb: @0-10 a(x,2)\nc: @50-60 l(x,[1,2])\nz: @0-90 w(q,1)",
     strict_serializable,
     {0, 1, 2},
     "T2 read [1,2] of key x, with the 1 that T0 appended before the 2 that T1 did, but T1 had ended before "
     "T0 started, by the clock (10 ns, 30 ns): that is a circle."},
    {"information-flow-against-clock",
     "a: @0-10 r(x,1)\nb: @20-30 w(x,1)\nz: @0-90 w(q,1)",
     strict_serializable,
     {0, 1},
     "T0 read 1 of key x, which T1 wrote, but T0 had ended before T1 started, by the clock (10 ns, 20 ns): "
     "that is a circle."},
    {"long-fork-against-clock",
     "a: @0-90 w(x,1)\nb: @6-12 w(y,1)\nc: @5-25 r(x,1) r(y,0)\nd: @20-30 r(x,0)\nz: @0-90 w(q,1)",
     strong_snapshot_isolation,
     {0, 1, 2, 3},
     "T2 read the initial value of key y, which T1 overwrote; T3 read the initial value of key x, which T0 "
     "overwrote: each missed what another did."},
    {"anti-dependency-cycle-against-clock",
     "a: @0-10 w(x,1)\nb: @5-40 r(x,0) w(y,1)\nc: @20-30 r(y,0)\nz: @0-90 w(q,1)",
     strict_serializable,
     {0, 1, 2},
     "T1 read the initial value of key x, which T0 overwrote; T2 read the initial value of key y, which T1 "
     "overwrote: each missed what another did."},
    {"stale-read",
     "a: @0-10 w(x,1)\nb: @20-30 r(x,0)\nz: @0-90 w(q,1)",
     strict_serializable,
     {0, 1},
     "T1 read the initial value of key x, which T0 overwrote, although T0 comes before T1."},
};

Explanation explained(const Conformance& c, const History& h) {
  const std::array<Level, 1> levels{c.level};
  const auto outcomes = check::check(h, levels);
  EXPECT_EQ(outcomes[0].verdict, check::Verdict::violated) << c.name;
  return explain(h, outcomes[0], {});
}

TEST(Anomaly, IsCalledByItsName) {
  for (const Conformance& c : kCases) {
    const History h = draw(c.history);
    const Explanation found = explained(c, h);
    const report::Story story = report::story_of(h, found);
    EXPECT_EQ(info(found.counterexample.anomaly).name, c.name);
    std::vector<std::uint32_t> numbers;
    for (const Txn t : found.counterexample.transactions) numbers.push_back(index(t));
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
    const std::vector<Level> forbidden = levels_that_forbid(explained(c, h).counterexample.anomaly);
    EXPECT_NE(std::find(forbidden.begin(), forbidden.end(), c.level), forbidden.end()) << c.name;
    for (const auto& outcome : check::check(h, forbidden)) {
      if (info(outcome.level).real_time && !h.has_times()) continue;
      EXPECT_EQ(outcome.verdict, check::Verdict::violated) << c.name << " at " << info(outcome.level).name;
    }
  }
}

TEST(Anomaly, EveryNameHasACase) {
  for (const AnomalyInfo& row : anomalies()) {
    if (row.anomaly == Anomaly::unnamed_cycle) continue;
    EXPECT_TRUE(std::any_of(std::begin(kCases), std::end(kCases), [&](const Conformance& c) {
      return c.name == row.name;
    })) << row.name;
    EXPECT_EQ(&info(row.anomaly), &row);
  }
}

}  // namespace
}  // namespace assay::evidence
