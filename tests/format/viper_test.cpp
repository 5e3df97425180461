#include "format/viper.hpp"

#include <gtest/gtest.h>

#include "format/assay/jsonl.hpp"
#include "support/inputs.hpp"
#include "support/same_history.hpp"

namespace assay::format {
namespace {

using testing::complaint;
using testing::describe;
using testing::OwnedInput;

History read(std::vector<std::pair<std::string, std::string>> files, const ReadOptions& options = {}) {
  return read_viper(OwnedInput::directory(std::move(files)), options);
}

std::string refusal(const std::string& line) {
  return complaint([&] { read({{"J1.log", "{\"value\":[]}\n" + line}}); });
}

const ReadOptions kDrop{Initial::automatic, FailedStatements::drop};

TEST(Viper, ReadsSessionsInTheOrderOfTheirNumbers) {
  const History h = read({{"J10.log", "{\"value\": [[\"w\", \"k\", -7, true]]}\n"},
                          {"J9.log", "{\"value\": [[\"r\", \"k\", -7, false]]}\n{\"value\": []}\n"},
                          {"T9.log", "not for us"},
                          {"J9.log.bak", "nor this"}});
  EXPECT_EQ(describe(h),
            "clocks one\nsession 09\n 00 status 0 [-, -]; r 2\"k\"=0-7\n 01 status 0 [-, -]\n"
            "session 010\n 00 status 0 [-, -]; w 2\"k\"=0-7\n");
}

TEST(Viper, ValuesThatNobodyWroteAreInitial) {
  const History h = read(
      {{"J1.log",
        R"({"value":[["r",1,77,false],["r",2,0,false],["w",3,5,true],["r",3,5,false],["r",1,77,true]]})"}});
  EXPECT_EQ(describe(h),
            "clocks one\nsession 01\n 00 status 0 [-, -]; r 01=initial; r 02=initial; w 03=05; r 03=05; r "
            "01=initial\n");
}

TEST(Viper, ASecondValueThatNobodyWroteIsLeftToTheChecker) {
  const History h =
      read({{"J1.log", R"({"value":[["r",1,77,false],["r",1,78,false],["r",1,0,false],["r",1,77,false]]})"}});
  EXPECT_EQ(describe(h).substr(describe(h).find("session")),
            "session 01\n 00 status 0 [-, -]; r 01=initial; r 01=078; r 01=00; r 01=initial\n");
  ASSERT_EQ(h.notes().size(), 1U);
  EXPECT_NE(h.notes()[0].find("1 keys, 1 among them"), std::string::npos);
}

TEST(Viper, AnInitialTransactionGivesTheInitialState) {
  for (
      const std::string initial :
      {R"({"value":[["range","nil","nil",[{"id":1,"val":77}],[{"id":2,"val":88}]]],"isInitial":true,"isFinal":false})",
       R"({"isInitial":true,"value":[["w",1,77,true],["w",2,88,true]]})"}) {
    const History h = read(
        {{"J0.log", initial},
         {"J1.log",
          R"({"value":[["r",1,77,false],["r",2,88,true],["r",1,78,false],["r",1,0,false],["r",3,0,false]]})"}});
    EXPECT_EQ(describe(h),
              "clocks one\nsession 01\n 00 status 0 [-, -]; r 01=initial; r 02=initial; r 01=078; r 01=00; r "
              "03=initial\n")
        << "key 1 was loaded: reading it as absent, or with another value, is thin air";
  }
}

TEST(Viper, DeletesAndInsertsReadBeforeTheyWrite) {
  const History h =
      read({{"J1.log", R"({"value":[["d",1,900,77,false,true],["i",1,5,900,true,true],["r",1,5,false]]})"}});
  EXPECT_EQ(describe(h),
            "clocks one\nsession 01\n 00 status 0 [-, -]; r 01=initial; erase 01=0900; r 01=0900; insert "
            "01=05; r 01=05\n");
}

TEST(Viper, RangesKeepLiveAndDeadRows) {
  const History h = read(
      {{"J1.log",
        R"({"value":[["w",1,5,true],["range",0,"nil",[{"id":1,"val":5},{"id":2,"val":6}],[{"id":3,"val":7}]]]})"}});
  EXPECT_EQ(describe(h),
            "clocks one\nsession 01\n 00 status 0 [-, -]; w 01=05; range where - from 00 to - 01=05 "
            "02=initial 03=initial\n");
}

TEST(Viper, AFailedStatementMakesItsTransactionUnknown) {
  const std::string text =
      R"({"value":[["w",1,5,false],["w",2,6,true],["r",3,9,false]],"preBeginTS":1,"postCommitTS":2})";
  EXPECT_EQ(read({{"J1.log", text}}).status(Txn{0}), Status::unknown);
  EXPECT_EQ(read({{"J1.log", text}}).end(Txn{0}), std::nullopt) << "nobody knows when it ended";
  const History dropped = read({{"J1.log", text}, {"J2.log", R"({"value":[["r",1,5,false]]})"}}, kDrop);
  ASSERT_EQ(dropped.transactions(), 3U);
  EXPECT_EQ(dropped.status(Txn{0}), Status::committed);
  EXPECT_EQ(dropped.status(Txn{1}), Status::aborted)
      << "the failed write stays known, so that reading it is found";
  const std::string all = describe(dropped);
  EXPECT_NE(all.find("status 0 [1, 2]; w 02=06; r 03=initial\n"), std::string::npos) << all;
  EXPECT_NE(all.find("(failed statements)\" status 1 [-, -]; w 01=05\n"), std::string::npos) << all;
  EXPECT_NE(all.find("status 0 [-, -]; r 01=05\n"), std::string::npos) << all;
}

TEST(Viper, ReadsThatProveNothingDoNotChooseTheInitialValue) {
  const History h = read({{"J1.log", R"({"value":[["r",1,70,false],["w",2,6,false]]})"},
                          {"J2.log", R"({"value":[["r",1,77,false]]})"}});
  EXPECT_NE(describe(h).find("status 0 [-, -]; r 01=initial\n"), std::string::npos) << describe(h);
}

TEST(Viper, TakesTimes) {
  const History h = read(
      {{"J1.log", R"({"preBeginTS":100,"postBeginTS":110,"preCommitTS":120,"postCommitTS":130,"value":[]})"
                  "\n"
                  R"({"preBeginTS":-1,"postCommitTS":-1,"value":[]})"}});
  EXPECT_EQ(h.start(Txn{0}), 100);
  EXPECT_EQ(h.end(Txn{0}), 130);
  EXPECT_EQ(h.start(Txn{1}), std::nullopt);
  EXPECT_EQ(h.notes().size(), 1U);
}

TEST(Viper, InitialOptions) {
  const std::string first = R"({"value":[["w",1,0,true],["w",2,3,true]]})";
  const std::string second = R"({"value":[["r",1,0,false],["r",2,3,false],["r",3,4,false]]})";
  const auto last = [&](Initial initial) {
    const std::string all =
        describe(read({{"J1.log", first + "\n" + second}}, {initial, FailedStatements::unknown}));
    return all.substr(all.rfind("]; ") + 3);
  };
  EXPECT_EQ(last(Initial::automatic), "r 01=initial; r 02=03; r 03=initial\n")
      << "0 is absent even if somebody writes it";
  EXPECT_EQ(last(Initial::zero), "r 01=initial; r 02=03; r 03=04\n");
  EXPECT_EQ(last(Initial::none), "r 01=00; r 02=03; r 03=04\n");
  EXPECT_EQ(last(Initial::first_transaction), "r 01=initial; r 02=initial; r 03=04\n");
}

TEST(Viper, SaysWhereAndWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"{\"value\":[[\"x\",1]]}", "input/J1.log: line 2, column 12: unknown operation \"x\""},
      {"{\"value\":[[\"r\",1,2]]}", "true or false"},
      {"{\"value\":[[\"r\",1,2,3]]}", "true or false"},
      {"{\"value\":[[\"r\",null,2,false]]}", "a key"},
      {"{\"value\":[[\"w\",1,null,true]]}", "the value that was written"},
      {"{\"value\":[[\"d\",1,2,3,true]]}", "true or false"},
      {"{\"value\":[[\"range\",1,2,[{\"id\":1}],[]]]}", "needs the fields \"id\" and \"val\""},
      {"{\"value\":[[\"range\",1,2,[{\"id\":1,\"id\":2}],[]]]}", "twice"},
      {"{\"value\":[[\"range\",1,2,[]]]}", "the rows"},
      {"{\"value\":[],\"value\":[]}", "twice"},
      {"{\"preBeginTS\":1}", "needs a field \"value\""},
      {"{\"value\":[],\"preBeginTS\":9,\"postCommitTS\":8}", "commits at 8, before it begins at 9"},
      {"{\"value\":[],\"preBeginTS\":\"x\"}", "a time"},
      {"{\"value\":[[\"r\",1,2,true]],\"isInitial\":true}", "an initial transaction consists of"},
      {"{\"value\":[", "the end of the input"},
      {"{\"value\":[]}}", "the end of the line"},
      {"[]", "expected a transaction"},
  };
  for (const auto& [line, message] : bad)
    EXPECT_NE(refusal(line).find(message), std::string::npos) << line << "\n" << refusal(line);
  EXPECT_NE(complaint([] { read({{"T1.log", ""}}); }).find("J<n>.log"), std::string::npos);
  EXPECT_NE(complaint([] { read({{"J1.log", ""}}); }).find("no transaction"), std::string::npos);
  EXPECT_NE(complaint([] {
              read({{"J01.log", ""}, {"J1.log", ""}});
            }).find("a second file for session 1"),
            std::string::npos);
}

TEST(Viper, Sniffs) {
  EXPECT_TRUE(sniff_viper(OwnedInput::directory({{"J3.log", "{\"value\": []}"}, {"T3.log", ""}})));
  EXPECT_FALSE(sniff_viper(OwnedInput::directory({{"T3.log", "{\"value\": []}"}})));
  EXPECT_FALSE(sniff_viper(OwnedInput("{\"value\": []}")));
}

TEST(Viper, ReadsPublicHistoriesAsTheReferenceDoes) {
  const auto root = testing::shared_histories();
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "the public histories are not here";
  int histories = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "made/viper")) {
    const std::string name = entry.path().filename().string();
    const OwnedInput input = OwnedInput::load(entry.path());
    EXPECT_TRUE(sniff_viper(input)) << name;
    const History reference = read_jsonl(OwnedInput::load(root / "made/neutral" / (name + ".jsonl")), {});
    EXPECT_TRUE(testing::same_up_to_names(read_viper(input, {}), reference)) << name;
    ++histories;
  }
  EXPECT_EQ(histories, 28);
  EXPECT_EQ(
      read_viper(OwnedInput::load(root / "veristrong/history/fig11/si/viper/1000/json"), {}).transactions(),
      962U);
  const History larger =
      read_viper(OwnedInput::load(root / "veristrong/history/fig11/si/viper/3000/json"), {});
  EXPECT_EQ(larger.transactions(), 2897U);
  EXPECT_TRUE(larger.notes().empty()) << "each key has at most one value that nobody wrote";
}

TEST(Viper, CutsAreNoticed) {
  const auto path = testing::shared_histories() / "veristrong/history/fig11/si/viper/1000/json/J24.log";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the public histories are not here";
  const std::string text = testing::file_text(path);
  for (std::size_t length = 0; length < text.size(); length += length < 800 ? 1 : 97) {
    const bool between = length > 0 && (text[length - 1] == '}' || text[length - 1] == '\n');
    const std::string said = complaint([&] { read({{"J24.log", text.substr(0, length)}}); });
    EXPECT_EQ(said.empty(), between) << "cut at " << length;
  }
}

}  // namespace
}  // namespace assay::format
