// What a program sees of the world is the same on the server and in the worker, whatever it asks, rightly or wrongly, and
// whoever ran in the process before.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "audited.hpp"
#include "server.hpp"
#include "trace_writer.hpp"

namespace assay::php::testing {
namespace {

const std::string kScripts = ASSAY_SOURCE_DIR "/tests/php/scripts";

int seeds() {
  const char* wanted = std::getenv("ASSAY_RANDOM_CASES");
  return wanted != nullptr ? std::atoi(wanted) : 150;
}

// Requests to one script, one after the other, on an fpm that has some workers.
class Visits {
 public:
  explicit Visits(std::string script, const std::string& ini = "")
      : script_(std::move(script)),
        php_(Recorder::on, "extension=posix\nassay.code=" + kScripts + "\n" + ini),
        fpm_(php_, 2) {}

  std::string get(const std::string& query) {
    const auto parameters = [&](std::uint64_t rid) {
      Parameters list = parameters_for(kScripts + "/" + script_, "GET", query, "", 0, rid);
      list.emplace_back("FORUM_DATA", php_.data());
      return list;
    };
    const std::uint64_t rid = writer_.arrive(parameters, "");
    const Response response = ask(fpm_.socket(), parameters(rid), "");
    writer_.response(rid, response);
    return response.body;
  }

  audit::Verdict check() {
    fpm_.stop();
    const audit::Trace trace("trace", writer_.bytes());
    const audit::Reports reports = audit::Reports::read_folder(php_.reports());
    return audited(php_, kScripts, trace, reports, {});
  }

 private:
  std::string script_;
  PhpFolder php_;
  Fpm fpm_;
  TraceWriter writer_;
};

std::string difference(const audit::Verdict& verdict) {
  if (!verdict.finding) return "";
  return told(verdict) + "\nthe program gives\n" + verdict.finding->expected + "\nthe client got\n" +
         verdict.finding->found;
}

TEST(PhpCalls, WhateverAProgramAsksOfTheWorldIsTheSameWhenItIsRunAgain) {
  Visits visits("calls.php");
  for (int seed = 1; seed <= seeds(); ++seed) visits.get("seed=" + std::to_string(seed * 7919));
  const audit::Verdict verdict = visits.check();
  EXPECT_EQ(verdict.decision, audit::Decision::accepted) << difference(verdict);
}

// A function that is added to the table is to be added to the script.
TEST(PhpCalls, EveryReplacedFunctionIsAmongThem) {
  Visits visits("calls.php");
  const std::set<std::string> tried = nlohmann::json::parse(visits.get("seed=1&list=1"));
  const std::regex row(R"~(Interception\{(nullptr|"[a-z0-9]+"), "([a-z_0-9]+)", ([a-z_]+))~");
  for (const auto& file : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/php/common")) {
    const std::string text = read_file(file.path());
    for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
      std::string scope = (*at)[1];
      if ((*at)[3] == "unrepeatable") continue;
      scope = scope == "nullptr" ? "" : scope.substr(1, scope.size() - 2) + "::";
      EXPECT_TRUE(tried.count(scope + (*at)[2].str()) == 1) << scope << (*at)[2] << " in " << file.path();
    }
  }
}

// PHP looks for rings when there are many, and how many are many it learns from request to request.
TEST(PhpCalls, GarbageIsFoundAtTheSameMomentWhateverTheProcessRanBefore) {
  Visits visits("cycles.php");
  for (int round = 0; round < 6; ++round) {
    for (const char* query : {"rings=30000&keep=1", "rings=26000&keep=0", "rings=45000&keep=1",
                              "rings=9000&keep=2", "rings=12000&keep=0"})
      visits.get(query);
  }
  const audit::Verdict verdict = visits.check();
  EXPECT_EQ(verdict.decision, audit::Decision::accepted) << difference(verdict);
}

TEST(PhpCalls, ASessionThatDidNotFitWasNotSaved) {
  Visits visits("session.php", "assay.memory=1\n");
  std::string seen;
  for (int i = 0; i < 24; ++i)
    seen +=
        visits.get("id=visitor" + std::to_string(i % 8) + "&size=" + std::to_string(i < 16 ? 200000 : 100));
  EXPECT_NE(seen.find("complains: assay: the shared memory is full"), std::string::npos);
  const audit::Verdict verdict = visits.check();
  EXPECT_EQ(verdict.decision, audit::Decision::accepted) << difference(verdict);
}

}  // namespace
}  // namespace assay::php::testing
