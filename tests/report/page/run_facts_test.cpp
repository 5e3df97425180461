// What the page says of the run itself: where it comes from, how hard the level was tried, how fast it went.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "history/builder.hpp"
#include "report/page/bad_read_counts.hpp"
#include "report/page/contention.hpp"
#include "report/page/provenance.hpp"
#include "report/page/throughput.hpp"
#include "system/random.hpp"

namespace assay::report {
namespace {

History noted(const std::vector<std::string>& notes) {
  HistoryBuilder build;
  for (const std::string& note : notes) build.note(note);
  return build.finish();
}

TEST(Provenance, IsReadOffTheRecordersNote) {
  const auto found = provenance_of(noted({"an assumption",
                                          "recorded by assay 0.1.0 on PostgreSQL 15.5 at REPEATABLE READ: "
                                          "workload bank, 8 sessions, seed 3, begun "
                                          "2026-01-02T03:04:05.000000006Z",
                                          "fault, 1.00 s to 2.00 s after the start: the server was killed"}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->store, "PostgreSQL 15.5");
  EXPECT_EQ(found->isolation, "REPEATABLE READ");
  EXPECT_EQ(found->workload, "bank");
  EXPECT_EQ(found->sessions, "8");
  EXPECT_EQ(found->seed, "3");
  EXPECT_EQ(found->begun, "2026-01-02T03:04:05.000000006Z");
  ASSERT_EQ(found->faults.size(), 1U);
  EXPECT_EQ(found->faults[0].text, "1.00 s to 2.00 s after the start: the server was killed");
  EXPECT_EQ(found->faults[0].from, 1.0);
  EXPECT_EQ(found->faults[0].to, 2.0);
}

TEST(Provenance, OtherNotesAreNone) {
  for (const char* note :
       {"", "recorded by", "recorded by hand on paper", "recorded by x on y: workload z",
        "recorded by x on y at z: workload w", "recorded by x on y at z: workload w, 1 sessions"})
    EXPECT_FALSE(provenance_of(noted({note}))) << note;
}

struct Timed {
  int session;
  std::int64_t start, end;
  std::vector<int> reads, writes;
};

History timed(const std::vector<Timed>& transactions) {
  HistoryBuilder build;
  int value = 0;
  for (const Timed& t : transactions) {
    build.begin(build.session(Atom::integer(t.session)), Atom::integer(++value));
    for (const int key : t.reads) build.read_initial(Atom::integer(key));
    for (const int key : t.writes) build.write(Atom::integer(key), Atom::integer(value));
    build.end(Status::committed, t.start, t.end);
  }
  return build.finish();
}

TEST(Contention, CountsWhoBeganWhileAConflictingOneRan) {
  // The second meets the first; the third only reads what the first reads; the fourth comes after all.
  const auto found = contention_of(
      timed({{1, 0, 10, {7}, {1}}, {2, 5, 8, {1}, {}}, {3, 6, 9, {7}, {}}, {2, 20, 30, {}, {1}}}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->transactions, 4U);
  EXPECT_EQ(found->met, 1U);
  EXPECT_FALSE(contention_of(noted({})));
}

TEST(Contention, AgreesWithThePairsOneByOne) {
  system::Random random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<Timed> all;
    for (int i = 0; i < 8; ++i) {
      const auto start = static_cast<std::int64_t>(random.below(20U));
      Timed t{static_cast<int>(random.below(3U)),
              start,
              start + static_cast<std::int64_t>(random.below(8U)),
              {},
              {}};
      (random.below(2U) == 0 ? t.reads : t.writes).push_back(static_cast<int>(random.below(3U)));
      if (random.below(2U) == 0) t.reads.push_back(static_cast<int>(random.below(3U)));
      all.push_back(t);
    }
    const History history = timed(all);
    // In the order in which the history has them, which is that of sessions.
    const auto conflict = [&](Txn a, Txn b) {
      for (const Op one : history.operations_of(a)) {
        for (const Op other : history.operations_of(b)) {
          if (history.key(one) == history.key(other) &&
              (writes(history.kind(one)) || writes(history.kind(other))))
            return true;
        }
      }
      return false;
    };
    std::uint32_t met = 0;
    for (const Txn t : history.all_transactions()) {
      bool any = false;
      for (const Txn o : history.all_transactions()) {
        const auto before = std::pair(*history.start(o), index(o)) < std::pair(*history.start(t), index(t));
        any = any || (before && history.session_of(o) != history.session_of(t) &&
                      *history.end(o) >= *history.start(t) && conflict(o, t));
      }
      met += any ? 1 : 0;
    }
    EXPECT_EQ(contention_of(history)->met, met) << "round " << round;
  }
}

TEST(Throughput, CountsCommitsWhereTheyEndAndKeepsTheSlowest) {
  const auto found = throughput_of(timed({{1, 0, 1'000'000'000, {1}, {}},
                                          {2, 3'000'000'000, 4'000'000'000, {1}, {}},
                                          {3, 500'000'000, 3'900'000'000, {1}, {}}}),
                                   4);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->piece_seconds, 1);
  EXPECT_EQ(found->commits, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_DOUBLE_EQ(found->slowest[3], 3.4);
  EXPECT_FALSE(throughput_of(timed({{1, 5, 5, {1}, {}}}), 4)) << "one moment is no time";
}

TEST(BadReadCounts, GroupTheMostFrequentAndCountTheOthers) {
  HistoryBuilder build;
  std::vector<check::BadRead> reads;
  for (std::uint32_t i = 0; i < 12; ++i) {
    build.begin(build.session(Atom::integer(0)), Atom::integer(i));
    build.read(Atom::integer(i < 4 ? 0 : i), Atom::integer(i));
    build.end(Status::committed, i * 10, i * 10 + 5);
    reads.push_back({check::BadRead::Kind::thin_air, Txn{i}, Op{i}, Op{i}});
  }
  const History history = build.finish();
  const nlohmann::ordered_json found = bad_read_counts(history, reads, {.pieces = 5, .groups = 3});
  EXPECT_EQ(found["total"], 12);
  EXPECT_EQ(found["kinds"]["shown"].dump(), R"([{"name":"thin-air-read","count":12}])");
  EXPECT_EQ(found["keys"]["shown"][0].dump(), R"({"name":"0","count":4})");
  EXPECT_EQ(found["keys"]["shown"].size(), 3U);
  EXPECT_EQ(found["keys"]["inAll"], 9);
  EXPECT_EQ(found["sessions"]["inAll"], 1);
  EXPECT_EQ(found["over"]["counts"].dump(), "[2,3,2,2,3]");
}

}  // namespace
}  // namespace assay::report
