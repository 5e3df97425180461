// What CI systems read: JUnit files, GitHub's annotations, graphs.
#include "report/junit.hpp"

#include <gtest/gtest.h>

#include "history/builder.hpp"
#include "report/dot.hpp"
#include "support/examined.hpp"
#include "support/random/draw.hpp"
#include "support/xml.hpp"

namespace assay::report {
namespace {

using check::Outcome;
using check::Rule;
using check::Verdict;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Outcome outcome(Level level, Verdict verdict) {
  Outcome result;
  result.level = level;
  result.verdict = verdict;
  return result;
}

// s1: r(KEY)=initial w(KEY)=1 | s2: the same with 2
History counter(std::string_view key, std::string_view path) {
  HistoryBuilder build;
  for (const int i : {1, 2}) {
    build.begin(build.session(Atom::string(std::string(key) + std::to_string(i))), Atom::integer(i));
    build.read_initial(Atom::string(key));
    build.write(Atom::string(key), Atom::integer(i));
    build.end(Status::committed);
  }
  build.source(std::string(path), "jsonl");
  return build.finish();
}

Outcome lost_update(Level level) {
  Outcome result = outcome(level, Verdict::violated);
  result.derivation.steps = {{{Txn{0}}, {Txn{1}}, Rule::initial, Key{0}, kInitialTxn, {}},
                             {{Txn{1}}, {Txn{0}}, Rule::initial, Key{0}, kInitialTxn, {}}};
  result.derivation.cycle = {0, 1};
  return result;
}

const std::string kEvil = "<a href=\"x\">]]>&\x01\n%0A::error::'\\\xEF\xBF\xBE\xC3(";

TEST(XmlCheck, KnowsWhatIsNotWellFormed) {
  using testing::xml_error;
  EXPECT_EQ(xml_error("<a b=\"1\"><c/>x &lt;&#10;</a>\n"), "");
  for (const char* bad :
       {"<a>", "<a></b>", "<a>&</a>", "<a>\x01</a>", "<a b=\"<\"/>", "<a/><b/>", "x", "<a b='1/>"})
    EXPECT_NE(xml_error(bad), "") << bad;
}

TEST(JUnit, HasATestCasePerLevel) {
  const History history = counter("x", "run.jsonl");
  Outcome undecided = outcome(Level::strict_serializable, Verdict::undecided);
  undecided.reason = "the time limit was reached";
  const Outcome outcomes[] = {outcome(Level::causal, Verdict::holds), lost_update(Level::snapshot_isolation),
                              lost_update(Level::serializable), undecided};
  const std::string file = junit(examined(history, outcomes));
  EXPECT_EQ(testing::xml_error(file), "");
  EXPECT_TRUE(contains(file, "tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\"")) << file;
  EXPECT_TRUE(contains(file, "<testcase classname=\"run.jsonl\" name=\"causal\" time=\"0.000000\"/>"))
      << file;
  EXPECT_TRUE(contains(file, "message=\"snapshot-isolation is violated\">")) << file;
  EXPECT_TRUE(contains(file, "read the initial value of key x")) << file;
  EXPECT_TRUE(contains(file, "serializable is violated, since snapshot-isolation is")) << file;
  EXPECT_TRUE(
      contains(file, "<skipped message=\"strict-serializable is undecided: the time limit was reached\"/>"))
      << file;
}

TEST(JUnit, ATestOfNothingIsSkipped) {
  const Outcome outcomes[] = {outcome(Level::causal, Verdict::holds)};
  const std::string file = junit(examined(HistoryBuilder().finish(), outcomes));
  EXPECT_EQ(testing::xml_error(file), "");
  EXPECT_TRUE(contains(file, "skipped=\"1\"")) << file;
  EXPECT_TRUE(contains(file, "<skipped message=\"nothing was tested: no transaction committed\"/>")) << file;
}

TEST(JUnit, IsWellFormedWhateverTheKeys) {
  const History history = counter(kEvil, kEvil);
  Outcome undecided = outcome(Level::serializable, Verdict::undecided);
  undecided.reason = kEvil;
  const Outcome outcomes[] = {lost_update(Level::snapshot_isolation), undecided};
  const std::string file = junit(examined(history, outcomes));
  EXPECT_EQ(testing::xml_error(file), "") << file;
  EXPECT_FALSE(contains(file, "\xEF\xBF\xBE")) << "U+FFFE is no character of XML";
}

TEST(Annotations, TellWhatIsViolatedOnALineEach) {
  const History history = counter("x", "dir,a:b.jsonl");
  const Outcome outcomes[] = {outcome(Level::causal, Verdict::holds), lost_update(Level::snapshot_isolation),
                              outcome(Level::prefix, Verdict::undecided)};
  const std::string told = annotations(examined(history, outcomes));
  EXPECT_TRUE(
      told.starts_with("::error file=dir%2Ca%3Ab.jsonl,title=snapshot-isolation is violated::"
                       "snapshot-isolation is violated%0A"))
      << told;
  EXPECT_TRUE(
      contains(told, "\n::warning file=dir%2Ca%3Ab.jsonl,title=prefix is undecided::prefix is undecided\n"));
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 2);
}

TEST(Annotations, AKeyCannotBeginALineOfItsOwn) {
  const History history = counter(kEvil, kEvil);
  const Outcome outcomes[] = {lost_update(Level::serializable)};
  const std::string told = annotations(examined(history, outcomes));
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  EXPECT_TRUE(contains(told, "%250A")) << "the key's own %0A stays one\n" << told;
}

TEST(Dot, DrawsTheCycleByLanes) {
  const History history = counter("x", "run.jsonl");
  const Outcome outcomes[] = {lost_update(Level::serializable)};
  const std::string graph = dot(examined(history, outcomes));
  EXPECT_TRUE(contains(graph, "label=\"session x1\"")) << graph;
  EXPECT_TRUE(contains(graph, "\"l0_s0_t0\" [label=\"A: transaction 1\\lr(x)=initial\\lw(x)=1\\l\"];"))
      << graph;
  EXPECT_TRUE(contains(graph, "\"l0_s0_t0\" -> \"l0_s0_t1\" [label=\"initial x\"")) << graph;
  EXPECT_TRUE(contains(graph, "penwidth=2.5")) << graph;
}

// Outside of quoted strings nothing but what the graph itself says.
TEST(Dot, QuotesWhateverTheKeys) {
  const History history = counter(kEvil + "\\\" -> evil [", "p");
  const Outcome outcomes[] = {lost_update(Level::serializable)};
  const std::string graph = dot(examined(history, outcomes));
  std::string bare;
  bool inside = false;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (inside && graph[i] == '\\') {
      ++i;
    } else if (graph[i] == '"') {
      inside = !inside;
    } else if (!inside) {
      bare += graph[i];
    }
  }
  EXPECT_FALSE(inside);
  EXPECT_FALSE(contains(bare, "evil")) << bare;
  EXPECT_FALSE(contains(bare, "<")) << bare;
  EXPECT_EQ(std::count(bare.begin(), bare.end(), '{'), std::count(bare.begin(), bare.end(), '}'));
}

TEST(Dot, SaysSoWhereNothingIsViolated) {
  const History history = counter("x", "run.jsonl");
  const Outcome outcomes[] = {outcome(Level::causal, Verdict::holds),
                              outcome(Level::prefix, Verdict::undecided)};
  EXPECT_TRUE(contains(dot(examined(history, outcomes)), "label=\"causal holds, prefix is undecided\""));
}

}  // namespace
}  // namespace assay::report
