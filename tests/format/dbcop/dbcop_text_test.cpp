// The two text notations of dbcop's 2025 rewrite.
#include <gtest/gtest.h>

#include "format/dbcop/dbcop_dsl.hpp"
#include "format/dbcop/dbcop_json.hpp"
#include "history/builder.hpp"
#include "support/every_history.hpp"
#include "support/inputs.hpp"
#include "support/program.hpp"
#include "support/same_history.hpp"

namespace assay::format {
namespace {

using testing::complaint;
using testing::describe;
using testing::OwnedInput;
using testing::TemporaryFolder;

History json(const std::string& text, const ReadOptions& options = {}) {
  return read_dbcop_json(OwnedInput(text), options);
}
History dsl(const std::string& text, const ReadOptions& options = {}) {
  return read_dbcop_dsl(OwnedInput(text), options);
}

std::string json_refusal(const std::string& text) {
  return complaint([&] { json(text); });
}
std::string dsl_refusal(const std::string& text) {
  return complaint([&] { dsl(text); });
}

constexpr const char* kExpected =
    "clocks one\n"
    "session 00\n 00 status 0 [-, -]; w 00=01; r 00=initial\n 01 status 1 [-, -]; w "
    "00=118446744073709551615\n"
    "session 01\n 00 status 0 [-, -]; r 2\"y\"=02\n";

TEST(DbcopJson, ReadsBareAndWrappedSessions) {
  const std::string sessions =
      R"([[{"events":[{"Write":{"variable":0,"version":1}},{"Read":{"version":null,"variable":0}}],"committed":true},
           {"committed":false,"events":[["w",0,18446744073709551615]]}],
          [{"events":[["r","y",2]],"committed":true}]])";
  EXPECT_EQ(describe(json(sessions)), kExpected);
  EXPECT_EQ(
      describe(json(R"({"params":{"id":0},"info":"x","start":"2026","end":null,"data":)" + sessions + "}")),
      kExpected);
}

TEST(DbcopJson, SaysWhereAndWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "input: line 1, column 1: expected an array of sessions"},
      {"{}", "needs a field \"data\""},
      {R"({"data":[],"data":[]})", "twice"},
      {"[{}]", "expected a session"},
      {"[[[]]]", "expected a transaction"},
      {"[[{}]]", "needs the fields \"events\" and \"committed\""},
      {R"([[{"events":[]}]])", "needs the fields \"events\" and \"committed\""},
      {R"([[{"events":[],"committed":1}]])", "true or false"},
      {R"([[{"events":[],"events":[],"committed":true}]])", "each once, found \"events\""},
      {R"([[{"events":[{}],"committed":true}]])", "an empty object"},
      {R"([[{"events":[{"Delete":{}}],"committed":true}]])", "found \"Delete\""},
      {R"([[{"events":[{"Read":{"variable":1,"version":1},"Write":{}}],"committed":true}]])",
       "found \"Write\""},
      {R"([[{"events":[{"Write":{"variable":1,"version":null}}],"committed":true}]])",
       "a version, that is a number, found null"},
      {R"([[{"events":[{"Read":{"variable":1}}],"committed":true}]])",
       "needs the fields \"variable\" and \"version\""},
      {R"([[{"events":[{"Read":{"variable":1.5,"version":1}}],"committed":true}]])",
       "a variable, that is a number or a string, found 1.5"},
      {R"([[{"events":[["x",1,2]],"committed":true}]])", "found \"x\""},
      {R"([[{"events":[["r",1]],"committed":true}]])", "',' and a version"},
      {"[] 1", "the end of the input"},
  };
  for (const auto& [text, message] : bad) {
    const std::string said = json_refusal(text);
    EXPECT_NE(said.find(message), std::string::npos) << text << "\n" << said;
  }
}

TEST(DbcopDsl, ReadsTheExampleOfTheFormat) {
  const History h = dsl(
      "// first\n[x:=1 y==2 z==?] [x:=2]!\r\n\n[0:=5]\n--- \n---\n\t[a_1==18446744073709551615 ]\n// end\n");
  EXPECT_EQ(describe(h),
            "clocks one\n"
            "session 00\n 00 status 0 [-, -]; w 2\"x\"=01; r 2\"y\"=02; r 2\"z\"=initial\n 01 status 1 [-, "
            "-]; w 2\"x\"=02\n"
            " 02 status 0 [-, -]; w 00=05\nsession 01\nsession 02\n 00 status 0 [-, -]; r "
            "2\"a_1\"=118446744073709551615\n");
}

TEST(DbcopDsl, SaysWhereAndWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "no transaction"},
      {"// only words\n", "no transaction"},
      {"\n[x:=1 y=2]\n", "input: line 2, column 8: expected ':=' or '==', found '=2]'"},
      {"[x:=]\n", "a version, that is a natural number, found ']'"},
      {"[x:=?]\n", "a version, that is a natural number, found '?"},
      {"[x==-1]\n", "or '?', found '-1]'"},
      {"[x==01]\n", "a natural number"},
      {"[x==18446744073709551616]\n", "a natural number"},
      {"[x:=1y:=2]\n", "a natural number"},
      {"[x==?y:=2]\n", "a blank or ']' after the event"},
      {"[:=1]\n", "a variable or ']'"},
      {"[x:=1\n]\n", "a blank or ']' after the event, found the end of the line"},
      {"[x:=1", "the end of the input"},
      {"[x:=1]", "the end of the last line"},
      {"[x:=1]\n--", "the end of the last line"},
      {"[x:=1] ---\n", "expected a transaction in brackets"},
      {"--- [x:=1]\n", "the end of the line after the dashes"},
      {"x:=1\n", "expected a transaction in brackets"},
      {"[x:=1]?\n", "expected a transaction in brackets"},
  };
  for (const auto& [text, message] : bad) {
    const std::string said = dsl_refusal(text);
    EXPECT_NE(said.find(message), std::string::npos) << text << "\n" << said;
  }
}

TEST(DbcopText, InitialOptions) {
  const std::string text = "[x:=0 y:=3]\n[x==0 y==3 z==?]\n";
  const auto last = [&](Initial initial) {
    const std::string all = describe(dsl(text, {initial, FailedStatements::unknown}));
    return all.substr(all.rfind("]; ") + 3);
  };
  EXPECT_EQ(last(Initial::automatic), "r 2\"x\"=00; r 2\"y\"=03; r 2\"z\"=initial\n");
  EXPECT_EQ(last(Initial::zero), "r 2\"x\"=initial; r 2\"y\"=03; r 2\"z\"=initial\n");
  EXPECT_EQ(last(Initial::none), "r 2\"x\"=00; r 2\"y\"=03; r 2\"z\"=3null\n");
  EXPECT_EQ(last(Initial::first_transaction), "r 2\"x\"=initial; r 2\"y\"=initial; r 2\"z\"=initial\n");
  const History folded =
      json(R"([[{"events":[["w",0,1]],"committed":true}],[{"events":[["r",0,1]],"committed":true}]])",
           {Initial::first_transaction, FailedStatements::unknown});
  EXPECT_EQ(folded.transactions(), 1U);
  EXPECT_TRUE(folded.is_initial(folded.version(Op{0})));
}

TEST(DbcopText, WhatIsWrittenIsReadBackAndEveryCutIsNoticed) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const History history = testing::random_history(seed, {.aborted = true});
    write_dbcop_json(history, folder / "h.json");
    write_dbcop_dsl(history, folder / "h.txt");
    const OwnedInput as_json = OwnedInput::load(folder / "h.json");
    const OwnedInput as_dsl = OwnedInput::load(folder / "h.txt");
    EXPECT_TRUE(sniff_dbcop_json(as_json));
    EXPECT_FALSE(sniff_dbcop_dsl(as_json));
    EXPECT_TRUE(testing::same_up_to_names(read_dbcop_json(as_json, {}), history)) << "seed " << seed;
    EXPECT_TRUE(testing::same_up_to_names(read_dbcop_dsl(as_dsl, {}), history)) << "seed " << seed;
    EXPECT_EQ(describe(read_dbcop_json(as_json, {})), describe(read_dbcop_dsl(as_dsl, {})));
    EXPECT_FALSE(sniff_dbcop_json(as_dsl));
    EXPECT_TRUE(sniff_dbcop_dsl(as_dsl)) << testing::file_text(folder / "h.txt");
    if (seed >= 10) continue;
    const std::string json_text = testing::file_text(folder / "h.json");
    for (std::size_t length = 0; length + 1 < json_text.size(); ++length) {
      EXPECT_NE(json_refusal(json_text.substr(0, length)), "") << length;
    }
    const std::string dsl_text = testing::file_text(folder / "h.txt");
    for (std::size_t length = 0; length < dsl_text.size(); ++length) {
      // Between two lines a cut cannot be seen.
      const bool between = length > 0 && dsl_text[length - 1] == '\n';
      const std::string said = dsl_refusal(dsl_text.substr(0, length));
      EXPECT_TRUE(!said.empty() || between) << length;
    }
  }
}

TEST(DbcopText, RefusesToWriteWhatTheFormatHasNoWordFor) {
  const TemporaryFolder folder;
  const auto refusals = [&](auto&& operations, Status status) {
    HistoryBuilder build;
    build.begin(build.session(Atom::integer(0)), Atom::integer(0));
    operations(build);
    build.end(status);
    const History history = build.finish();
    return std::pair(complaint([&] { write_dbcop_json(history, folder / "h.json"); }),
                     complaint([&] { write_dbcop_dsl(history, folder / "h.txt"); }));
  };
  const Atom x = Atom::string("x");
  const Atom one = Atom::integer(1);
  const auto both = [&](auto&& operations, const char* what, Status status = Status::committed) {
    const auto [as_json, as_dsl] = refusals(operations, status);
    EXPECT_NE(as_json.find(what), std::string::npos) << as_json;
    EXPECT_NE(as_dsl.find(what), std::string::npos) << as_dsl;
  };
  both([&](HistoryBuilder& b) { b.erase(x); }, "a delete");
  both([&](HistoryBuilder& b) { b.append(x, one); }, "an operation on a list");
  both([&](HistoryBuilder& b) { b.list_read(x, {}); }, "an operation on a list");
  both([&](HistoryBuilder& b) { b.predicate_read(x, {}); }, "a predicate or range read");
  both([&](HistoryBuilder& b) { b.range_read({}, {}, {}); }, "a predicate or range read");
  both([&](HistoryBuilder& b) { b.write(Atom::integer(-1), one); }, "the key -1");
  both([&](HistoryBuilder& b) { b.write(Atom::json("true"), one); }, "the key true");
  both([&](HistoryBuilder& b) { b.write(x, Atom::integer(-1)); }, "the value -1");
  both([&](HistoryBuilder& b) { b.write(x, x); }, "the value \"x\"");
  both([&](HistoryBuilder& b) { b.write(x, one); }, "unknown fate", Status::unknown);
  const auto only_dsl = [&](auto&& operations, const char* what) {
    const auto [as_json, as_dsl] = refusals(operations, Status::committed);
    EXPECT_EQ(as_json, "");
    EXPECT_NE(as_dsl.find(what), std::string::npos) << as_dsl;
  };
  only_dsl([](HistoryBuilder&) {}, "without operations");
  only_dsl([&](HistoryBuilder& b) { b.write(Atom::string("a b"), one); }, "the key \"a b\" in its DSL");
  only_dsl([&](HistoryBuilder& b) { b.write(Atom::string("12"), one); }, "the key \"12\" in its DSL");
}

TEST(DbcopText, Sniffs) {
  EXPECT_TRUE(sniff_dbcop_json(OwnedInput(R"({"params":{},"data":[]})")));
  EXPECT_TRUE(sniff_dbcop_json(OwnedInput("[[], []]")));
  EXPECT_FALSE(sniff_dbcop_json(OwnedInput(R"([{"type":"ok","value":[]}])")));
  EXPECT_FALSE(sniff_dbcop_json(OwnedInput("w(1,2,3,4)")));
  EXPECT_TRUE(sniff_dbcop_dsl(OwnedInput("// c\n---\n [x==?]\n")));
  EXPECT_FALSE(sniff_dbcop_dsl(OwnedInput("[{:type :ok :process 0 :value [[:r 1 1]]}]")));
  EXPECT_FALSE(sniff_dbcop_dsl(OwnedInput("r 1 1\n-----\nw 0 0\n")));
}

}  // namespace
}  // namespace assay::format
