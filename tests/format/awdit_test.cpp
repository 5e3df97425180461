#include "format/awdit.hpp"

#include <gtest/gtest.h>

#include "support/every_history.hpp"
#include "support/memory_input.hpp"
#include "support/plain_history.hpp"

namespace assay::format {
namespace {

using namespace assay::testing;

History read(std::string_view text, Initial initial = Initial::automatic) {
  const Input input = one_file(text);
  EXPECT_TRUE(sniff_awdit(input));
  ReadOptions options;
  options.initial = initial;
  return read_awdit(input, options);
}

std::string error(std::string_view text) {
  return error_of([&] { read_awdit(one_file(text), {}); });
}

constexpr std::string_view kExample = "r 1 1\n-----\nw 0 0\n=====\nr 0 0\n-----\nw 1 1\n";

TEST(Awdit, ReadsTheWorkedExample) {
  EXPECT_EQ(listing(read(kExample)),
            "one clock\n"
            "session 0:0\n 0:0 status 0 from ? to ?\n  0 0:1=0:1\n 0:1 status 0 from ? to ?\n  1 0:0=0:0\n"
            "session 0:1\n 0:0 status 0 from ? to ?\n  0 0:0=0:0\n 0:1 status 0 from ? to ?\n  1 0:1=0:1\n");
}

TEST(Awdit, RunsOfAnyLengthSeparate) {
  EXPECT_EQ(listing(read("\nr 1 1\n-\n\nw 0 0=r 0 0-w 1 1\n\n")), listing(read(kExample)));
}

TEST(Awdit, ThereIsNoInitialStateUnlessZeroIsSaidToBe) {
  EXPECT_FALSE(read("r 1 0\n").is_initial(Version{1}));
  const History zero = read("r 1 0\n", Initial::zero);
  EXPECT_TRUE(zero.is_initial(zero.version(Op{0})));
  const History folded = read("w 1 0\n=\nr 1 0\n", Initial::first_transaction);
  EXPECT_EQ(folded.transactions(), 1U);
  EXPECT_TRUE(folded.is_initial(folded.version(Op{0})));
}

TEST(Awdit, NamesLineAndColumnOfEveryError) {
  EXPECT_EQ(error(""), "test: line 1: expected an operation, the file is empty");
  EXPECT_EQ(error("r 1 1\nx 1 1\n"),
            "test: line 2, column 1: expected an operation \"r key value\" or \"w key value\", or a run of - "
            "or =, found \"x 1 1\"");
  EXPECT_EQ(error("r1 1\n"), "test: line 1, column 2: expected a space and a key, found \"1 1\"");
  EXPECT_EQ(error("r 1\n"),
            "test: line 1, column 4: expected a space and a value, found the end of the line");
  EXPECT_EQ(error("r 1 -1\n"), "test: line 1, column 5: expected a value, found \"-1\"");
  EXPECT_EQ(error("r 1 1 1\n"), "test: line 1, column 7: expected the end of the line, found \"1\"");
  EXPECT_EQ(error("w 1 "), "test: line 1, column 5: expected a value, found the end of the file");
  EXPECT_EQ(error("w 99999999999999999999 1"),
            "test: line 1, column 3: expected a key below 2^64, found \"99999999999999999999 1\"");
}

TEST(Awdit, WritesWhatItReads) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TemporaryFolder folder;
    const History history = random_history(
        seed, {.initial_reads = false, .repeated_values = seed % 2 == 0, .empty_transactions = true});
    if (history.operations() == 0) continue;
    write_awdit(history, folder / "h");
    const std::string bytes = slurp(folder / "h");
    ASSERT_EQ(fingerprint(plain(read(bytes))), fingerprint(plain(history))) << "seed " << seed;
    ASSERT_EQ(read(bytes).transactions(), history.transactions());
  }
}

TEST(Awdit, RefusesToWriteWhatItCannotSay) {
  const TemporaryFolder folder;
  const auto refusal = [&](const History& history) {
    return error_of([&] { write_awdit(history, folder / "h"); });
  };
  EXPECT_NE(refusal(read("r 1 0\n", Initial::zero)).find("cannot express a read of the initial state"),
            std::string::npos);
  EXPECT_NE(refusal(random_history(1, {.aborted = true, .initial_reads = false}))
                .find("not known to have committed"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::format
