// Jepsen's histories in both notations: what they share is tested through EDN, the more demanding one.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "format/assay/jsonl.hpp"
#include "format/jepsen/elle_edn.hpp"
#include "format/jepsen/elle_json.hpp"
#include "support/inputs.hpp"
#include "support/program.hpp"
#include "support/same_history.hpp"

namespace assay::format {
namespace {

using testing::complaint;
using testing::describe;
using testing::OwnedInput;

History edn(const std::string& text, const ReadOptions& options = {}) {
  return read_elle_edn(OwnedInput(text), options);
}
History json(const std::string& text, const ReadOptions& options = {}) {
  return read_elle_json(OwnedInput(text), options);
}
std::string edn_refusal(const std::string& text, const ReadOptions& options = {}) {
  return complaint([&] { edn(text, options); });
}
std::string json_refusal(const std::string& text) {
  return complaint([&] { json(text); });
}

constexpr const char* kOrderNote =
    "note the operations have no times; their order in the file stands for real time\n";

TEST(Elle, PairsInvocationsWithCompletions) {
  const History h =
      edn("{:type :invoke, :f :txn, :value [[:r :x nil] [:w :y 1]], :process 0, :time 10, :index 0}\n"
          "{:type :invoke, :f :txn, :value [[:append 1 2] [:r 1 nil]], :process 1, :time 11, :index 1}\n"
          "{:type :ok, :f :txn, :value [[:r :x 3] [:w :y 1]], :process 0, :time 12, :index 2}\n"
          "{:type :info, :f :kill, :value :all, :process :nemesis, :time 13, :index 3}\n"
          "{:type :fail, :f :txn, :value [[:append 1 2] [:r 1 nil]], :process 1, :time 14, :index 4}\n"
          "{:type :invoke, :f :txn, :value [[:w \"y\" 2] [:r :x nil]], :process 0, :time 15, :index 5}\n"
          "{:type :info, :f :txn, :value nil, :process 0, :time 16, :error :timeout, :index 6}\n"
          "{:type :invoke, :f :txn, :value [[:w :z 5]], :process 7, :time 17, :index 7}\n");
  EXPECT_EQ(describe(h),
            "clocks one\n"
            "session 00\n"
            " 02 status 0 [10, 12]; r 2\":x\"=03; w 2\":y\"=01\n"
            " 06 status 2 [15, -]; w 2\"y\"=02\n"
            "session 01\n"
            " 04 status 1 [11, 14]; append 01=02\n"
            "session 07\n"
            " 07 status 2 [17, -]; w 2\":z\"=05\n");
  EXPECT_EQ(h.format(), "edn");
}

TEST(Elle, WhatIsWrittenIsReadAgain) {
  const std::string entries =
      "{:type :invoke, :f :txn, :value [[:r \"x \\\"1\\\"\" nil] [:w 2 1]], :process 0, :time 10, :index 0}\n"
      "{:type :invoke, :f :txn, :value [[:append 1 2] [:r 1 nil]], :process 1, :time 11, :index 1}\n"
      "{:type :ok, :f :txn, :value [[:r \"x \\\"1\\\"\" nil] [:w 2 1]], :process 0, :time 12, :index 2}\n"
      "{:type :invoke, :f :txn, :value [[:append 1 4]], :process 3, :time 12, :index 3}\n"
      "{:type :ok, :f :txn, :value [[:append 1 2] [:r 1 [2]]], :process 1, :time 14, :index 4}\n"
      "{:type :fail, :f :txn, :value [[:append 1 4]], :process 3, :time 15, :index 5}\n"
      "{:type :invoke, :f :txn, :value [[:w 2 2]], :process 0, :time 15, :index 6}\n"
      "{:type :info, :f :txn, :value nil, :process 0, :time 16, :index 7}\n";
  const History h = edn(entries);
  const testing::TemporaryFolder folder;
  write_elle_edn(h, folder.file("written.edn"));
  std::ostringstream content;
  content << std::ifstream(folder.file("written.edn")).rdbuf();
  const std::string written = content.str();
  const History again = edn(written);
  ASSERT_EQ(again.transactions(), h.transactions());
  for (const Txn t : h.all_transactions()) {
    EXPECT_EQ(again.status(t), h.status(t));
    EXPECT_EQ(again.start(t), h.start(t));
    EXPECT_EQ(again.end(t), h.end(t));
    EXPECT_EQ(again.operations_of(t).size(), h.operations_of(t).size());
  }
  EXPECT_NE(written.find("[:append 1 2] [:r 1 [2]]"), std::string::npos) << written;
  // Who begins at the moment at which another ends does not begin after it.
  EXPECT_LT(written.find(":type :invoke, :process 3"), written.find(":type :ok, :process 0")) << written;
  const History clockless = edn("{:type :ok :process 1 :value [[:w 1 1]]}");
  EXPECT_NE(complaint([&] { write_elle_edn(clockless, folder.file("refused.edn")); }).find("times"),
            std::string::npos)
      << "an order of entries would claim what nobody knows";
}

TEST(Elle, ListsAndEmptyReads) {
  const History h =
      edn("{:type :ok :process 1 :value [[:r 1 [1 2]] [:r 2 []] [:r 3 nil] [:append 1 3] [:r 4 (5)]]}");
  EXPECT_EQ(describe(h),
            std::string("clocks one\n") + kOrderNote +
                "session 01\n 00 status 0 [-, 0]; list of 01 01=01 01=02; list of 02; r 03=initial; "
                "append 01=03; list of 04 04=05\n");
}

TEST(Elle, WithoutTimesTheOrderOfTheFileIsRealTime) {
  const History h =
      edn("{:type :invoke :process 0 :value [[:w 1 1]]} {:type :invoke :process 1 :value [[:w 1 2]]}"
          "{:type :ok :process 1 :value [[:w 1 2]]} {:type :ok :process 0 :value [[:w 1 1]]}");
  EXPECT_EQ(h.start(Txn{0}), 1) << "process 1 completes first";
  EXPECT_EQ(h.end(Txn{0}), 2);
  EXPECT_EQ(h.start(Txn{1}), 0);
  EXPECT_EQ(h.end(Txn{1}), 3);
}

TEST(Elle, OperationsWithoutProcessAreSessionsOfTheirOwn) {
  const History h =
      edn("[{:type :invoke, :f :read, :value [[:r 0 nil]]} {:type :ok, :f :read, :value [[:r 0 1]]},"
          " {:type :invoke, :f :write, :value [[:w 0 1]]} {:type :ok, :f :write, :value [[:w 0 1]]}]");
  EXPECT_EQ(h.sessions(), 2U);
  EXPECT_EQ(h.transactions(), 2U);
  EXPECT_NE(edn_refusal("{:type :invoke :value [[:w 0 1]]} {:type :invoke :value [[:w 0 2]]}")
                .find("cannot be told apart"),
            std::string::npos);
}

TEST(Elle, AProcessThatInvokesAgainLeftItsOperationOpen) {
  const History h =
      edn("{:type :invoke :process 0 :value [[:w 1 1]]} {:type :invoke :process 0 :value [[:w 1 2]]}"
          "{:type :ok :process 0 :value [[:w 1 2]]}");
  ASSERT_EQ(h.transactions(), 2U);
  EXPECT_EQ(h.status(Txn{0}), Status::unknown);
  EXPECT_EQ(h.status(Txn{1}), Status::committed);
}

TEST(Elle, ReadsAllOfEdn) {
  const History h =
      edn("; a comment\n#jepsen.history.Op{:type :ok, #_ {:process 9} :process 0, :value [[:w :a/b 12N] [:w "
          "\"s\\\"\\u00e9\\n\" +5]"
          " [:w 1 1.5M] [:w 1 -2e3] [:w 1 true] [:w 18446744073709551615 -99999999999999999999]],"
          " :error [#{1 2} \\a \\newline sym 1/2 ##Inf #inst \"2020\" nil], :extra {:m {} #_#_ 1 "
          "2}}\n#_{:type :bogus}");
  EXPECT_EQ(
      describe(h),
      std::string("clocks one\n") + kOrderNote +
          "session 00\n 00 status 0 [-, 0]; w 2\":a/b\"=012; w 2\"s\\\"é\\n\"=05; w 01=31.5; w 01=3-2e3; "
          "w 01=3true; w 118446744073709551615=3-99999999999999999999\n");
  EXPECT_EQ(edn("#history [{:type :ok :process 0 :value []}]").transactions(), 1U);
  EXPECT_EQ(edn("({:type :ok :process 0 :value []})").transactions(), 1U);
}

TEST(Elle, KeywordsAndStringsNeverCollide) {
  const History h = edn("{:type :ok :process 0 :value [[:w :x 1] [:w \"x\" 1]]}");
  EXPECT_EQ(h.keys(), 2U);
  EXPECT_NE(
      edn_refusal("{:type :ok :process 0 :value [[:w \":x\" 1]]}").find("cannot be told from a keyword"),
      std::string::npos);
}

TEST(Elle, SaysWhereAndWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "no operation"},
      {"[]", "no operation"},
      {"{:type :info :process :nemesis}", "no operation"},
      {"{:type :ok :process 0 :value [[:r 1",
       "input: line 1, column 31: this form does not end: expected ']'"},
      {"[{:type :ok :process 0 :value []}", "input: line 1, column 1: this form does not end"},
      {"\n{:type :ok :process 0 :value [[:r 1]]}", "input: line 2, column 31: expected a micro-operation"},
      {"{:type :ok :process 0 :value [[:r 1 2] 3]}", "expected a micro-operation"},
      {"{:type :ok :process 0 :value [[:cas 1 2]]}",
       "expected a micro-operation r, w or append, found ':cas"},
      {"{:type :ok :process 0 :value [[:w 1 nil]]}", "expected the value that was written"},
      {"{:type :ok :process 0 :value [[:w [1] 2]]}",
       "expected a key: a number, a string or a keyword; found '[1]"},
      {"{:type :ok :process 0 :value [[:r 1 #{2}]]}", "expected the value that was read"},
      {"{:type :ok :process 0 :value [[:w 1 sym]]}", "found 'sym"},
      {"{:type :ok :process 0}", "an operation that is ok needs its value"},
      {"{:process 0 :value []}", "needs a type"},
      {"{:type :done :process 0 :value []}", "found ':done"},
      {"{:type :ok :process 1.5 :value []}", "expected an integer for process"},
      {"{:type :ok :process 0 :time 1.5 :value []}", "expected an integer for time"},
      {"{:type :ok :process 0 :time -9223372036854775808 :value []}", "out of range"},
      {"{:type :invoke :process 0 :time 5 :value []}{:type :ok :process 0 :time 4 :value []}",
       "completes at 4, before"},
      {"{:type :ok :process}", "a map needs a value for each key"},
      {"[[1]]", "expected an operation, that is a map"},
      {"[{:type :ok :process 0 :value []}] 5", "expected the end of the input"},
      {"{:type \"ok", "the string does not end"},
      {"{:type \"\\q\"}", "an escape sequence"},
      {"{:type \"\\ud800\"}", "surrogate"},
      {"{:type \"\\u12\"}", "hexadecimal"},
      {"{:type \"\xff\"}", "must be UTF-8"},
      {"{:type 012}", "must not start with 0"},
      {"{:type 1x}", "expected a number"},
      {"{:type :}", "expected a keyword"},
      {"{:type #}", "a tag or a set"},
      {"}", "expected a form"},
      {"#_", "expected a form"},
      {"{:type \\", "expected a character"},
      {std::string("{:type :ok :process 0 :value []}\0{", 34), "byte 0x00"},
      {std::string(500, '['), "nested more than 128 deep"},
      {"[" +
           [] {
             std::string tags;
             for (int i = 0; i < 300; ++i) tags += "#_";
             return tags;
           }(),
       "nested more than 128 deep"},
  };
  for (const auto& [text, message] : bad)
    EXPECT_NE(edn_refusal(text).find(message), std::string::npos) << text << "\n" << edn_refusal(text);
}

TEST(Elle, RefusesOtherModelsByName) {
  const auto model = [](const std::string& ops) { return edn_refusal(ops); };
  EXPECT_NE(
      model("{:type :ok :process 0 :f :transfer :value {:from 0 :to 1 :amount 5}}").find("a bank history"),
      std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :read :value {0 10}}").find("a bank history"), std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :add :value 1}{:type :ok :process 0 :f :read :value [1]}")
                .find("a set history"),
            std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :add :value 1}{:type :ok :process 0 :f :read :value #{1}}")
                .find("a set history"),
            std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :add :value 1}{:type :ok :process 0 :f :read :value 1}")
                .find("a counter history"),
            std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :add :value 1}").find("a set or counter history"),
            std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :read :value 1}{:type :ok :process 0 :f :cas :value [1 2]}")
                .find("a cas-register history"),
            std::string::npos);
  EXPECT_NE(model("{:type :invoke :process 0 :f :acquire :value nil}").find("a mutex history"),
            std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :enqueue :value 1}").find("a queue history"), std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :write :value 1}{:type :ok :process 0 :f :read :value [1]}")
                .find("a comments history"),
            std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :write :value 1}{:type :ok :process 0 :f :read :value 1}")
                .find("a register history"),
            std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :generate :value 1}").find("a unique-ids history"),
            std::string::npos);
  EXPECT_NE(model("{:type :ok :process 0 :f :frobnicate :value 1}").find("functions: frobnicate"),
            std::string::npos);
  EXPECT_EQ(model("\n{:type :ok :process 0 :f :transfer :value 1}")
                .rfind("input: line 2, column 43: this is a bank", 0),
            0U);
}

TEST(Elle, InitialOptions) {
  const std::string text =
      "{:type :ok :process 3 :value [[:w 1 0]]}{:type :ok :process 0 :value [[:r 1 0] [:r 2 nil]]}";
  const auto last = [&](Initial initial) {
    const std::string all = describe(edn(text, {initial, FailedStatements::unknown}));
    return all.substr(all.rfind("]; ") + 3);
  };
  EXPECT_EQ(last(Initial::automatic), "r 01=00; r 02=initial\n");
  EXPECT_EQ(last(Initial::zero), "r 01=initial; r 02=initial\n");
  EXPECT_EQ(last(Initial::none), "r 01=00; r 02=3null\n");
  EXPECT_EQ(last(Initial::first_transaction), "r 01=initial; r 02=initial\n");
  EXPECT_EQ(edn(text, {Initial::first_transaction, FailedStatements::unknown}).transactions(), 1U);
}

TEST(Elle, JsonIsTheSameHistory) {
  const std::string array =
      R"([{"type":"invoke","f":"txn","process":0,"time":5,"index":0,"value":[["r","x",null],["w","y",1]]},
          {"type":"info","f":"kill","process":"nemesis","value":null},
          {"type":"ok","f":"txn","process":0,"time":9,"index":4,"value":[["r","x",3],["w","y",1.5],["r",1,[2,"a"]]]}])";
  const std::string expected =
      "clocks one\nsession 00\n 04 status 0 [5, 9]; r 2\"x\"=03; w 2\"y\"=31.5; list of 01 01=02 01=2\"a\"\n";
  EXPECT_EQ(describe(json(array)), expected);
  std::string lines = array.substr(1, array.size() - 2);
  for (std::size_t at = lines.find("},\n"); at != std::string::npos; at = lines.find("},\n"))
    lines.replace(at, 2, "} ");
  EXPECT_EQ(describe(json(lines)), expected);
  EXPECT_EQ(json(array).format(), "elle-json");
  EXPECT_NE(json_refusal(R"([{"type":"ok","f":"read","value":{"0":1}}])").find("a bank history"),
            std::string::npos);
  EXPECT_NE(json_refusal("[]").find("no operation"), std::string::npos);
  EXPECT_NE(json_refusal(R"([{"type":"ok","value":[]})").find("',' or ']'"), std::string::npos);
  EXPECT_NE(json_refusal("[{}]").find("needs a type"), std::string::npos);
  EXPECT_NE(json_refusal("[1]").find("that is a map"), std::string::npos);
  EXPECT_NE(json_refusal(R"([{"type":"ok","value":[]}] x)").find("the end of the input"), std::string::npos);
  EXPECT_NE(json_refusal(std::string(400, '[')).find("nested more than 128 deep"), std::string::npos);
}

TEST(Elle, Sniffs) {
  const OwnedInput as_edn("; c\n[{:process 0, :type :ok, :value []}]");
  const OwnedInput as_json(R"( [{"index":0,"process":1,"type":"ok","value":[]}])");
  const OwnedInput as_jsonl(R"({"s":0,"t":0,"status":"ok","ops":[]})");
  EXPECT_TRUE(sniff_elle_edn(as_edn));
  EXPECT_FALSE(sniff_elle_edn(as_json));
  EXPECT_FALSE(sniff_elle_edn(as_jsonl));
  EXPECT_TRUE(sniff_elle_json(as_json));
  EXPECT_FALSE(sniff_elle_json(as_edn));
  EXPECT_FALSE(sniff_elle_json(as_jsonl));
  EXPECT_FALSE(sniff_jsonl(as_edn));
  EXPECT_FALSE(sniff_jsonl(as_json));
}

// ---- Public histories -------------------------------------------------------------------------------------

void expect_as_reference(const std::filesystem::path& path, const std::filesystem::path& reference) {
  const OwnedInput input = OwnedInput::load(path);
  const bool is_json = path.extension() == ".json";
  EXPECT_TRUE(is_json ? sniff_elle_json(input) : sniff_elle_edn(input)) << path;
  const History history = is_json ? read_elle_json(input, {}) : read_elle_edn(input, {});
  if (!std::filesystem::exists(reference)) {
    EXPECT_GT(history.transactions(), 0U) << path;
    return;
  }
  EXPECT_TRUE(testing::same_up_to_names(history, read_jsonl(OwnedInput::load(reference), {}))) << path;
}

TEST(Elle, ReadsPublicHistoriesAsTheReferenceDoes) {
  const auto root = testing::shared_histories();
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "the public histories are not here";
  int files = 0;
  for (const auto& [folder, reference] :
       {std::pair("made/edn", "made/neutral"), std::pair("made/json", "made/neutral"),
        std::pair("random/edn", "random/neutral")}) {
    for (const auto& ending : {".edn", ".json"}) {
      for (const auto& path : testing::files_below(root / folder, ending)) {
        const auto twin = root / reference / (path.stem().string() + ".jsonl");
        EXPECT_TRUE(std::filesystem::exists(twin)) << twin;
        expect_as_reference(path, twin);
        ++files;
      }
    }
  }
  EXPECT_EQ(files, 43 + 43 + 140);
  for (const std::string name :
       {"elle-cli/histories/elle/rw-register.json", "elle-cli/histories/elle/rw-register.edn",
        "elle-cli/histories/elle/paper-example.json", "elle-cli/histories/elle/paper-example.edn",
        "elle-cli/histories/elle/list-append-gh-30.edn", "elle-cli/histories/jepsen/long-fork.edn"}) {
    EXPECT_TRUE(std::filesystem::exists(root / "neutral" / (name + ".jsonl"))) << name;
    expect_as_reference(root / name, root / "neutral" / (name + ".jsonl"));
  }
  const History large = edn(testing::file_text(root / "elle/histories/huge-scc-first6000.edn"));
  const auto count = [&](Status status) {
    std::uint32_t n = 0;
    for (const Txn t : large.all_transactions()) n += large.status(t) == status ? 1 : 0;
    return n;
  };
  EXPECT_EQ(count(Status::committed), 1225U);
  EXPECT_EQ(count(Status::aborted), 1681U);
  EXPECT_EQ(large.transactions(), 2979U) << "one for each invocation";
}

TEST(Elle, RefusesPublicHistoriesOfOtherModels) {
  const auto root = testing::shared_histories() / "elle-cli/histories";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "the public histories are not here";
  const auto said = [&](const std::string& name) {
    const OwnedInput input = OwnedInput::load(root / name);
    return complaint([&] { name.ends_with(".json") ? read_elle_json(input, {}) : read_elle_edn(input, {}); });
  };
  EXPECT_NE(said("jepsen/bank-negative-balances.json").find("this is a bank history"), std::string::npos);
  EXPECT_NE(said("jepsen/set.edn").find("this is a set history"), std::string::npos);
  EXPECT_NE(said("jepsen/counter.edn").find("this is a counter history"), std::string::npos);
  EXPECT_NE(said("knossos/cas-register/bad/bad-analysis.edn").find("register history"), std::string::npos)
      << said("knossos/cas-register/bad/bad-analysis.edn");
}

// A cut between two operations cannot be seen in a file of one map per line; everywhere else it must be.
TEST(Elle, CutsAreNoticed) {
  const auto root = testing::shared_histories();
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "the public histories are not here";
  const std::string lines = testing::file_text(root / "made/edn/write-skew.edn");
  for (std::size_t length = 0; length < lines.size(); ++length) {
    const bool between = length > 0 && (lines[length - 1] == '}' || lines[length - 1] == '\n');
    EXPECT_EQ(edn_refusal(lines.substr(0, length)).empty(), between) << "cut at " << length;
  }
  const std::string array = testing::file_text(root / "made/json/write-skew.json");
  for (std::size_t length = 0; length < array.rfind(']'); ++length) {
    EXPECT_NE(json_refusal(array.substr(0, length)), "") << "cut at " << length;
  }
  const std::string large = testing::file_text(root / "elle/histories/huge-scc-first6000.edn");
  for (std::size_t length = 0; length < 20000; length += 97) {
    const bool between = length > 0 && (large[length - 1] == '}' || large[length - 1] == '\n');
    EXPECT_EQ(edn_refusal(large.substr(0, length)).empty(), between) << "cut at " << length;
  }
}

}  // namespace
}  // namespace assay::format
