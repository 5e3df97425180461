// A recorder that is killed leaves a file that accuses nobody, and a database that breaks its promise in the
// middle of a run is found out. The long version of both is bench/watch/chaos.py.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "format/format.hpp"
#include "support/running.hpp"

namespace assay::testing {
namespace {

namespace fs = std::filesystem;

TEST(RecordKilled, LeavesAFileWithoutReadersOfWhatIsMissing) {
  std::mt19937_64 random(std::random_device{}());
  for (int i = 0; i < 3; ++i) {
    const TemporaryFolder folder;
    const std::string file = folder.file("history");
    RunningAssay recorder({"record", "memory:serializable", "--workload", "general", "--keys", "50",
                           "--sessions", "8", "--duration", "600", "--fence-every", "20", "-o", file, "-q"});
    // Until a block is there, and for a while.
    ASSERT_TRUE(eventually([&] { return fs::exists(file) && fs::file_size(file) > 10'000; }))
        << recorder.err();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 600'000));
    recorder.signal(SIGKILL);
    EXPECT_EQ(recorder.wait(), -1);

    format::ReadOptions cut_off;
    cut_off.accept_truncated = true;
    const std::uint32_t recorded = format::read_history(file, cut_off).transactions();
    const Ran ran = run_assay({"watch", file, "--until-end", "--json-lines"});
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    const std::size_t last = ran.out.rfind("{\"event\":\"end\"");
    ASSERT_NE(last, std::string::npos) << ran.out;
    const nlohmann::json end = nlohmann::json::parse(ran.out.substr(last));
    EXPECT_EQ(end["transactions"], recorded);
    EXPECT_EQ(end["waiting"], 0);
  }
}

TEST(RecordKilled, APromiseBrokenInTheMiddleIsFound) {
  const TemporaryFolder folder;
  const std::string file = folder.file("history"), pages = folder.file("pages");
  for (const bool broken : {false, true}) {
    const std::string after = broken ? "1000" : "1000000";
    const Ran recorded = run_assay({"record", "memory:serializable?fault=lost-update&after=" + after,
                                    "--workload", "general", "--keys", "100", "--sessions", "4",
                                    "--transactions", "2000", "--fence-every", "20", "-o", file, "-q"});
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
    const Ran ran = run_assay({"watch", file, "--until-end", "--stop", "--report-dir", pages});
    EXPECT_EQ(ran.exit_code, broken ? 1 : 0) << ran.out << ran.err;
  }
}

}  // namespace
}  // namespace assay::testing
