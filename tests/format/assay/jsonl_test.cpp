#include "format/assay/jsonl.hpp"

#include <gtest/gtest.h>

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

History read(const std::string& text, const ReadOptions& options = {}) {
  return read_jsonl(OwnedInput(text), options);
}

std::string refusal(const std::string& text, const ReadOptions& options = {}) {
  return complaint([&] { read(text, options); });
}

TEST(Jsonl, ReadsTheExampleOfTheFormat) {
  const History h = read(
      R"({"s":15,"t":0,"status":"ok","start":5,"end":9,"ops":[["r",167,100004],["w",5,9],["append",1,2],["r",1,[2]],["r",7,null]]})"
      "\n");
  EXPECT_EQ(describe(h),
            "clocks one\n"
            "session 015\n"
            " 00 status 0 [5, 9]; r 0167=0100004; w 05=09; append 01=02; list of 01 01=02; r 07=initial\n");
  EXPECT_EQ(h.format(), "jsonl");
}

TEST(Jsonl, ReadsEveryOperation) {
  const History h = read(
      R"({"ops":[["insert","k",1],["delete","k"],["delete","k","gone"],["predicate","v > 1",[["k",1],["l",null]]],)"
      R"(["range",null,"z",[]],["range",1,null,[["k",2]]],["rows",[["k",1],["l",null]]],["r",{"a" : 1},true]],"status":"info","t":-3,"s":"alice","name":"T9","x-extra":{"deep":[1]}})");
  EXPECT_EQ(
      describe(h),
      "clocks one\n"
      "session 2\"alice\"\n"
      " 2\"T9\" status 2 [-, -]; insert 2\"k\"=01; erase 2\"k\"=initial; erase 2\"k\"=2\"gone\"; "
      "predicate where 2\"v > 1\" from - to - 2\"k\"=01 2\"l\"=initial; range where - from - to 2\"z\"; "
      "range where - from 01 to - 2\"k\"=02; rows where - from - to - 2\"k\"=01 2\"l\"=initial; r "
      "3{\"a\":1}=3true\n");
}

TEST(Jsonl, KeepsAllSixtyFourBits) {
  const History h = read(
      R"({"s":0,"t":0,"status":"ok","ops":[["w",9007199254740993,18446744073709551615],["w",-9223372036854775808,9223372036854775808],["w",1,18446744073709551616],["w",2,-0]]})");
  const auto value = [&](std::uint32_t op) { return h.value(h.version(Op{op})); };
  EXPECT_EQ(h.name(h.key(Op{0})), Atom::integer(9007199254740993));
  EXPECT_EQ(value(0), Atom::natural(UINT64_MAX));
  EXPECT_EQ(h.name(h.key(Op{1})), Atom::integer(INT64_MIN));
  EXPECT_EQ(value(1), Atom::natural(std::uint64_t{1} << 63));
  EXPECT_EQ(value(2), Atom::json("18446744073709551616"));
  EXPECT_EQ(value(3), Atom::integer(0));
}

TEST(Jsonl, UnderstandsEscapes) {
  const History h = read(
      R"({"s":0,"t":0,"status":"ok","ops":[["w","\u0061\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00",1],["w","é😀",1]]})");
  EXPECT_EQ(h.name(h.key(Op{0})).text, "a\"\\/\b\f\n\r\té😀");
  EXPECT_EQ(h.name(h.key(Op{1})).text, "é😀");
}

TEST(Jsonl, SessionsMayInterleaveAndLinesMayBeBlank) {
  const History h = read(
      "\n{\"s\":1,\"t\":0,\"status\":\"ok\",\"ops\":[]}\r\n  "
      "\n{\"s\":2,\"t\":7,\"status\":\"ok\",\"ops\":[]}\n"
      "{\"s\":1,\"t\":5,\"status\":\"fail\",\"ops\":[]}");
  ASSERT_EQ(h.sessions(), 2U);
  EXPECT_EQ(h.transactions_of(Session{0}).size(), 2U);
  EXPECT_EQ(h.name(Txn{1}), Atom::integer(5));
}

TEST(Jsonl, InitialOptions) {
  const std::string text =
      "{\"s\":0,\"t\":0,\"status\":\"ok\",\"ops\":[[\"w\",1,0],[\"w\",2,5]]}\n"
      "{\"s\":0,\"t\":1,\"status\":\"ok\",\"ops\":[[\"r\",1,0],[\"r\",2,5],[\"r\",2,null],[\"r\",3,null],["
      "\"w\",2,5]]}\n";
  const auto second = [&](Initial initial) {
    const std::string all = describe(read(text, {initial, FailedStatements::unknown}));
    return all.substr(all.rfind("\n ") + 1);
  };
  EXPECT_EQ(second(Initial::automatic),
            " 01 status 0 [-, -]; r 01=00; r 02=05; r 02=initial; r 03=initial; w 02=05\n");
  EXPECT_EQ(second(Initial::zero),
            " 01 status 0 [-, -]; r 01=initial; r 02=05; r 02=initial; r 03=initial; w 02=05\n");
  EXPECT_EQ(second(Initial::none),
            " 01 status 0 [-, -]; r 01=00; r 02=05; r 02=3null; r 03=3null; w 02=05\n");
  const History folded = read(text, {Initial::first_transaction, FailedStatements::unknown});
  EXPECT_EQ(folded.transactions(), 1U);
  EXPECT_EQ(second(Initial::first_transaction),
            " 01 status 0 [-, -]; r 01=initial; r 02=initial; r 02=3null; r 03=initial; erase 02=initial\n")
      << "who reads 2 as absent although it was loaded, reads what nobody wrote";
  ASSERT_EQ(folded.notes().size(), 1U);
  EXPECT_NE(folded.notes()[0].find("shown as deletes"), std::string::npos);
}

TEST(Jsonl, WritesOfZeroAreDeletesWhereZeroIsInitial) {
  const History h =
      read(R"({"s":0,"t":0,"status":"ok","ops":[["w",1,0],["insert",1,0],["delete",1,0],["w",1,1]]})",
           {Initial::zero, FailedStatements::unknown});
  EXPECT_EQ(h.count(OpKind::erase), 3U);
  EXPECT_EQ(h.count(OpKind::write), 1U);
  EXPECT_EQ(h.notes().size(), 1U);
}

TEST(Jsonl, FirstTransactionIsTheFirstLine) {
  const History h = read(
      "{\"assay\":\"history\",\"version\":1,\"sessions\":[\"b\",\"a\"]}\n"
      "{\"s\":\"a\",\"t\":0,\"status\":\"ok\",\"ops\":[[\"w\",1,1]]}\n"
      "{\"s\":\"b\",\"t\":0,\"status\":\"ok\",\"ops\":[[\"r\",1,1]]}\n{\"assay\":\"end\",\"transactions\":2}"
      "\n",
      {Initial::first_transaction, FailedStatements::unknown});
  ASSERT_EQ(h.transactions(), 1U);
  EXPECT_EQ(h.sessions(), 1U);
  EXPECT_TRUE(h.is_initial(h.version(Op{0})));
}

TEST(Jsonl, RefusesToFoldWhatIsNoInitialState) {
  const ReadOptions fold{Initial::first_transaction, FailedStatements::unknown};
  EXPECT_NE(
      refusal(R"({"s":0,"t":0,"status":"info","ops":[["w",1,1]]})", fold).find("did not certainly commit"),
      std::string::npos);
  EXPECT_NE(refusal(R"({"s":0,"t":0,"status":"ok","ops":[["r",1,null]]})", fold).find("it reads"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"s":0,"t":0,"status":"ok","ops":[["append",1,1]]})", fold).find("appends"),
            std::string::npos);
}

TEST(Jsonl, WhatIsWholeOfAFileThatWasCutOff) {
  const std::string header = "{\"assay\":\"history\",\"version\":1}\n";
  const std::string line = "{\"s\":0,\"t\":0,\"status\":\"ok\",\"ops\":[[\"w\",\"}\\\"{\",7]]}";
  const std::string next = "\n{\"s\":0,\"t\":1,\"status\":\"ok\",\"ops\":[[\"r\",\"}\\\"{\",7]]}";
  const std::string whole = header + line + next + "\n{\"assay\":\"end\",\"transactions\":2}";
  ReadOptions options;
  options.accept_truncated = true;
  EXPECT_TRUE(read(whole, options).notes().empty());
  for (std::size_t length = header.size(); length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    EXPECT_NE(refusal(cut).find("the file was cut off"), std::string::npos) << cut;
    const History h = read(cut, options);
    const std::size_t complete =
        (length >= header.size() + line.size()) + (length >= header.size() + line.size() + next.size());
    EXPECT_EQ(h.transactions(), complete) << cut;
    ASSERT_EQ(h.notes().size(), 1U) << cut;
    EXPECT_NE(h.notes()[0].find("cut off at line "), std::string::npos);
  }
}

TEST(Jsonl, HeaderAndEnd) {
  const std::string header =
      R"({"assay":"history","version":1,"clocks":"several","notes":["n"],"sessions":[3],"x-a":1})";
  const std::string body = "\n{\"s\":0,\"t\":0,\"status\":\"ok\",\"ops\":[]}\n";
  const History h = read(header + body + R"({"assay":"end","transactions":1})");
  EXPECT_EQ(describe(h), "clocks several\nnote n\nsession 03\nsession 00\n 00 status 0 [-, -]\n");
  EXPECT_EQ(read(R"({"assay":"history","version":1})"
                 "\n"
                 R"({"assay":"end","transactions":0})")
                .transactions(),
            0U);
  EXPECT_EQ(refusal(header + body),
            "input: line 3: the file was cut off: it has a header but no line {\"assay\":\"end\",...}");
  EXPECT_NE(refusal(header + body + R"({"assay":"end","transactions":2})")
                .find("has 1 transactions, but says that it has 2"),
            std::string::npos);
  EXPECT_NE(refusal(header + body + R"({"assay":"end"})").find("needs a field \"transactions\""),
            std::string::npos);
  EXPECT_NE(refusal(header + body + R"({"assay":"end","transactions":1})" + body)
                .find("nothing after the end line"),
            std::string::npos);
  EXPECT_NE(refusal(body + header).find("must be the first line"), std::string::npos);
  EXPECT_NE(refusal(body + R"({"assay":"end","transactions":1})").find("without a header"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"assay":"history","version":2})").find("this is version 2"), std::string::npos);
  EXPECT_NE(refusal(R"({"assay":"history"})").find("needs a field \"version\""), std::string::npos);
  EXPECT_NE(refusal(R"({"assay":"histories","version":1})").find("found \"histories\""), std::string::npos);
  EXPECT_NE(refusal(R"({"assay":"history","version":1,"clocks":"two"})").find("found \"two\""),
            std::string::npos);
  EXPECT_NE(refusal(R"({"assay":"history","version":1,"version":1})").find("twice"), std::string::npos);
  EXPECT_NE(refusal(R"({"assay":"history","version":1,"clock":"one"})").find("unknown field \"clock\""),
            std::string::npos);
}

struct BadLine {
  std::string line;
  std::string position, message;  // both parts of what is said
};

TEST(Jsonl, SaysWhereAndWhatIsWrong) {
  const std::string good = "{\"s\":0,\"t\":0,\"status\":\"ok\",\"ops\":[]}\n";
  const std::vector<BadLine> lines = {
      {R"({"s":0,"t":1,"status":"okay","ops":[]})", "line 2, column 23", "found \"okay\""},
      {R"({"s":0,"t":1,"staus":"ok","ops":[]})", "line 2, column 22", "unknown field \"staus\""},
      {R"({"s":0,"t":1,"ops":[]})", "line 2", "needs a field \"status\""},
      {R"({"s":0,"status":"ok","ops":[]})", "line 2", "needs a field \"t\""},
      {R"({"t":1,"status":"ok","ops":[]})", "line 2", "needs a field \"s\""},
      {R"({"s":0,"t":1,"status":"ok"})", "line 2", "needs a field \"ops\""},
      {R"({"s":0,"t":0,"status":"ok","ops":[]})", "line 2", "session 0 has 0 after 0"},
      {R"({"s":0,"t":-1,"status":"ok","ops":[]})", "line 2", "session 0 has -1 after 0"},
      {R"({"s":0,"s":0,"t":1,"status":"ok","ops":[]})", "line 2", "field \"s\" stands here twice"},
      {R"({"s":null,"t":1,"status":"ok","ops":[]})", "line 2, column 6", "expected a session"},
      {R"({"s":0,"t":1.5,"status":"ok","ops":[]})", "line 2, column 12", "expected an integer, found '1.5"},
      {R"({"s":0,"t":9223372036854775808,"status":"ok","ops":[]})", "line 2", "expected an integer"},
      {R"({"s":0,"t":01,"status":"ok","ops":[]})", "line 2", "must not start with 0"},
      {R"({"s":0,"t":1,"status":"ok","start":9,"end":8,"ops":[]})", "line 2",
       "ends at 8, before it starts at 9"},
      {R"({"s":0,"t":1,"status":"ok","start":-9223372036854775808,"ops":[]})", "line 2", "out of range"},
      {R"({"s":0,"t":1,"status":"ok","start":"now","ops":[]})", "line 2", "a time in nanoseconds"},
      {R"({"s":0,"t":1,"status":"ok","ops":{}})", "line 2", "an array of operations"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["x",1,2]]})", "line 2, column 36", "unknown operation \"x\""},
      {R"({"s":0,"t":1,"status":"ok","ops":[["r",1]]})", "line 2", "the value that was read"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["r",null,1]]})", "line 2", "expected a key"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["r",1,2,3]]})", "line 2", "']' after the operation"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["r",1,[[2]]]]})", "line 2", "a list element"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["w",1,null]]})", "line 2", "expected a value"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["w",1,[2]]]})", "line 2", "expected a value"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["append",1,null]]})", "line 2", "expected a value"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["predicate",null,[]]]})", "line 2", "a predicate"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["range",1,[]]]})", "line 2", "the rows"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["range",1,2,[[1]]]]})", "line 2", "the value of the row"},
      {R"({"s":0,"t":1,"status":"ok","ops":[["rows",1]]})", "line 2", "rows"},
      {R"({"s":0,"t":1,"status":"ok","ops":[],})", "line 2", "a field name"},
      {R"({"s":0,"t":1,"status":"ok","ops":[]} {})", "line 2", "end of the line"},
      {R"({"s":0,"t":1,"status":"ok","ops":[)", "line 2, column 35", "the end of the input"},
      {R"({"s":"abc)", "line 2, column 10", "the string does not end"},
      {R"({"s":"a\x","t":1})", "line 2, column 8", "an escape sequence"},
      {R"({"s":"\ud800","t":1})", "line 2, column 7", "surrogate"},
      {R"({"s":"\u00g0","t":1})", "line 2", "hexadecimal"},
      {"{\"s\":\"\xff\"}", "line 2, column 7", "must be UTF-8, found byte 0xff"},
      {"{\"s\":\"\x01\"}", "line 2, column 7", "control character"},
      {"{\"s\":" + std::string(200, '[') + std::string(200, ']') + "}", "line 2",
       "nested more than 128 deep"},
      {"null", "line 2, column 1", "expected a transaction"},
      {std::string("\0", 1), "line 2, column 1", "byte 0x00"},
      {"{\"s\":1e,\"t\":1}", "line 2", "expected a digit"},
      {"{\"s\":-,\"t\":1}", "line 2", "expected a digit"},
      {"{\"s\":tru}", "line 2", "expected a session"},
      {"{\"s\":0,\"x-a\":[1,}", "line 2", "expected a value"},
  };
  for (const BadLine& bad : lines) {
    const std::string said = refusal(good + bad.line);
    EXPECT_EQ(said.rfind("input: " + bad.position, 0), 0U) << bad.line << "\n" << said;
    EXPECT_NE(said.find(bad.message), std::string::npos) << bad.line << "\n" << said;
  }
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
  EXPECT_NE(refusal(" \n\n").find("empty"), std::string::npos);
  EXPECT_NE(complaint([] { read_jsonl(OwnedInput::directory({}), {}); }).find("this is a directory"),
            std::string::npos);
}

TEST(Jsonl, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const History history = testing::random_history(seed, testing::kEverything);
    write_jsonl(history, folder / "h.jsonl");
    const OwnedInput input = OwnedInput::load(folder / "h.jsonl");
    EXPECT_TRUE(sniff_jsonl(input));
    ASSERT_EQ(describe(read_jsonl(input, {})), describe(history)) << "seed " << seed;
  }
}

TEST(Jsonl, EveryCutOfAWrittenFileIsNoticed) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const History history = testing::random_history(seed, testing::kEverything);
    write_jsonl(history, folder / "h.jsonl");
    const std::string text = testing::file_text(folder / "h.jsonl");
    for (std::size_t length = 0; length < text.size(); ++length) {
      const std::string said = refusal(text.substr(0, length));
      if (length == text.size() - 1) {
        EXPECT_EQ(said, "") << "only the last newline is missing";
      } else {
        EXPECT_NE(said, "") << "seed " << seed << " cut at " << length;
      }
    }
  }
}

TEST(Jsonl, RefusesToWriteWhatItCouldNotReadBack) {
  const TemporaryFolder folder;
  const auto refused = [&](const Atom& key, const Atom& value) {
    HistoryBuilder build;
    build.begin(build.session(Atom::integer(0)), Atom::integer(0));
    build.read(key, value);
    build.end(Status::committed);
    const History history = build.finish();
    return complaint([&] { write_jsonl(history, folder / "h.jsonl"); });
  };
  EXPECT_NE(refused(Atom::integer(1), Atom::json("null")).find("null as an ordinary value"),
            std::string::npos);
  EXPECT_NE(refused(Atom::integer(1), Atom::json("[1]")).find("a list as the value"), std::string::npos);
  EXPECT_NE(refused(Atom::json("null"), Atom::integer(1)).find("null as a name"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "h.jsonl")) << "half a file must not be left behind";
  EXPECT_NE(complaint([&] {
              write_jsonl(read(R"({"s":0,"t":0,"status":"ok","ops":[]})"), folder / "no/such/folder");
            }).find("cannot create the file"),
            std::string::npos);
}

TEST(Jsonl, ReadsEveryPublicHistory) {
  const auto files = testing::files_below(testing::shared_histories(), ".jsonl");
  if (files.empty()) GTEST_SKIP() << "the public histories are not here";
  const TemporaryFolder folder;
  for (const auto& path : files) {
    const OwnedInput input = OwnedInput::load(path);
    EXPECT_TRUE(sniff_jsonl(input)) << path;
    const History history = read_jsonl(input, {});
    EXPECT_GT(history.transactions(), 0U) << path;
    write_jsonl(history, folder / "h.jsonl");
    EXPECT_EQ(describe(read_jsonl(OwnedInput::load(folder / "h.jsonl"), {})), describe(history)) << path;
  }
}

TEST(Jsonl, CutsOfAPublicHistoryNeverCrash) {
  const auto path = testing::shared_histories() / "made/neutral/write-skew.jsonl";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the public histories are not here";
  const std::string text = testing::file_text(path);
  const std::uint32_t all = read(text).transactions();
  for (std::size_t length = 0; length < text.size(); ++length) {
    const bool line_end = length > 0 && (text[length] == '\n' || text[length - 1] == '\n');
    std::uint32_t seen = 0;
    const std::string said = complaint([&] { seen = read(text.substr(0, length)).transactions(); });
    // Without a header a cut between lines cannot be told from a shorter history.
    EXPECT_TRUE(!said.empty() || line_end || seen == all) << "cut at " << length;
  }
}

}  // namespace
}  // namespace assay::format
