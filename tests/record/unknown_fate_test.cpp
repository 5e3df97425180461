// A connection that is lost while the client waits for the answer to its commit.
#include <gtest/gtest.h>

#include <atomic>

#include "check/check.hpp"
#include "database/fault/proxy.hpp"
#include "database/server/start.hpp"
#include "format/format.hpp"
#include "record/run.hpp"
#include "record/workload/workloads.hpp"
#include "support/program.hpp"

namespace assay::record {
namespace {

TEST(UnknownFate, IsRecordedAsUnknownAndDoesNotAccuseTheDatabase) {
  if (const auto missing = database::missing_for_server("redis")) GTEST_SKIP() << *missing;
  const auto server = database::start_server("redis");
  database::Proxy proxy(server->endpoints().front());
  const auto store = database::open_store(server->url({proxy.endpoint()}));
  store->prepare();
  const auto workload = find_workload("bank")->make({});

  const testing::TemporaryFolder folder;
  RunOptions options;
  options.sessions = 8;
  options.level = store->modes().front().asked;
  options.duration = std::chrono::seconds(60);  // a guard: it stops at the first unknown fate
  Recorder recorder(folder.file("h"), options.sessions);
  std::atomic<bool> stop = false;
  const RunControl watch{stop,
                         [&](const RunCounts& counts, double) {
                           if (counts.unknown > 0) stop = true;
                           proxy.reset_all();
                         },
                         {},
                         {}};
  const RunResult result = run(*store, *workload, options, &recorder, watch);
  recorder.finish();
  ASSERT_GT(result.counts.unknown, 0U);

  const History history = format::read_history(folder.file("h"));
  std::uint32_t unknown = 0;
  for (const Txn t : history.all_transactions()) unknown += history.status(t) == Status::unknown ? 1 : 0;
  EXPECT_EQ(unknown, result.counts.unknown);
  const Level level = Level::serializable;
  EXPECT_EQ(check::check(history, std::span(&level, 1)).front().verdict, check::Verdict::holds);
}

}  // namespace
}  // namespace assay::record
