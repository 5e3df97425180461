#include "format/plume.hpp"

#include <gtest/gtest.h>

#include "support/every_history.hpp"
#include "support/memory_input.hpp"
#include "support/plain_history.hpp"

namespace assay::format {
namespace {

using namespace assay::testing;

History read(std::string_view text, Initial initial = Initial::automatic) {
  const Input input = one_file(text);
  EXPECT_TRUE(sniff_text(input));
  ReadOptions options;
  options.initial = initial;
  return read_text(input, options);
}

std::string error(std::string_view text) {
  return error_of([&] { read_text(one_file(text), {}); });
}

TEST(Text, ReadsTheWorkedExample) {
  const History history =
      read("w(0,1,1,1)\nw(0,2,1,1)\nw(0,3,1,2)\nw(0,4,1,2)\nr(0,4,1,3)\nw(0,5,1,3)\nr(0,5,1,4)\n");
  EXPECT_EQ(listing(history),
            "one clock\nsession 0:1\n"
            " 0:1 status 0 from ? to ?\n  1 0:0=0:1\n  1 0:0=0:2\n"
            " 0:2 status 0 from ? to ?\n  1 0:0=0:3\n  1 0:0=0:4\n"
            " 0:3 status 0 from ? to ?\n  0 0:0=0:4\n  1 0:0=0:5\n"
            " 0:4 status 0 from ? to ?\n  0 0:0=0:5\n");
}

TEST(Text, LinesOfTransactionsMayInterleave) {
  const std::string_view apart = "w(1,1,1,10)\nr(2,0,1,10)\nw(2,5,2,20)\nw(3,6,2,20)\nr(1,1,1,30)\n";
  const std::string_view mixed = "w(1,1,1,10)\nw(2,5,2,20)\nr(2,0,1,10)\nr(1,1,1,30)\nw(3,6,2,20)\n";
  EXPECT_EQ(listing(read(mixed)), listing(read(apart)));
}

TEST(Text, MinusOneIsAnAbortedTransaction) {
  for (const std::string_view text :
       {"w(1,1,0,-1)\nw(2,2,0,-1)\nw(2,2,0,0)\nw(3,3,0,-1)\n",
        "w(1,1,0,-1)\nw(2,2,0,-1)\nw(2,2,0,0)\nw(3,3,0,-1)\nr(9,9,1,5)\nr(9,9,2,6)\nr(9,9,1,5)\n"}) {
    const History history = read(text);
    EXPECT_EQ(history.status(Txn{0}), Status::aborted);
    EXPECT_EQ(history.operations_of(Txn{0}).size(), 2U);
    EXPECT_EQ(history.status(Txn{1}), Status::committed);
    EXPECT_EQ(history.status(Txn{2}), Status::aborted);
  }
}

TEST(Text, ZeroIsTheInitialStateUnlessToldOtherwise) {
  const auto initial = [](Initial how) {
    const History history = read("w(2,3,1,1)\nr(1,0,1,2)\n", how);
    return history.is_initial(history.version(Op{history.operations() - 1}));
  };
  EXPECT_TRUE(initial(Initial::automatic));
  EXPECT_TRUE(initial(Initial::zero));
  EXPECT_FALSE(initial(Initial::none));
  EXPECT_FALSE(initial(Initial::first_transaction));
}

TEST(Text, AFirstTransactionThatLooksInitialIsFoldedOnlyOnRequest) {
  const std::string_view text = "w(1,1,0,0)\nw(2,1,0,0)\nr(1,1,1,1)\nw(1,5,1,1)\nr(2,1,2,2)\n";
  const History kept = read(text);
  EXPECT_EQ(kept.transactions(), 3U);
  ASSERT_EQ(kept.notes().size(), 1U);
  EXPECT_NE(kept.notes()[0].find("initial=first-transaction"), std::string::npos);
  const History folded = read(text, Initial::first_transaction);
  EXPECT_EQ(folded.sessions(), 2U);
  EXPECT_EQ(folded.transactions(), 2U);
  EXPECT_TRUE(folded.is_initial(folded.version(Op{0})));
  EXPECT_TRUE(folded.is_initial(folded.version(Op{2})));
}

TEST(Text, AnOrdinaryFirstTransactionIsNoSuspect) {
  EXPECT_EQ(read("w(1,1,0,0)\nw(2,2,0,0)\nr(1,1,1,1)\n").notes().size(), 0U);
  EXPECT_EQ(read("w(1,1,0,0)\nw(2,1,0,0)\nr(1,1,0,1)\n").notes().size(), 0U) << "its session goes on";
  EXPECT_EQ(read("r(1,1,0,0)\nw(2,1,0,0)\nr(1,1,1,1)\n").notes().size(), 0U);
  EXPECT_EQ(read("w(1,0,0,0)\nr(1,1,0,1)\n").notes().size(), 1U)
      << "a write of 0 cannot be told from the initial state";
}

TEST(Text, AFirstTransactionThatReadsCannotBeTheInitialState) {
  const std::string message = error_of([] { read("r(1,1,0,0)\nw(1,1,1,1)\n", Initial::first_transaction); });
  EXPECT_NE(message.find("transaction 0 of session 0 cannot have written the initial state"),
            std::string::npos)
      << message;
}

TEST(Text, NamesLineAndColumnOfEveryError) {
  EXPECT_EQ(error(""), "test: line 1: expected an operation, the file is empty");
  EXPECT_EQ(
      error("w(1,1,1,1)\nx(1,1,1,1)\n"),
      "test: line 2, column 1: expected an operation r(key,value,session,txn) or w(…), found \"x(1,1,1,1)\"");
  EXPECT_EQ(error("w(1,1,1,1)\n\n"),
            "test: line 2, column 1: expected an operation r(key,value,session,txn) or w(…), found the end "
            "of the line");
  EXPECT_EQ(error("w(1,a,1,1)\n"), "test: line 1, column 5: expected a value, found \"a,1,1)\"");
  EXPECT_EQ(error("w(-1,1,1,1)\n"), "test: line 1, column 3: expected a key, found \"-1,1,1,1)\"");
  EXPECT_EQ(
      error("w(1,1,1,-2)\n"),
      "test: line 1, column 9: expected a transaction's number, or -1 for an aborted one, found \"-2)\"");
  EXPECT_EQ(error("w(1,1,1)\n"), "test: line 1, column 8: expected \",\" and a transaction, found \")\"");
  EXPECT_EQ(error("w(1,1,1,1) \n"), "test: line 1, column 11: expected the end of the line, found \" \"");
  EXPECT_EQ(error("w(1,18446744073709551616,1,1)\n"),
            "test: line 1, column 5: expected a value below 2^64, found \"18446744073709551616,1,1)\"");
  EXPECT_EQ(error("w(1,1,1,1)\nw(1,2,2,1)\n"),
            "test: line 2: transaction 1 is in session 2 here and in session 1 on line 1");
  EXPECT_EQ(error("w(1,1,1,1)\nw(1,2,2,2)\nw(1,3,3,1)\n"),
            "test: line 3: transaction 1 is in session 3 here and in session 1 on line 1");
  EXPECT_EQ(error("w(1,18446744073709551615,1,1)"), "no error");
  EXPECT_EQ(error("w(1,1,1,1)\r\nr(1,1,1,2)\r\n"), "no error");
}

TEST(Text, ATruncatedFileIsAnErrorOrItsWholeLines) {
  const std::string good = "w(11,12,1,1)\nr(2,0,1,1)\nw(3,456,2,2)\nr(3,456,1,10)\n";
  for (std::size_t n = 1; n < good.size(); ++n) {
    const std::string cut = good.substr(0, n);
    const auto whole = static_cast<std::uint32_t>(std::count(cut.begin(), cut.end(), ')'));
    if (cut.back() == ')' || cut.back() == '\n') {
      ASSERT_EQ(read(cut).operations(), whole);
    } else {
      ASSERT_NE(error(cut), "no error") << cut;
    }
  }
}

TEST(Text, WritesWhatItReads) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TemporaryFolder folder;
    const History history = random_history(seed, {.repeated_values = seed % 2 == 0});
    write_text(history, folder / "h");
    const std::string bytes = slurp(folder / "h");
    const History again = read(bytes);
    ASSERT_EQ(fingerprint(plain(again)), fingerprint(plain(history))) << "seed " << seed;
    ASSERT_EQ(again.operations(), history.operations());
  }
}

TEST(Text, WritesAbortedTransactionsAsMinusOne) {
  const std::string_view text = "w(1,1,0,-1)\nw(2,2,0,7)\nr(1,1,1,8)\n";
  const TemporaryFolder folder;
  write_text(read(text), folder / "h");
  EXPECT_EQ(slurp(folder / "h"), text);
}

TEST(Text, RefusesToWriteWhatItCannotSay) {
  const TemporaryFolder folder;
  const auto refusal = [&](const History& history) {
    return error_of([&] { write_text(history, folder / "h"); });
  };
  EXPECT_NE(refusal(read("r(1,0,1,1)\n", Initial::none)).find("cannot express the value 0"),
            std::string::npos);
  EXPECT_NE(refusal(random_history(1, {.lists = true})).find("other than reads and writes"),
            std::string::npos);
  EXPECT_NE(refusal(random_history(1, {.unknown = true})).find("unknown fate"), std::string::npos);
  EXPECT_NE(refusal(random_history(1, {.texts = true})).find("not a natural number"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "h"));
}

}  // namespace
}  // namespace assay::format
