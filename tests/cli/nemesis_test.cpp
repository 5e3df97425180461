// assay run --nemesis: every fault is noted in the history, told in the text and shown in the report.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "database/server/start.hpp"
#include "format/format.hpp"
#include "support/program.hpp"

namespace assay::testing {
namespace {

struct Strike {
  std::string fault, told;
};

class EveryNemesis : public ::testing::TestWithParam<Strike> {};

TEST_P(EveryNemesis, IsNotedToldAndShown) {
  if (const auto missing = database::missing_for_server("redis")) GTEST_SKIP() << *missing;
  const TemporaryFolder folder;
  const Strike& strike = GetParam();
  // The first strike comes within a second.
  const Ran ran = run_assay({"run", "--server", "redis", "--nemesis", strike.fault, "--workload", "bank",
                             "--duration", "2", "--rate", "300", "--seed", "1", "--report",
                             folder.file("report.html"), "-o", folder.file("h")});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find(strike.told), std::string::npos) << ran.out;

  const History history = format::read_history(folder.file("h"));
  std::string noted;
  for (const std::string& note : history.notes()) {
    if (note.starts_with("fault, ") && note.find(strike.told) != std::string::npos) noted = note;
  }
  ASSERT_FALSE(noted.empty()) << ran.out;
  EXPECT_EQ(history.clocks() == Clocks::several, strike.fault == "clock");

  std::ostringstream page;
  page << std::ifstream(folder.file("report.html")).rdbuf();
  EXPECT_NE(page.str().find(noted.substr(0, noted.find('\''))), std::string::npos) << noted;
}

INSTANTIATE_TEST_SUITE_P(Faults, EveryNemesis,
                         ::testing::Values(Strike{"kill", "the server was killed and restarted"},
                                           Strike{"pause", "the server stood still"},
                                           Strike{"reset", "all connections were reset"},
                                           Strike{"slow", "the network took"},
                                           Strike{"stall", "the network stalled"},
                                           Strike{"clock", "the clients' clock was"}),
                         [](const auto& strike) { return strike.param.fault; });

// What the clients of a killed server cannot know is left open, and the rest is what PostgreSQL promised.
TEST(Nemesis, StrikesPostgresToo) {
  if (const auto missing = database::missing_for_server("postgres")) GTEST_SKIP() << *missing;
  const TemporaryFolder folder;
  const Ran ran = run_assay({"run", "--server", "postgres?connect_timeout=3", "--nemesis", "kill,reset",
                             "--workload", "bank", "--duration", "4", "--seed", "9", "--report",
                             folder.file("report.html"), "-o", folder.file("h")});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("the server was killed and restarted"), std::string::npos) << ran.out;
}

// Whoever reads from a replica that hears nothing of the first server sees what was there before.
TEST(Nemesis, APartitionBetweenPostgresAndItsReplicasShowsStaleReads) {
  if (const auto missing = database::missing_for_server("postgres:3")) GTEST_SKIP() << *missing;
  const TemporaryFolder folder;
  const Ran ran = run_assay({"run",
                             "--server",
                             "postgres:3",
                             "--nemesis",
                             "partition",
                             "--workload",
                             "bank",
                             "--sessions",
                             "6",
                             "--reads",
                             "0.5",
                             "--rate",
                             "300",
                             "--duration",
                             "4",
                             "--level",
                             "causal,strong-snapshot-isolation",
                             "--report",
                             folder.file("report.html"),
                             "-o",
                             folder.file("h")});
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("was cut off from the others"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("causal                     holds"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Stale read"), std::string::npos) << ran.out;
}

TEST(Nemesis, APartitionNeedsSeveralNodes) {
  if (const auto missing = database::missing_for_server("redis")) GTEST_SKIP() << *missing;
  const TemporaryFolder folder;
  const Ran refused = run_assay({"run", "--server", "redis", "--nemesis", "partition", "-o", folder.file("h"),
                                 "--report", folder.file("r")});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("postgres:3"), std::string::npos) << refused.err;
}

TEST(Nemesis, OptionsBehindTheServerReachItsClients) {
  if (const auto missing = database::missing_for_server("redis")) GTEST_SKIP() << *missing;
  const TemporaryFolder folder;
  const Ran refused = run_assay({"run", "--server", "redis?nonsense=1", "--duration", "1", "-o",
                                 folder.file("h"), "--report", folder.file("r")});
  EXPECT_EQ(refused.exit_code, 3) << refused.out;
  EXPECT_NE(refused.err.find("nonsense"), std::string::npos) << refused.err;
}

TEST(Nemesis, NeedsAServerOfOurOwn) {
  const TemporaryFolder folder;
  const Ran refused =
      run_assay({"run", "--nemesis", "kill", "-o", folder.file("h"), "--report", folder.file("r")});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("--server"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace assay::testing
