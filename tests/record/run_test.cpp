// Every workload on stores that keep their word, and on one that does not.
#include "record/run.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "check/check.hpp"
#include "format/format.hpp"
#include "record/workload/workloads.hpp"
#include "support/program.hpp"

namespace assay::record {
namespace {

using check::Verdict;
using testing::TemporaryFolder;

WorkloadOptions tiny() {
  WorkloadOptions shape;
  shape.keys = 20;
  shape.users = 10;
  shape.items = 20;
  shape.customers = 10;
  shape.accounts = 5;
  return shape;
}

struct Recorded {
  History history;
  RunResult result;
};

Recorded record(const std::string& url, std::string_view workload_name, const RunOptions& wanted) {
  const TemporaryFolder folder;
  const auto store = database::open_store(url == "sqlite:" ? url + folder.file("database") : url);
  const auto workload = find_workload(workload_name)->make(tiny());
  RunOptions options = wanted;
  options.level = store->modes().front().asked;
  store->prepare();
  Recorder recorder(folder.file("h"), options.sessions);
  std::atomic<bool> stop = false;
  const RunControl watch{stop, {}, {}, {}};
  RunResult result = run(*store, *workload, options, &recorder, watch);
  recorder.finish();
  return {format::read_history(folder.file("h")), std::move(result)};
}

Verdict verdict(const History& history, Level level) {
  check::Options limits;
  limits.timeout_seconds = 60;
  return check::check(history, std::span(&level, 1), limits).front().verdict;
}

// Kinds and keys of what a session did in its last transactions, one text each. Before them it waited, as
// often as it had to, until it saw the loaded rows.
std::vector<std::string> told(const History& history, const std::string& session, std::size_t last) {
  std::vector<std::string> out;
  for (const Txn t : history.all_transactions()) {
    if (to_string(history.name(history.session_of(t))) != session) continue;
    std::string text;
    for (const Op op : history.operations_of(t)) {
      if (is_query(history.kind(op))) continue;
      const Key key = history.kind(op) == OpKind::list_read ? history.list(op).key : history.key(op);
      text += std::to_string(static_cast<int>(history.kind(op))) + to_string(history.name(key)) + " ";
    }
    out.push_back(text);
  }
  if (out.size() > last) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(last));
  return out;
}

class EveryWorkload : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(EveryWorkload, HoldsOnAStoreThatKeepsItsWord) {
  const auto& [url, name] = GetParam();
  RunOptions options;
  options.sessions = 3;
  options.transactions = 100;
  options.fence_every = 10;
  const Recorded recorded = record(url, name, options);
  EXPECT_EQ(recorded.result.counts.ended(), 100U);
  EXPECT_GT(recorded.result.counts.committed, 0U);
  EXPECT_EQ(recorded.history.sessions(), 3U);
  EXPECT_TRUE(recorded.history.has_times());
  EXPECT_EQ(verdict(recorded.history, Level::serializable), Verdict::holds);
  EXPECT_EQ(verdict(recorded.history, Level::strict_serializable), Verdict::holds);
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const WorkloadInfo& workload : workloads()) names.emplace_back(workload.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Stores, EveryWorkload,
                         ::testing::Combine(::testing::Values("memory:strict-serializable", "sqlite:"),
                                            ::testing::ValuesIn(workload_names())),
                         [](const auto& row) {
                           std::string name = std::get<0>(row.param) + std::get<1>(row.param);
                           std::erase_if(name,
                                         [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
                           return name;
                         });

TEST(Run, ASeedGivesTheSamePlansWhateverOthersDo) {
  RunOptions options;
  options.sessions = 1;
  options.transactions = 30;
  const auto alone = told(record("memory:serializable", "blindw-rw", options).history, "1", 30);
  options.sessions = 3;
  options.transactions = 90;
  const auto among_others = told(record("memory:serializable", "blindw-rw", options).history, "1", 30);
  // Aborted attempts may be cut short; the others are as planned.
  ASSERT_EQ(alone.size(), among_others.size());
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i].find(among_others[i]), 0U);
  options.seed = 2;
  EXPECT_NE(told(record("memory:serializable", "blindw-rw", options).history, "1", 30), among_others);
}

TEST(Run, FindsThatAStoreLosesUpdates) {
  RunOptions options;
  options.sessions = 4;
  options.transactions = 2000;
  const Recorded recorded = record("memory:serializable?fault=lost-update", "bank", options);
  EXPECT_EQ(verdict(recorded.history, Level::serializable), Verdict::violated);
}

TEST(Run, StopsWhenAsked) {
  const auto store = database::open_store("memory:serializable");
  const auto workload = find_workload("bank")->make(tiny());
  store->prepare();
  std::atomic<bool> stop = false;
  RunOptions options;
  options.sessions = 2;
  options.duration = std::chrono::hours(1);
  const RunControl watch{stop, [&](const RunCounts& counts, double) { stop = counts.committed > 0; }, {}, {}};
  const RunResult result = run(*store, *workload, options, nullptr, watch);
  EXPECT_TRUE(result.stopped);
  EXPECT_GT(result.latencies.count(), 0U);
}

TEST(Run, AtARateEveryTransactionComesInItsTurn) {
  RunOptions options;
  options.sessions = 2;
  options.rate = 10'000;
  options.transactions = 21;
  const Recorded recorded = record("memory:serializable", "bank", options);
  EXPECT_EQ(recorded.result.counts.ended(), 21U);
  EXPECT_EQ(recorded.result.latencies.count(), recorded.result.counts.committed);
}

}  // namespace
}  // namespace assay::record
