// assay run and assay record, as a user starts and interrupts them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/json_schema.hpp"
#include "support/program.hpp"

namespace assay::testing {
namespace {

using Json = nlohmann::json;

TEST(RunCommand, TestsSqliteByDefault) {
  const TemporaryFolder folder;
  const Ran ran = run_assay({"run", "--transactions", "200", "--users", "20", "--sessions", "3", "--report",
                             folder.file("report.html"), "-o", folder.file("h")});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("SQLite"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("commits per second"), std::string::npos);
  EXPECT_NE(ran.out.find("99 %"), std::string::npos);
  EXPECT_NE(ran.out.find(folder.file("report.html")), std::string::npos);
  EXPECT_NE(ran.out.find("holds"), std::string::npos);
  EXPECT_EQ(run_assay({"check", folder.file("h"), "--level", "strict-serializable"}).exit_code, 0);
}

TEST(RunCommand, FindsABrokenStoreAndSaysSoInJson) {
  const TemporaryFolder folder;
  const Ran ran = run_assay({"run", "memory:serializable?fault=lost-update", "--workload", "bank",
                             "--accounts", "4", "--transactions", "2000", "--json", "--report",
                             folder.file("report.html"), "-o", folder.file("h")});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  const Json object = Json::parse(ran.out);
  std::ifstream schema(std::string(ASSAY_SOURCE_DIR) + "/docs/json-schema.json");
  for (const std::string& error : schema_errors(Json::parse(schema), object)) ADD_FAILURE() << error;
  EXPECT_EQ(object["results"][0]["verdict"], "violated");
  EXPECT_EQ(object["run"]["workload"], "bank");
  EXPECT_GT(object["run"]["commits_per_second"], 0);
}

TEST(RunCommand, SaysWhatItDoesNotKnow) {
  const TemporaryFolder folder;
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"run", "-o", folder.file("h"), "--report", folder.file("r")};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = run_assay(all);
    EXPECT_EQ(ran.exit_code, 3) << ran.out;
    return ran.err;
  };
  EXPECT_NE(run({"--workload", "tpc"}).find("did you mean 'tpcc'"), std::string::npos);
  EXPECT_NE(run({"nosuch:thing"}).find("nosuch"), std::string::npos);
  EXPECT_NE(run({"memory:serializable", "--isolation", "causal"}).find("serializable"), std::string::npos);
}

// The last block may be cut; what came before it is whole, and holds.
TEST(RecordCommand, ACrashLeavesAReadableFile) {
  const TemporaryFolder folder;
  const std::string h = folder.file("h");
  const Ran ran =
      run_shell("$ASSAY record memory:serializable --workload bank --duration 3600 -o " + h + " & pid=$!; " +
                "while [ ! -s " + h + " ] || [ $(stat -c %s " + h + ") -lt 20000 ]; do " +
                "kill -0 $pid || exit 9; sleep 0.05; done; kill -9 $pid; wait $pid; " + "$ASSAY check " + h +
                "; [ $? -eq 3 ] || exit 8; $ASSAY check --truncated " + h);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("cut off"), std::string::npos) << ran.out;
}

TEST(RunCommand, InterruptedItStillChecksWhatItRecorded) {
  const TemporaryFolder folder;
  const std::string h = folder.file("h");
  const Ran ran =
      run_shell("$ASSAY run memory:serializable --workload bank --duration 3600 -o " + h + " --report " +
                folder.file("r.html") + " & pid=$!; while [ ! -s " + h + " ] || [ $(stat -c %s " + h +
                ") -lt 20000 ]; do kill -0 $pid || exit 9; sleep 0.05; done; kill -TERM $pid; wait $pid");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("stopped early"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("holds"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace assay::testing
