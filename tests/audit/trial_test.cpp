// What a trial stands on, without PHP: the description of an application, its visitors, a state on disk.
#include <gtest/gtest.h>

#include "audit/period/state_folder.hpp"
#include "audit/trial/application.hpp"
#include "audit/trial/visitor.hpp"
#include "support/program.hpp"
#include "system/input_error.hpp"

namespace assay::audit {
namespace {

using assay::testing::run_assay;
using assay::testing::TemporaryFolder;

constexpr const char* kWorkload = R"({
  "script": "index.php", "setup": "setup.php", "extensions": ["pdo"], "sessions": 2, "parameters": {"DATA": "{data}"},
  "ranges": {"n": [3, 5], "word": ["a", "b"]}, "login": {"method": "POST", "query": "login", "form": "user={session}"},
  "requests": [{"weight": 3, "query": "n={n}&w={word}"}, {"weight": 1, "method": "POST", "form": "x={n}"}]
})";

TEST(AuditApplication, IsReadFromItsFolder) {
  const TemporaryFolder folder;
  folder.file("workload.json", kWorkload);
  const Application read = read_application(folder.path());
  EXPECT_EQ(read.script, "index.php");
  EXPECT_EQ(read.setup, "setup.php");
  EXPECT_EQ(read.names.at("n").most, 5U);
  EXPECT_EQ(read.requests.size(), 2U);
  EXPECT_EQ(read.requests[1].method, "POST");
}

TEST(AuditApplication, WhatIsWrongIsSaid) {
  const auto error_of = [](const std::string& content) -> std::string {
    const TemporaryFolder folder;
    folder.file("workload.json", content);
    try {
      read_application(folder.path());
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(error_of("{").find("workload.json"), std::string::npos);
  EXPECT_NE(error_of(R"({"script": "a.php", "requests": []})").find("no requests"), std::string::npos);
  EXPECT_NE(error_of(R"({"script": "a.php", "requests": [{"query": "{who}"}]})").find("{who}"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"script": "a.php", "ranges": {"n": [2, 1]}, "requests": [{}]})").find("empty"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"script": "a.php", "requests": [{"weight": 0}]})").find("weight"),
            std::string::npos);
  EXPECT_THROW(read_application("/nowhere"), InputError);
}

TEST(AuditVisitor, LogsInFirstThenDrawsAndKeepsItsCookies) {
  const TemporaryFolder folder;
  folder.file("workload.json", kWorkload);
  const Application application = read_application(folder.path());
  Visitor one(application, 1, 1), same(application, 1, 1);
  const WebRequest login = one.next();
  EXPECT_EQ(login.method, "POST");
  EXPECT_EQ(login.target, "/index.php?login");
  EXPECT_EQ(login.form, "user=2");
  EXPECT_EQ(login.cookies, "");
  WebResponse response;
  response.set_cookies = {"id=7; path=/", "a=b"};
  one.keep_cookies(response);
  same.next();
  for (int i = 0; i < 50; ++i) {
    const WebRequest request = one.next();
    EXPECT_EQ(request.cookies, "a=b; id=7");
    EXPECT_EQ(request.target.find('{'), std::string::npos) << request.target;
    EXPECT_EQ(request.target, same.next().target);
  }
}

TEST(AuditStateFolder, GivesEachDatabaseItsPathOnTheServer) {
  const TemporaryFolder folder, data;
  data.file("x.sqlite", "content");
  data.file("x.sqlite-wal", "more");
  add_to_state_folder(folder.path(), data.path());
  const InitialState state = read_state_folder(folder.path());
  ASSERT_EQ(state.databases.size(), 1U);
  const std::string name = std::filesystem::canonical(data.path()) / "x.sqlite";
  EXPECT_EQ(state.databases.begin()->first, name);
  EXPECT_TRUE(std::filesystem::exists(state.databases.begin()->second));
  EXPECT_THROW(read_state_folder(folder.path() / "nowhere"), InputError);
}

TEST(AuditCommandLine, NestedCommandsAreExplainedCompletedAndSuggested) {
  for (const char* command : {"run", "collect", "check", "tamper", "config"}) {
    const auto ran = run_assay({"audit", command, "--help"});
    EXPECT_EQ(ran.exit_code, 0) << command;
    EXPECT_NE(ran.out.find("Examples:"), std::string::npos) << command;
    EXPECT_NE(run_assay({"audit", "--help"}).out.find(command), std::string::npos) << command;
  }
  const auto wrong = [](const std::vector<std::string>& arguments, const std::string& part) {
    const auto ran = run_assay(arguments);
    EXPECT_EQ(ran.exit_code, 3) << part;
    EXPECT_NE(ran.err.find(part), std::string::npos) << ran.err;
  };
  wrong({"audit", "chekc"}, "unknown command 'audit chekc' (did you mean 'check'?)");
  wrong({"audit", "run", "--request", "3"}, "did you mean '--requests'?");
  wrong({"audit", "tamper"}, "--list");
  EXPECT_EQ(run_assay({"audit"}).out, run_assay({"audit", "--help"}).out);
  wrong({"audit", "config"}, "--code");
  EXPECT_NE(run_assay({"audit", "tamper", "--list"}).out.find("operation-hidden "), std::string::npos);
  const auto completed = assay::testing::run_shell(
      "bash -c 'source <(\"$0\" completion bash)\n"
      "COMP_WORDS=(assay audit tam); COMP_CWORD=2; _assay; echo \"${COMPREPLY[@]}\"\n"
      "COMP_WORDS=(assay audit run --tamper resp); COMP_CWORD=4; _assay; echo \"${COMPREPLY[@]}\"\n"
      "COMP_WORDS=(assay audit collect --dur); COMP_CWORD=3; _assay; echo \"${COMPREPLY[@]}\"' \"$ASSAY\"");
  EXPECT_EQ(completed.out, "tamper\nresponse-twice responses-swapped response-stale\n--durability\n")
      << completed.err;
  for (const char* shell : {"zsh", "fish"}) {
    EXPECT_NE(run_assay({"completion", shell}).out.find("operation-hidden"), std::string::npos) << shell;
  }
}

}  // namespace
}  // namespace assay::audit
