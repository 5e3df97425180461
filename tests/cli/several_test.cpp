// Several histories in one check: a line for each whatever becomes of the others, one exit code, one JUnit file, one array.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "support/increments.hpp"
#include "support/json_schema.hpp"
#include "support/program.hpp"
#include "support/xml.hpp"

namespace assay::testing {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

class SeveralHistories : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string serial_ = folder_.file("serial.jsonl", kSerial);
  const std::string lost_update_ = folder_.file("lost-update.jsonl", kLostUpdate);
  const std::string broken_ = folder_.file("broken.jsonl", std::string(kSerial) + "{\"s\":");
};

TEST_F(SeveralHistories, ALineForEachInTheOrderGivenAndASummary) {
  for (const char* at_a_time : {"1", "3"}) {
    const Ran ran = run_assay({"check", serial_, broken_, lost_update_, serial_, "-j", at_a_time});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.out, serial_ + "       holds\n" + broken_ + "       could not be checked\n" + lost_update_ +
                           "  violated: lost update\n" + serial_ +
                           "       holds\n4 histories: 2 hold, 1 violated, 1 could not be checked\n"
                           "'assay check FILE' of one tells why it is violated.\n");
    EXPECT_TRUE(ran.err.starts_with("assay: error: " + broken_ + ": line 3")) << ran.err;
    EXPECT_EQ(occurrences(ran.err, "\n"), 1U) << ran.err;
  }
}

TEST_F(SeveralHistories, TheExitCodeIsThatOfTheWorst) {
  const auto code = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "check");
    return run_assay(arguments).exit_code;
  };
  EXPECT_EQ(code({serial_, serial_}), 0);
  EXPECT_EQ(code({serial_, serial_, "--level", "strict-serializable"}), 2) << "they have no times";
  EXPECT_EQ(code({serial_, broken_, "--level", "strict-serializable"}), 3);
  EXPECT_EQ(code({broken_, lost_update_, "--level", "si,sser"}), 1)
      << "a violation is certain whatever the others are";
  EXPECT_EQ(code({serial_, folder_.file("nowhere.jsonl")}), 3);
}

TEST_F(SeveralHistories, OneThatIsAskedForAsSeveralIsToldAsSuch) {
  const Ran ran = run_assay({"check", "--several", lost_update_, "--level", "causal,si,ser"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(ran.out.starts_with(
      lost_update_ +
      "  snapshot-isolation violated: lost update; causal holds\n1 history: 0 hold, 1 violated\n"))
      << ran.out;
  EXPECT_TRUE(nlohmann::json::parse(run_assay({"check", "--several", serial_, "--json"}).out).is_array());
}

TEST_F(SeveralHistories, JsonIsAnArrayThatFollowsTheSchema) {
  std::ifstream in(std::string(ASSAY_SOURCE_DIR) + "/docs/json-schema.json");
  const auto schema = nlohmann::json::parse(in);
  const Ran ran = run_assay({"check", lost_update_, broken_, serial_, "--json"});
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << ran.out;
  for (const std::string& error : schema_errors(schema, json)) ADD_FAILURE() << error;
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["results"][0]["anomaly"]["name"], "lost-update");
  EXPECT_EQ(json[1]["path"], broken_);
  EXPECT_EQ(json[1]["exit_code"], 3);
  EXPECT_NE(json[1]["error"].get<std::string>().find("line 3"), std::string::npos);
  EXPECT_EQ(json[2]["history"]["path"], serial_);
}

TEST_F(SeveralHistories, WhatOneSaysMayBeLong) {
  std::string reads;
  for (int i = 0; i < 300; ++i)
    reads += (i == 0 ? "" : ",") + std::string("[\"r\",") + std::to_string(i) + ",1]";
  const std::string bad =
      folder_.file("bad.jsonl", "{\"s\":0,\"t\":0,\"status\":\"ok\",\"ops\":[" + reads + "]}\n");
  const Ran ran = run_assay({"check", bad, serial_, bad, "--all", "--json", "-j", "2"});
  EXPECT_GT(ran.out.size(), 3U << 16) << "this is to be more than a pipe holds";
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_EQ(json.size(), 3U) << ran.err;
  EXPECT_EQ(json[0]["results"][0]["counterexample"]["total"], 300);
}

TEST_F(SeveralHistories, OneJUnitFileHasASuiteForEach) {
  const std::string file = folder_.file("all.xml");
  EXPECT_EQ(run_assay({"check", serial_, broken_, lost_update_, "--quiet", "--junit", file}).exit_code, 1);
  const std::string xml = content(file);
  EXPECT_EQ(xml_error(xml), "") << xml;
  EXPECT_EQ(occurrences(xml, "<testsuite "), 3U) << xml;
  EXPECT_NE(xml.find("<testsuites name=\"assay\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\""),
            std::string::npos)
      << xml;
  EXPECT_EQ(occurrences(xml, "<failure "), 1U);
  EXPECT_EQ(occurrences(xml, "<error message="), 1U);
}

TEST_F(SeveralHistories, AnnotationsNameTheFile) {
  const Ran ran = run_assay({"check", serial_, broken_, lost_update_, "--annotate", "--quiet"});
  EXPECT_EQ(occurrences(ran.out, "::error "), 2U) << ran.out;
  EXPECT_NE(ran.out.find("::error file=" + broken_ + ",title=the history could not be checked::"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("::error file=" + lost_update_ + ",title=serializable is violated::"),
            std::string::npos)
      << ran.out;
}

TEST_F(SeveralHistories, PagesGraphsAndCertificatesGoIntoAFolderEach) {
  fs::create_directories(folder_ / "a");
  const std::string same = folder_.file("a_x.jsonl", kSerial), name = folder_.file("a/x.jsonl", kLostUpdate);
  const std::string pages = folder_.file("pages"), proofs = folder_.file("proofs"),
                    graphs = folder_.file("graphs");
  const Ran ran =
      run_shell("cd " + folder_.string() +
                " && $ASSAY check a/x.jsonl ./a_x.jsonl --report pages --certificate proofs --dot graphs");
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  for (const char* file : {"/a_x.jsonl", "/a_x.jsonl-2"}) {
    EXPECT_TRUE(fs::is_regular_file(pages + file + ".html")) << file;
    EXPECT_TRUE(fs::is_regular_file(graphs + file + ".dot")) << file;
  }
  EXPECT_EQ(run_assay({"verify", proofs + "/a_x.jsonl.certificate", name, "--verdict=violated"}).exit_code,
            0);
  EXPECT_EQ(run_assay({"verify", proofs + "/a_x.jsonl-2.certificate", same, "--verdict=holds"}).exit_code, 0);
  const std::string page = content(pages + "/a_x.jsonl.html");
  EXPECT_NE(page.find("assay check a/x.jsonl --report pages"), std::string::npos)
      << "a page tells its own history's command";
}

TEST_F(SeveralHistories, WhatCannotBeIsRefusedBeforeAnythingIsChecked) {
  const std::string file = folder_.file("file", "");
  const std::vector<std::vector<std::string>> wrong = {
      {serial_, "-"},
      {serial_, serial_, "--level", "acid"},
      {serial_, serial_, "--initial", "one"},
      {serial_, serial_, "--format", "jsn"},
      {serial_, serial_, "--report", "page.html"},
      {serial_, serial_, "--report", "-"},
      {serial_, serial_, "--report", file},
      {serial_, serial_, "--dot", folder_.file("no/such/folder")},
      {serial_, serial_, "--certificate", folder_.file("new"), "--level", "si,ser"},
      {serial_, serial_, "--junit", folder_.file("no/such.xml")},
      {serial_, serial_, "--stats"},
  };
  for (std::vector<std::string> arguments : wrong) {
    arguments.insert(arguments.begin(), "check");
    const Ran ran = run_assay(arguments);
    EXPECT_EQ(ran.exit_code, 3) << arguments.back();
    EXPECT_EQ(ran.out, "") << arguments.back();
    EXPECT_EQ(occurrences(ran.err, "assay: error: "), 1U) << ran.err;
  }
}

// Nobody writes to the pipe: its reader waits until the limit.
TEST_F(SeveralHistories, ALimitEndsOnlyTheOneThatReachesIt) {
  const Ran ran =
      run_shell("cd " + folder_.string() +
                " && mkfifo pipe && $ASSAY check pipe serial.jsonl lost-update.jsonl --timeout 0.2");
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("pipe               undecided: ")) << ran.out;
  EXPECT_NE(ran.out.find("serial.jsonl       holds\nlost-update.jsonl  violated: lost update\n"),
            std::string::npos)
      << ran.out;
}

TEST_F(SeveralHistories, AProcessThatDiesIsNoVerdictAndEndsNoOther) {
  // The process that is the same at two looks is the one that waits at the pipe.
  const auto end_the_reader_of_the_pipe = [&](const std::string& signal) {
    fs::remove(folder_ / "pipe");
    return run_shell("cd " + folder_.string() +
                     " && mkfifo pipe && { $ASSAY check serial.jsonl pipe serial.jsonl & } && parent=$!; "
                     "children() { cat /proc/$parent/task/$parent/children; }; "
                     "for i in $(seq 200); do child=$(children); sleep 0.05; "
                     "[ -n \"$child\" ] && [ \"$child\" = \"$(children)\" ] && break; done; "
                     "kill -" +
                     signal + " $child; wait $parent");
  };
  const Ran crashed = end_the_reader_of_the_pipe("ABRT");
  EXPECT_EQ(crashed.exit_code, 4) << crashed.out << crashed.err;
  EXPECT_NE(crashed.out.find("pipe          could not be checked\nserial.jsonl  holds\n"), std::string::npos)
      << crashed.out;
  EXPECT_NE(crashed.err.find("assay: error: pipe: a defect of Assay: signal 6 ended its process"),
            std::string::npos)
      << crashed.err;
  const Ran killed = end_the_reader_of_the_pipe("KILL");
  EXPECT_EQ(killed.exit_code, 2) << killed.out << killed.err;
  EXPECT_NE(
      killed.out.find(
          "pipe          undecided: its process was killed; perhaps memory ran out\nserial.jsonl  holds\n"),
      std::string::npos)
      << killed.out;
}

TEST_F(SeveralHistories, ManyAreToldInTheirOrder) {
  std::vector<std::string> arguments = {"check", "-j", "2"};
  std::string expected;
  for (int i = 0; i < 400; ++i) {
    const bool bad = i % 100 == 7;
    arguments.push_back(bad ? lost_update_ : serial_);
    expected += bad ? lost_update_ + "  violated: lost update\n" : serial_ + "       holds\n";
  }
  const Ran ran = run_assay(arguments);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_TRUE(ran.out.starts_with(expected + "400 histories: 396 hold, 4 violated\n")) << ran.out;
}

}  // namespace
}  // namespace assay::testing
