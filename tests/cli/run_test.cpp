// assay run and assay record, as a user starts and interrupts them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "database/server/start.hpp"
#include "database/url.hpp"
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
TEST(RunCommand, ATableOfSomebodyElseIsLeftAlone) {
  const TemporaryFolder folder;
  const std::string query =
      "python3 -c \"import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
      "print(c.execute(sys.argv[2]).fetchall()); c.commit()\" '" +
      folder.file("db") + "' ";
  EXPECT_EQ(run_shell(query + "'CREATE TABLE assay_rows AS SELECT 4711 AS precious'").exit_code, 0);
  const Ran ran = run_assay({"run", "sqlite:" + folder.file("db"), "--transactions", "10", "-o",
                             folder.file("h"), "--report", folder.file("r")});
  EXPECT_EQ(ran.exit_code, 3) << ran.out;
  EXPECT_NE(ran.err.find("the table assay_rows is there, and Assay did not make it"), std::string::npos)
      << ran.err;
  EXPECT_EQ(run_shell(query + "'SELECT precious FROM assay_rows'").out, "[(4711,)]\n");
}

TEST(RunCommand, APasswordIsNeverRepeated) {
  const TemporaryFolder folder;
  const std::string secret = folder.file("secret", "S3cr/et\n");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"run", "mysql://bob:S3cr/et@h"},
           {"run", "mysql://bob:S3cr@127.0.0.1:1/x?nonsense=1"},
           {"run", "sqlite:x", "mysql://bob:S3cr@h/x"},
           {"check", "mysql://bob:S3cr@h/x"},
           {"run", "mysql://bob:S3cr@127.0.0.1:1/x", "--password", "file:" + secret},
           {"run", "mysql://bob@127.0.0.1:1/x", "--password", "file:" + secret},
           {"run", "mysql://bob@127.0.0.1:1/x", "--password", "S3cr/et"}}) {
    const Ran ran = run_assay(arguments);
    EXPECT_EQ(ran.exit_code, 3) << ran.out;
    EXPECT_EQ((ran.out + ran.err).find("S3cr"), std::string::npos) << ran.err;
  }
}

TEST(RunCommand, APasswordComesFromAFileOrTheEnvironment) {
  if (const auto missing = database::missing_for_server("redis")) GTEST_SKIP() << *missing;
  const TemporaryFolder folder;
  const auto server = database::start_server("redis");
  const std::string password = database::StoreUrl(server->url()).password();
  const std::string secret = folder.file("secret", password + "\nnot this\n");
  const std::string record =
      "$ASSAY record redis://127.0.0.1:" + std::to_string(server->endpoints().front().port) +
      " --transactions 20 -o '" + folder.file("h") + "'";
  EXPECT_EQ(run_shell(record).exit_code, 3) << "without it";
  const Ran from_file = run_shell(record + " --password 'file:" + secret + "'");
  EXPECT_EQ(from_file.exit_code, 0) << from_file.err;
  const Ran from_variable = run_shell("PW='" + password + "' " + record + " --password env:PW");
  EXPECT_EQ(from_variable.exit_code, 0) << from_variable.err;
}

// Somebody who knows the name that a file will have before it is whole lays a link there.
TEST(RunCommand, ReportsDoNotFollowPlantedLinks) {
  const TemporaryFolder folder;
  const std::string victim = folder.file("victim", "precious");
  const Ran ran =
      run_shell("cd '" + folder.string() +
                "'; for f in report.html out.jsonl; do ln -s victim $f.unfinished-$$; done; "
                "ln -s victim report.html; "
                "exec $ASSAY run memory:serializable --transactions 20 -o h --report report.html");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(run_shell("cat '" + victim + "'").out, "precious");
  EXPECT_EQ(
      run_shell("cd '" + folder.string() + "'; head -c 9 report.html; ls -d *.html.unfinished-* | wc -l").out,
      "<!DOCTYPE1\n")
      << "the report is there, and of what was planted nothing else";
}

TEST(RunCommand, EveryRunHasAFolderOfItsOwn) {
  const TemporaryFolder folder;
  const std::string run = "cd '" + folder.string() + "'; $ASSAY run memory:serializable --transactions 20";
  EXPECT_EQ(run_shell(run).exit_code, 0);
  EXPECT_EQ(run_shell(run + " --workload bank").exit_code, 0);
  EXPECT_EQ(run_shell(run + " --workload bank").exit_code, 0);
  const auto said = [&](const std::string& line) {
    return run_shell("cd '" + folder.string() + "'; " + line).out;
  };
  EXPECT_EQ(said("ls"), "assay-runs\n");
  EXPECT_EQ(said("ls -d assay-runs/memory-twitter-* | wc -l"), "1\n");
  EXPECT_EQ(said("ls -d assay-runs/memory-bank-* | wc -l"), "2\n") << "none replaces another";
  EXPECT_EQ(said("ls assay-runs/*/history.assay assay-runs/*/report.html | wc -l"), "8\n")
      << "of three runs, and by the link";
  EXPECT_EQ(said("readlink assay-runs/latest | cut -c 1-11"), "memory-bank\n");
  EXPECT_EQ(run_shell(run + " -o h --report r").exit_code, 0);
  EXPECT_EQ(said("ls; ls assay-runs | wc -l"), "assay-runs\nh\nr\n4\n")
      << "what is told goes where it is told";
  EXPECT_EQ(run_shell(run + " --isolation nonsense").exit_code, 3);
  EXPECT_EQ(said("ls assay-runs | wc -l"), "4\n") << "nothing is left of what came to nothing";
}

TEST(RunCommand, ALinkThatSomebodyElseMadeAFolderOfStays) {
  const TemporaryFolder folder;
  const Ran ran =
      run_shell("cd '" + folder.string() +
                "'; mkdir -p assay-runs/latest; echo precious > assay-runs/latest/mine; "
                "$ASSAY run memory:serializable --transactions 20 -q && cat assay-runs/latest/mine");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "precious\n");
}

TEST(RunCommand, RepeatsWithOtherSeeds) {
  const TemporaryFolder folder;
  const std::string at = "cd '" + folder.string() + "'; $ASSAY run --workload bank --accounts 4 ";
  const Ran ran = run_shell(at + "memory:serializable --transactions 20 --repeat 3 --seed 7");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  for (const char* seed : {"seed 7", "seed 8", "seed 9"})
    EXPECT_NE(ran.out.find(seed), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("3 runs: 3 hold, 0 violated, 0 undecided"), std::string::npos) << ran.out;
  EXPECT_EQ(run_shell("ls -d '" + folder.string() + "'/assay-runs/memory-* | wc -l").out, "3\n");
  EXPECT_EQ(run_shell(at + "memory:serializable --repeat 3 -o h").exit_code, 3)
      << "each would replace the one before";
}

TEST(RunCommand, RepeatsUntilAViolation) {
  const TemporaryFolder folder;
  const std::string at =
      "cd '" + folder.string() + "'; $ASSAY run --workload bank --accounts 4 --until-violation ";
  const Ran ran = run_shell(at + "'memory:serializable?fault=lost-update' --transactions 400 --repeat 50");
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_NE(ran.out.find(" 1 violated, 0 undecided"), std::string::npos) << ran.out;
  EXPECT_EQ(run_shell("ls -d '" + folder.string() + "'/assay-runs/memory-* | wc -l").out, "1\n")
      << "what holds is not kept";
  EXPECT_EQ(run_shell(at + "memory:serializable --transactions 20 --repeat 2").exit_code, 0);
}

TEST(RunCommand, ItsTablesAreRemovedUnlessTheyAreToBeKept) {
  const TemporaryFolder folder;
  const std::string run = "cd '" + folder.string() + "'; $ASSAY run sqlite:db --transactions 20 -q ";
  const std::string tables =
      "cd '" + folder.string() +
      "'; python3 -c \"import sqlite3; print(sorted(r[0] for r in sqlite3.connect('db').execute("
      "'select name from sqlite_schema')))\"";
  EXPECT_EQ(run_shell(run + "--keep").exit_code, 0);
  EXPECT_EQ(run_shell(tables).out, "['assay_lists', 'assay_rows']\n");
  EXPECT_EQ(run_shell(run).exit_code, 0);
  EXPECT_EQ(run_shell(tables).out, "[]\n");
}

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
