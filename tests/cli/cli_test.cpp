// The command line as a contract: exit codes, where each kind of output goes, and help that helps.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "level/level.hpp"
#include "support/increments.hpp"
#include "support/json_schema.hpp"
#include "support/program.hpp"

namespace assay::testing {
namespace {

using ::testing::Test;

constexpr const char* kThinAir = R"({"s":0,"t":0,"status":"ok","ops":[["r",1,9223372036854775807]]}
{"s":0,"t":1,"status":"ok","ops":[["r",1,18446744073709551615]]}
)";

nlohmann::json schema() {
  std::ifstream in(std::string(ASSAY_SOURCE_DIR) + "/docs/json-schema.json");
  return nlohmann::json::parse(in);
}

class CommandLine : public Test {
 protected:
  const TemporaryFolder folder_;
  const std::string serial_ = folder_.file("serial.jsonl", kSerial);
  const std::string lost_update_ = folder_.file("lost-update.jsonl", kLostUpdate);
  const std::string thin_air_ = folder_.file("thin-air.jsonl", kThinAir);
};

TEST_F(CommandLine, WithoutArgumentsTellsWhatItIs) {
  const Ran ran = run_assay({});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_NE(ran.out.find("assay check"), std::string::npos);
  EXPECT_EQ(ran.err, "");
}

TEST_F(CommandLine, EveryCommandHasHelpWithExamples) {
  for (const char* command : {"check", "convert", "stats", "generate", "levels", "formats", "completion",
                              "verify", "shrink", "record", "run", "watch", "audit", "manual"}) {
    const Ran ran = run_assay({command, "--help"});
    EXPECT_EQ(ran.exit_code, 0) << command;
    EXPECT_NE(ran.out.find("Examples:"), std::string::npos) << command;
    EXPECT_NE(run_assay({"--help"}).out.find(command), std::string::npos) << command;
  }
}

TEST_F(CommandLine, TellsItsVersion) {
  const Ran ran = run_assay({"--version"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(ran.out.starts_with("assay 0.")) << ran.out;
}

TEST_F(CommandLine, HelpAndVersionHaveShortForms) {
  EXPECT_EQ(run_assay({"help", "check"}).out, run_assay({"check", "--help"}).out);
  EXPECT_EQ(run_assay({"help", "audit", "check"}).out, run_assay({"audit", "check", "--help"}).out);
  EXPECT_EQ(run_assay({"help"}).out, run_assay({"--help"}).out);
  EXPECT_EQ(run_assay({"-V"}).out, run_assay({"--version"}).out);
  const Ran unknown = run_assay({"help", "chekc"});
  EXPECT_EQ(unknown.exit_code, 3) << unknown.out;
}

TEST_F(CommandLine, WhereTheLocaleHasNoSignsTextIsAscii) {
  const auto text = [&](const std::string& locale) {
    return run_shell("LC_ALL=" + locale + " $ASSAY check " + lost_update_).out;
  };
  const std::string plain = text("C");
  EXPECT_NE(plain.find(" -> "), std::string::npos) << plain;
  EXPECT_TRUE(
      std::all_of(plain.begin(), plain.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  EXPECT_NE(text("en_US.UTF-8").find("→"), std::string::npos);
  const Ran json = run_shell(
      "LC_ALL=C $ASSAY check --json " +
      folder_.file("sign.jsonl", "{\"s\":0,\"t\":0,\"status\":\"ok\",\"ops\":[[\"r\",\"…\",5]]}\n"));
  EXPECT_NE(json.out.find("…"), std::string::npos) << "what a program reads is as it was: " << json.out;
}

TEST_F(CommandLine, ConvertTakesTheFormatFromTheName) {
  const std::string packed = folder_.file("run.assay"), text = folder_.file("run.txt"),
                    back = folder_.file("back.jsonl");
  EXPECT_EQ(run_assay({"convert", serial_, packed}).exit_code, 0);
  EXPECT_NE(run_assay({"check", packed}).out.find("(packed)"), std::string::npos);
  EXPECT_EQ(run_assay({"convert", packed, back}).exit_code, 0);
  EXPECT_NE(run_assay({"check", back}).out.find("(jsonl)"), std::string::npos);
  EXPECT_EQ(run_assay({"convert", serial_, text}).exit_code, 0);
  EXPECT_NE(run_assay({"check", text}).out.find("(text)"), std::string::npos);
  const Ran untold = run_assay({"convert", serial_, folder_.file("history")});
  EXPECT_EQ(untold.exit_code, 3);
  EXPECT_NE(untold.err.find("does not tell a format to write; say which: --to FORMAT"), std::string::npos)
      << untold.err;

  // What is left of a recording, and what to do about it.
  std::filesystem::resize_file(packed, std::filesystem::file_size(packed) - 5);
  const Ran cut = run_assay({"check", packed});
  EXPECT_EQ(cut.exit_code, 3);
  EXPECT_NE(cut.err.find("(--truncated takes what is whole)"), std::string::npos) << cut.err;
  EXPECT_EQ(run_assay({"check", packed, "--truncated"}).exit_code, 0);
}

TEST_F(CommandLine, DurationsHaveUnits) {
  for (const char* duration : {"60", "60s", "1m", "60000ms", "0.5h"})
    EXPECT_EQ(run_assay({"check", serial_, "--timeout", duration}).exit_code, 0) << duration;
  for (const char* duration : {"5 parsecs", "s", "1d", "-1s"}) {
    const Ran ran = run_assay({"check", serial_, "--timeout", duration});
    EXPECT_EQ(ran.exit_code, 3) << duration;
    EXPECT_NE(ran.err.find("--timeout"), std::string::npos) << ran.err;
  }
}

TEST_F(CommandLine, ExitCodeZeroWhereTheLevelHolds) {
  const Ran ran = run_assay({"check", serial_});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("serializable  holds"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.err, "");
}

TEST_F(CommandLine, ExitCodeOneWhereItIsViolated) {
  const Ran ran = run_assay({"check", lost_update_, "--level", "si"});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.out.find("snapshot-isolation  violated"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("The contradiction:"), std::string::npos) << ran.out;
}

TEST_F(CommandLine, ExitCodeTwoWhereTheInputCannotDecide) {
  const Ran ran = run_assay({"check", serial_, "--level", "strict-serializable"});
  EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("undecided: "), std::string::npos) << ran.out;
}

TEST_F(CommandLine, AViolationCountsMoreThanAnUndecidedLevel) {
  EXPECT_EQ(run_assay({"check", lost_update_, "--level", "sser,ser"}).exit_code, 1);
}

TEST_F(CommandLine, ExitCodeThreeForWhatTheUserGotWrong) {
  const std::vector<std::vector<std::string>> wrong = {
      {"check"},
      {"check", folder_.file("nowhere.jsonl")},
      {"stats", serial_, serial_},
      {"check", serial_, "--level", "acid"},
      {"check", serial_, "--level", ""},
      {"check", serial_, "--format", "jsn"},
      {"check", serial_, "--initial", "one"},
      {"check", serial_, "--all", "--level", "si"},
      {"check", serial_, "--timeout", "0"},
      {"check", serial_, "--timeout", "nan"},
      {"check", serial_, "--memory", "-5"},
      {"check", serial_, "--threads", "-1"},
      {"check", serial_, "--clock-drift", "5"},
      {"check", serial_, "--clock-drift", "-1s"},
      {"check", serial_, "--clock-drift", "1e300s"},
      {"check", serial_, "--unheard-of"},
      {"convert", serial_, folder_.file("out")},
      {"convert", serial_, folder_.file("out"), "--to", "nothing"},
      {"completion", "tcsh"},
      {"generate"},
      {"chekc", serial_},
      {"--unheard-of"},
  };
  for (const auto& arguments : wrong) {
    const Ran ran = run_assay(arguments);
    std::string shown;
    for (const std::string& argument : arguments) shown += argument + " ";
    EXPECT_EQ(ran.exit_code, 3) << shown;
    EXPECT_TRUE(ran.err.starts_with("assay: error: ")) << shown << ": " << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << shown << ": " << ran.err;
    EXPECT_EQ(ran.out, "") << shown;
  }
}

TEST_F(CommandLine, SuggestsWhatWasMeant) {
  const auto error = [](const std::vector<std::string>& arguments) { return run_assay(arguments).err; };
  EXPECT_NE(error({"chekc"}).find("did you mean 'check'?"), std::string::npos);
  EXPECT_NE(error({"check", "--levl", "si", serial_}).find("did you mean '--level'?"), std::string::npos);
  const std::string level = error({"check", serial_, "--level", "serialzable"});
  EXPECT_NE(level.find("did you mean 'serializable'?"), std::string::npos) << level;
  for (const LevelInfo& known : levels()) EXPECT_NE(level.find(known.name), std::string::npos) << known.name;
  EXPECT_NE(error({"check", serial_, "--format", "jsonk"}).find("did you mean 'jsonl'?"), std::string::npos);
  EXPECT_EQ(error({"check", serial_, "--level", "zzzzzzzzzzzz"}).find("did you mean"), std::string::npos);
}

TEST_F(CommandLine, TakesEveryLevelByNameAndAlias) {
  for (const LevelInfo& level : levels()) {
    EXPECT_LT(run_assay({"check", serial_, "--level", std::string(level.name)}).exit_code, 3) << level.name;
    for (const std::string_view alias : level.aliases) {
      EXPECT_LT(run_assay({"check", serial_, "--quiet", "--level", std::string(alias)}).exit_code, 3)
          << alias;
    }
  }
}

TEST_F(CommandLine, RepeatedAndCommaSeparatedLevelsAreOneList) {
  const Ran ran =
      run_assay({"check", "--level", "rc,ra", "--level", "ser", "--level", "rc", serial_, "--json"});
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json["results"].size(), 3U) << ran.out;
  EXPECT_EQ(json["results"][0]["level"], "read-committed");
  EXPECT_EQ(json["results"][1]["level"], "read-atomic");
  EXPECT_EQ(json["results"][2]["level"], "serializable");
  EXPECT_EQ(json["strongest"], "serializable");
}

TEST_F(CommandLine, AllChecksEveryLevelAndNamesTheStrongest) {
  const Ran ran = run_assay({"check", serial_, "--all"});
  for (const LevelInfo& level : levels())
    EXPECT_NE(ran.out.find(level.name), std::string::npos) << level.name;
  EXPECT_NE(ran.out.find("strongest level that holds: serializable"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.exit_code, 2) << "the strict levels cannot be decided without times";
}

TEST_F(CommandLine, JsonFollowsItsSchema) {
  for (const std::string& history : {serial_, lost_update_, thin_air_}) {
    const Ran ran = run_assay({"check", history, "--all", "--json"});
    const auto json = nlohmann::json::parse(ran.out, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << ran.out << ran.err;
    for (const std::string& error : schema_errors(schema(), json)) ADD_FAILURE() << history << error;
    EXPECT_EQ(json["history"]["path"], history);
    EXPECT_EQ(json["history"]["transactions"], 2);
    EXPECT_EQ(json["history"]["operations"], history == thin_air_ ? 2 : 4);
    EXPECT_EQ(json["session_order"], "keep");
  }
}

TEST_F(CommandLine, JsonKeepsLargeNumbersExactly) {
  const auto json = nlohmann::json::parse(run_assay({"check", thin_air_, "--json"}).out);
  const auto& reads = json["results"][0]["counterexample"]["reads"];
  ASSERT_EQ(reads.size(), 2U);
  EXPECT_EQ(reads[0]["value"].get<std::int64_t>(), INT64_MAX);
  EXPECT_EQ(reads[1]["value"].get<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(json["results"][0]["anomaly"]["name"], "thin-air-read");
}

TEST_F(CommandLine, IgnoringSessionsIsSaid) {
  const Ran ran = run_assay({"check", serial_, "--sessions=ignore", "--json"});
  EXPECT_EQ(nlohmann::json::parse(ran.out)["session_order"], "ignore");
}

TEST_F(CommandLine, QuietLeavesOnlyTheExitCode) {
  const Ran ran = run_assay({"check", lost_update_, "--quiet"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST_F(CommandLine, NoColourOutsideATerminal) {
  EXPECT_EQ(run_assay({"check", lost_update_}).out.find('\x1b'), std::string::npos);
}

TEST_F(CommandLine, SurvivesAReaderThatWentAway) {
  const Ran ran =
      run_shell("{ \"$ASSAY\" check '" + lost_update_ + "' --all --json; echo \"code $?\" >&2; } | true");
  EXPECT_EQ(ran.err, "code 1\n");
}

TEST_F(CommandLine, SaysWhenOutputCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const Ran ran = run_shell("\"$ASSAY\" levels >/dev/full");
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_TRUE(ran.err.starts_with("assay: error: cannot write")) << ran.err;
}

TEST_F(CommandLine, ReadsStandardInput) {
  const Ran ran = run_shell("\"$ASSAY\" check - <'" + serial_ + "'");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
}

TEST_F(CommandLine, AMalformedHistoryNamesItsPlace) {
  const std::string broken = folder_.file("broken.jsonl", std::string(kSerial) + "{\"s\":");
  const Ran ran = run_assay({"check", broken});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find(broken + ": line 3"), std::string::npos) << ran.err;
}

TEST_F(CommandLine, AFileLikeNoFormatNamesTheOption) {
  const Ran ran = run_assay({"stats", folder_.file("odd", "neither this nor that\n")});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("name one of them to read it as such: --format NAME"), std::string::npos) << ran.err;
}

TEST_F(CommandLine, ControlCharactersOfAnInputStayOffTheTerminal) {
  const std::string hostile = folder_.file(
      "hostile.jsonl", R"({"s":0,"t":0,"status":"ok","ops":[["r","\u001b[2Jkey","\u0007value"]]})"
                       "\n");
  const Ran ran = run_assay({"check", hostile});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
  EXPECT_NE(ran.out.find("\\x1b[2Jkey"), std::string::npos) << ran.out;
}

TEST_F(CommandLine, ConvertsToAFileThatReadsBackTheSame) {
  const std::string copy = folder_.file("copy.jsonl");
  ASSERT_EQ(run_assay({"convert", lost_update_, copy, "--to", "jsonl"}).exit_code, 0);
  EXPECT_EQ(run_assay({"check", copy, "--level", "si"}).exit_code, 1);
  EXPECT_EQ(run_assay({"check", copy, "--level", "causal"}).exit_code, 0);
  const Ran piped = run_assay({"convert", lost_update_, "-", "--to", "jsonl"});
  std::ifstream in(copy);
  EXPECT_EQ(piped.out, std::string(std::istreambuf_iterator<char>(in), {}));
}

TEST_F(CommandLine, AFailedConversionLeavesWhatWasThere) {
  const std::string out = folder_.file("kept.jsonl", kSerial);
  const std::string broken = folder_.file("broken.jsonl", "{\"s\":");
  EXPECT_EQ(run_assay({"convert", broken, out, "--to", "jsonl"}).exit_code, 3);
  EXPECT_EQ(run_assay({"check", out}).exit_code, 0);
  EXPECT_EQ(run_assay({"convert", serial_, folder_.file("no/such/folder/x"), "--to", "jsonl"}).exit_code, 3);
}

TEST_F(CommandLine, StatsDescribeTheHistory) {
  const Ran text = run_assay({"stats", lost_update_});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("2 committed, 0 aborted, 0 of unknown fate"), std::string::npos) << text.out;
  const Ran ran = run_assay({"stats", lost_update_, "--json"});
  const auto json = nlohmann::json::parse(ran.out);
  for (const std::string& error : schema_errors(schema(), json)) ADD_FAILURE() << error;
  EXPECT_EQ(json["statistics"]["operations_by_kind"]["write"], 2);
  EXPECT_EQ(json["statistics"]["reads_of_initial"], 2);
}

TEST_F(CommandLine, GeneratesAHistoryThatChecks) {
  const std::string made = folder_.file("made.jsonl");
  const Ran ran = run_assay({"generate", "-o", made, "--transactions", "200", "--seed", "7"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(run_assay({"check", made}).exit_code, 0);
  const std::string again = folder_.file("again.jsonl");
  run_assay({"generate", "-o", again, "--transactions", "200", "--seed", "7"});
  EXPECT_EQ(run_shell("cmp '" + made + "' '" + again + "'").exit_code, 0) << "same seed, same history";
}

TEST_F(CommandLine, LevelsAndFormatsListThemselves) {
  const std::string levels_shown = run_assay({"levels"}).out;
  for (const LevelInfo& level : levels())
    EXPECT_NE(levels_shown.find(level.promise), std::string::npos) << level.name;
  EXPECT_NE(run_assay({"formats"}).out.find("jsonl"), std::string::npos);
}

TEST_F(CommandLine, CompletionsKnowCommandsOptionsAndLevels) {
  const Ran checked = run_shell(
      "bash -c 'source <(\"$0\" completion bash)\n"
      "COMP_WORDS=(assay check --level snap); COMP_CWORD=3; _assay; echo \"${COMPREPLY[@]}\"\n"
      "COMP_WORDS=(assay che); COMP_CWORD=1; _assay; echo \"${COMPREPLY[@]}\"\n"
      "COMP_WORDS=(assay check --timeo); COMP_CWORD=2; _assay; echo \"${COMPREPLY[@]}\"\n"
      "COMP_WORDS=(assay check --level si,prefi); COMP_CWORD=3; _assay; echo \"${COMPREPLY[@]}\"\n"
      "COMP_WORDS=(assay run --server mar); COMP_CWORD=3; _assay; echo \"${COMPREPLY[@]}\"\n"
      "COMP_WORDS=(assay run post); COMP_CWORD=2; _assay; echo \"${COMPREPLY[@]}\"\n"
      "COMP_WORDS=(assay check --sessions = ig); COMP_CWORD=4; _assay; echo \"${COMPREPLY[@]}\"' \"$ASSAY\"");
  EXPECT_EQ(checked.out, "snapshot-isolation\ncheck\n--timeout\nsi,prefix\nmariadb\npostgres://\nignore\n")
      << checked.err;
  for (const char* shell : {"zsh", "fish"}) {
    const Ran ran = run_assay({"completion", shell});
    EXPECT_EQ(ran.exit_code, 0) << shell;
    EXPECT_NE(ran.out.find("strict-serializable"), std::string::npos) << shell;
  }
}

TEST_F(CommandLine, TheManualHasAPageForEveryCommandWithEveryOption) {
  const std::string pages = run_assay({"manual", "--list"}).out;
  for (const char* page : {"assay\n", "assay-check\n", "assay-audit-run\n", "assay-manual\n"}) {
    EXPECT_NE(pages.find(page), std::string::npos) << page;
  }
  const std::string shown = run_assay({"manual", "assay-check"}).out;
  EXPECT_TRUE(shown.starts_with(".TH ASSAY\\-CHECK 1 ")) << shown;
  for (const char* part : {"\\fB\\-\\-clock\\-drift\\fR \\fIDURATION\\fR",
                           "\\fB\\-l\\fR, \\fB\\-\\-level\\fR", "Exit code: 0"}) {
    EXPECT_NE(shown.find(part), std::string::npos) << part << "\n" << shown;
  }
  EXPECT_EQ(run_assay({"manual", "assay-chek"}).exit_code, 3);
}

TEST_F(CommandLine, ACertificateIsAcceptedForItsHistoryOnly) {
  for (const auto& [history, code] :
       {std::pair{serial_, 0}, std::pair{lost_update_, 1}, std::pair{thin_air_, 1}}) {
    const std::string proof = folder_.file("proof");
    EXPECT_EQ(run_assay({"check", history, "--level", "si", "--certificate", proof}).exit_code, code);
    const Ran accepted = run_assay({"verify", proof, history});
    EXPECT_EQ(accepted.exit_code, 0) << accepted.out << accepted.err;
    EXPECT_NE(accepted.out.find(code == 0 ? "accepted: snapshot-isolation holds" : "is violated"),
              std::string::npos);
    const Ran other = run_assay({"verify", proof, history == serial_ ? lost_update_ : serial_});
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_NE(other.out.find("rejected: line 2: the certificate is about another history"), std::string::npos)
        << other.out;
  }
}

TEST_F(CommandLine, TellsTheVerdictInEveryForm) {
  const std::string page = folder_.file("why.html"), graph = folder_.file("why.dot"),
                    junit = folder_.file("why.xml");
  const Ran ran = run_assay({"check", lost_update_, "--level", "si", "--report", page, "--dot", graph,
                             "--junit", junit, "--annotate", "--quiet"});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  const auto holds = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  const auto content = [](const std::string& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_TRUE(holds(content(page), "one update is lost"));
  EXPECT_TRUE(holds(content(graph), "digraph assay {"));
  EXPECT_TRUE(holds(content(junit),
                    "<failure type=\"violated\" message=\"snapshot-isolation is violated: lost update\">"));
  EXPECT_TRUE(ran.out.starts_with("::error file=")) << ran.out;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
}

TEST_F(CommandLine, WhatIsNoCertificateIsBadInput) {
  const Ran ran = run_assay({"verify", serial_, serial_});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("this is no certificate"), std::string::npos) << ran.err;
  EXPECT_EQ(run_assay({"check", serial_, "--level", "si,ser", "--certificate", folder_.file("p")}).exit_code,
            3);
}

TEST_F(CommandLine, ShrinksToWhatStillViolates) {
  const std::string bystander =
      folder_.file("big.jsonl", std::string(kLostUpdate) + R"({"s":2,"t":0,"status":"ok","ops":[["w",2,1]]})"
                                                           "\n");
  const std::string small = folder_.file("small.jsonl");
  const Ran ran = run_assay({"shrink", bystander, "--level", "si", "-o", small});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.out.find("2 of 3 transactions still violate snapshot-isolation (lost update)"),
            std::string::npos)
      << ran.out;
  EXPECT_EQ(run_assay({"check", small, "--level", "si", "-q"}).exit_code, 1);
  EXPECT_EQ(run_assay({"shrink", serial_, "-o", folder_.file("none")}).exit_code, 0);
}

TEST_F(CommandLine, ACheckOfNothingSaysSoAndCommitsCanBeRequired) {
  const std::string aborted =
      folder_.file("aborted.jsonl", R"({"s":0,"t":0,"status":"fail","ops":[["w",1,1]]})"
                                    "\n");
  const Ran nothing = run_assay({"check", aborted});
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_NE(nothing.out.find("note: no transaction committed: nothing was tested\n"), std::string::npos)
      << nothing.out;
  EXPECT_EQ(run_assay({"check", aborted, "--require-committed", "1"}).exit_code, 2);
  EXPECT_EQ(run_assay({"check", serial_, "--require-committed", "2"}).exit_code, 0);
  EXPECT_EQ(run_assay({"check", serial_, "--require-committed", "3"}).exit_code, 2);
  EXPECT_EQ(run_assay({"check", lost_update_, "--require-committed", "3"}).exit_code, 1)
      << "violated is certain";
  EXPECT_EQ(run_assay({"check", serial_, "--require-committed=-1"}).exit_code, 3);
  EXPECT_EQ(run_assay({"watch", serial_, "--until-end", "--require-committed", "2"}).exit_code, 0);
  EXPECT_EQ(run_assay({"watch", serial_, "--until-end", "--require-committed", "3"}).exit_code, 2);
  EXPECT_EQ(run_assay({"watch", aborted, "--until-end"}).exit_code, 2);
}

TEST_F(CommandLine, TellsTheStory) {
  const Ran ran = run_assay({"check", lost_update_, "--level", "si"});
  EXPECT_NE(ran.out.find(
                "Lost update (P4): T0.0 and T1.0 both read the initial value of key 1 and both overwrote it"),
            std::string::npos)
      << ran.out;
  const auto json = nlohmann::json::parse(run_assay({"check", lost_update_, "--level", "si", "--json"}).out);
  EXPECT_EQ(json["results"][0]["anomaly"]["name"], "lost-update");
  EXPECT_EQ(json["results"][0]["counterexample"]["transactions"].size(), 2U);
}

}  // namespace
}  // namespace assay::testing
