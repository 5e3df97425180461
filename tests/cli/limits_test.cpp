// Limits as a contract: whatever the history, a check that was given a limit ends undecided with a code and a
// sentence of its own. How fast it does is measured elsewhere (docs/benchmarks.md).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace assay::testing {
namespace {

// Fifteen pigeons and fourteen holes as a history (see bench/hard): resolution has no short proof.
class OnAHardHistory : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const Ran made =
        run_shell(std::string(ASSAY_HARD) + " --kind pigeonhole --transactions 10000 -o " + path_);
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("hard");
};

TEST_P(OnAHardHistory, TheTimeLimitEndsTheSearch) {
  const Ran ran = run_assay({"check", path_, "--level", GetParam(), "--timeout", "1"});
  EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("undecided: the time limit was reached"), std::string::npos) << ran.out;
}

TEST_P(OnAHardHistory, TheMemoryLimitEndsTheSearch) {
  const Ran ran = run_assay({"check", path_, "--level", GetParam(), "--memory", "1"});
  EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("undecided: the memory limit of 1 MB"), std::string::npos) << ran.out;
}

// Reading does not ask for limits; they hold all the same.
TEST(Limits, MemoryEndsReading) {
  const TemporaryFolder folder;
  const std::string path = folder.file("long");
  const Ran made = run_assay({"generate", "-o", path, "--to", "jsonl", "--transactions", "100000"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Ran ran = run_assay({"check", path, "--level", "serializable,causal", "--memory", "20"});
  EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
  for (const char* level : {"serializable", "causal      "}) {
    const std::string line = std::string(level) + "  undecided: the memory limit of 20 MB was reached\n";
    EXPECT_NE(ran.out.find(line), std::string::npos) << ran.out;
  }
  EXPECT_EQ(run_assay({"check", path, "--level", "rc", "--quiet"}).exit_code, 0)
      << "without a limit it is decided";
}

TEST(Limits, TimeEndsWaitingForAnInputThatNeverEnds) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  // Open for both ways: a reader waits, and there is no end of file.
  const Ran ran = run_shell("mkfifo " + pipe + " && $ASSAY check - --timeout 0.1 --json <> " + pipe);
  EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
  const nlohmann::json report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["results"][0]["verdict"], "undecided");
  EXPECT_EQ(report["results"][0]["reason"], "the time limit was reached") << ran.out;
}

INSTANTIATE_TEST_SUITE_P(StrongLevels, OnAHardHistory,
                         ::testing::Values("prefix", "snapshot-isolation", "serializable"),
                         [](const auto& level) {
                           std::string name = level.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace assay::testing
