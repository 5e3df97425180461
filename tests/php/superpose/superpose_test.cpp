// Superposed execution equals individual execution, or it is denied.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "audit/draft.hpp"
#include "audit/tamper.hpp"
#include "recording.hpp"
#include "superpose/random_program.hpp"
#include "superpose/superpose_programs.hpp"
#include "superpose/superposed.hpp"
#include "superpose/worldly_programs.hpp"

namespace assay::php::testing {
namespace {

const std::string kInputs =
    "error_reporting(E_ALL); $x = $_GET['x']; $y = $_GET['y']; $i = (int) $_GET['i']; $u = 3; $w = 'same'; "
    "$n = [null, 'v'][$i % 2];\n";
const std::vector<std::string> kQueries = {"x=a&y=q&i=1", "x=b&y=b&i=2", "x=c&y=r&i=3", "x=a&y=s&i=4"};

std::vector<SmallProgram> all_programs() {
  std::vector<SmallProgram> all(kSmallPrograms.begin(), kSmallPrograms.end());
  all.insert(all.end(), kWorldlyPrograms.begin(), kWorldlyPrograms.end());
  return all;
}

std::string shown(const Superposed& result) {
  std::string text;
  for (std::size_t i = 0; i < result.together.size(); ++i) {
    if (result.together[i] == result.alone[i]) continue;
    text += "alone:\n" + result.alone[i] + "\ntogether:\n" + result.together[i] + "\n";
  }
  return text;
}

// Where every lane takes the same branches these must not be denied; elsewhere a denial is right.
TEST(Superposition, SmallProgramsAreRunRightlyOrDenied) {
  Superposer superposer;
  unsigned same = 0;
  for (const SmallProgram& program : all_programs()) {
    const Superposed result = superposer.run(kInputs + program.source, kQueries);
    EXPECT_NE(result.denied, "[dead]") << program.name;
    EXPECT_FALSE(result.differs()) << program.name << "\n" << shown(result);
    if (result.denied.empty()) ++same;
    if (std::getenv("ASSAY_SHOW_DENIALS") != nullptr && !result.denied.empty())
      std::printf("%s: %s\n", program.name, result.denied.c_str());
  }
  EXPECT_GE(same, 90U);
}

TEST(Superposition, RandomProgramsAreRunRightlyOrDenied) {
  const char* wanted = std::getenv("ASSAY_RANDOM_CASES");
  const int cases = wanted != nullptr ? std::atoi(wanted) : 300;
  Superposer superposer;
  int same = 0;
  for (int seed = 1; seed <= cases; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed) * 7919;
    const std::string program = random_program(number);
    const Superposed result = superposer.run(program, random_inputs(number, 2 + number % 4));
    EXPECT_FALSE(result.differs()) << "seed " << number << "\n" << program << "\n" << shown(result);
    if (result.denied.empty()) ++same;
  }
  EXPECT_GT(same, cases / 3);
}

// A guard that nobody misses is no guard, or the programs above do not tell. Where another layer stands behind a guard (C code that
// adds a multivalue to something is denied by its class) nothing is missed; these are the ones that stand alone.
TEST(Superposition, AGuardThatIsTakenAwayIsMissed) {
  for (const char* guard :
       {"ZEND_ISSET_ISEMPTY_CV", "ZEND_ISSET_ISEMPTY_DIM_OBJ", "ZEND_ISSET_ISEMPTY_PROP_OBJ",
        "ZEND_ISSET_ISEMPTY_STATIC_PROP", "ZEND_IS_IDENTICAL", "ZEND_TYPE_CHECK", "ZEND_COALESCE",
        "ZEND_GET_TYPE", "ZEND_MATCH", "ZEND_RECV", "ZEND_ASSIGN", "ZEND_FE_FETCH_R", "divergence",
        "arguments", "engine errors", "builtins"}) {
    Superposer superposer(guard);
    unsigned missed = 0;
    for (const SmallProgram& program : all_programs()) {
      const Superposed result = superposer.run(kInputs + program.source, kQueries);
      if (result.differs() || result.denied == "[dead]") ++missed;
    }
    EXPECT_GT(missed, 0U) << guard;
  }
}

// Requests to one page, recorded and audited.
class Page {
 public:
  Page() : php_(Recorder::on, "assay.code=" + kScripts + "\n") {
    const Fpm fpm(php_, 2);
    for (int i = 0; i < 24; ++i) {
      const std::string query = "rows=40&who=visitor%20" + std::to_string(i);
      const auto parameters = [&](std::uint64_t rid) {
        return parameters_for(kScripts + "/lanes.php", "GET", query, "", 0, rid);
      };
      const std::uint64_t rid = writer_.arrive(parameters, "");
      writer_.response(rid, ask(fpm.socket(), parameters(rid), ""));
    }
  }
  std::string trace() { return writer_.bytes(); }
  audit::Reports reports() const { return audit::Reports::read_folder(php_.reports()); }
  audit::Verdict check(const audit::Trace& trace, const audit::Reports& reports,
                       audit::BatchTally& tally) const {
    return audited(php_, kScripts, trace, reports, {}, {}, {}, 16, &tally);
  }

 private:
  static inline const std::string kScripts = ASSAY_SOURCE_DIR "/tests/php/scripts";
  PhpFolder php_;
  TraceWriter writer_;
};

TEST(Superposition, RequestsThatTookTheSamePathAreAuditedAsOne) {
  Page page;
  const std::string bytes = page.trace();
  const audit::Trace trace("trace", bytes);
  const audit::Reports reports = page.reports();
  audit::BatchTally tally;
  const audit::Verdict verdict = page.check(trace, reports, tally);
  EXPECT_EQ(verdict.decision, audit::Decision::accepted) << told(verdict);
  EXPECT_EQ(tally.agreed, 24U) << (tally.denials.empty() ? "" : tally.denials.begin()->first);
}

// A lie in one lane is found, and told of that request.
TEST(Superposition, LiesAboutRequestsThatAreRunAsOneAreRejected) {
  Page page;
  const std::string bytes = page.trace();
  const audit::Trace honest("trace", bytes);
  const audit::Reports honest_reports = page.reports();
  std::size_t planted = 0;
  for (const audit::Lie& lie : audit::lies()) {
    audit::Draft draft(honest, honest_reports);
    if (!lie.plant(draft, 1)) continue;
    ++planted;
    const WrittenDraft written(draft);
    audit::BatchTally tally;
    const audit::Verdict verdict = page.check(written.trace(), written.reports(), tally);
    const auto expected = lie.harmless ? audit::Decision::accepted : audit::Decision::rejected;
    EXPECT_EQ(verdict.decision, expected) << lie.name << ": " << told(verdict);
  }
  EXPECT_GT(planted, 8U);
}

TEST(Superposition, MostOfAForumIsRunAsOneAndJudgedTheSame) {
  Recording recording;
  recording.visit(2, 1, 60);
  const audit::Trace honest("trace", recording.trace.bytes());
  const audit::Reports reports = audit::Reports::read_folder(recording.php.reports());
  audit::BatchTally tally;
  EXPECT_EQ(recording.check(honest, reports, 16, &tally).decision, audit::Decision::accepted);
  EXPECT_GT(tally.agreed, tally.requests / 2);
  audit::Draft draft(honest, reports);
  const auto& all = audit::lies();
  const auto body = std::find_if(all.begin(), all.end(),
                                 [](const audit::Lie& lie) { return std::string(lie.name) == "body"; });
  ASSERT_TRUE(body != all.end() && body->plant(draft, 1));
  const std::string trace_file = draft.trace_file();
  EXPECT_EQ(recording.check(audit::Trace("trace", trace_file), reports, 16).decision,
            audit::Decision::rejected);
}

}  // namespace
}  // namespace assay::php::testing
