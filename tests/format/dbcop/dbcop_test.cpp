#include "format/dbcop/dbcop.hpp"

#include <gtest/gtest.h>

#include "format/bytes.hpp"
#include "support/every_history.hpp"
#include "support/memory_input.hpp"
#include "support/plain_history.hpp"

namespace assay::format {
namespace {

using namespace assay::testing;

struct Event {
  bool write;
  std::uint64_t variable, value;
  int success = 1;
};

struct Transaction {
  std::vector<Event> events;
  int success = 1;
};

std::string bincode(const std::string& info, const std::vector<std::vector<Transaction>>& sessions) {
  std::string out;
  const auto number = [&](std::uint64_t n) { append_little(out, n); };
  const auto text = [&](const std::string& t) {
    number(t.size());
    out += t;
  };
  for (const unsigned n : {0U, 2U, 1U, 1U, 2U}) number(n);
  text(info);
  text("2026-01-01T00:00:00+00:00");
  text("2026-01-01T00:00:00+00:00");
  number(sessions.size());
  for (const auto& session : sessions) {
    number(session.size());
    for (const Transaction& transaction : session) {
      number(transaction.events.size());
      for (const Event& event : transaction.events) {
        out += static_cast<char>(event.write);
        number(event.variable);
        number(event.value);
        out += static_cast<char>(event.success);
      }
      out += static_cast<char>(transaction.success);
    }
  }
  return out;
}

History read(const std::string& bytes, const ReadOptions& options = {}) {
  const Input input = one_file(bytes);
  EXPECT_TRUE(sniff_dbcop(input));
  return read_dbcop(input, options);
}

// The worked example of 237 bytes: two sessions read the initial state and write, a lost update.
const std::vector<std::vector<Transaction>> kLostUpdate = {{{{{false, 1, 0}, {true, 1, 1}}}},
                                                           {{{{false, 1, 0}, {true, 1, 2}}}}};

TEST(Dbcop, ReadsTheWorkedExample) {
  const std::string bytes = bincode("hand-made", kLostUpdate);
  ASSERT_EQ(bytes.size(), 237U);
  ASSERT_EQ(static_cast<int>(bytes[0x7b]), 2);
  ASSERT_EQ(static_cast<int>(bytes[0xb7]), 1);
  EXPECT_EQ(listing(read(bytes)),
            "one clock\n"
            "session 0:0\n 0:0 status 0 from ? to ?\n  0 0:1=initial\n  1 0:1=0:1\n"
            "session 0:1\n 0:0 status 0 from ? to ?\n  0 0:1=initial\n  1 0:1=0:2\n");
}

TEST(Dbcop, WritesWhatItReads) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TemporaryFolder folder;
    const History history =
        random_history(seed, {.aborted = true, .repeated_values = seed % 2 == 0, .empty_transactions = true});
    write_dbcop(history, folder / "h");
    const std::string bytes = slurp(folder / "h");
    ASSERT_EQ(fingerprint(plain(read(bytes))), fingerprint(plain(history))) << "seed " << seed;
    ASSERT_EQ(read(bytes).transactions(), history.transactions());
    ASSERT_EQ(read(bytes).operations(), history.operations());
  }
}

TEST(Dbcop, RefusesToWriteWhatItCannotSay) {
  const TemporaryFolder folder;
  const auto refused = [&](const RandomHistory& options) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      if (error_of([&] {
            write_dbcop(random_history(seed, options), folder / "h");
          }).find("format dbcop cannot express") != std::string::npos) {
        return !std::filesystem::exists(folder / "h");
      }
    }
    return false;
  };
  EXPECT_TRUE(refused({.texts = true}));
  EXPECT_TRUE(refused({.lists = true}));
  EXPECT_TRUE(refused({.unknown = true}));
}

TEST(Dbcop, ASuccessfulTransactionWithFailedStatementsIsOfUnknownFate) {
  const std::string bytes =
      bincode("CockroachDB", {{{{{true, 1, 1}, {false, 2, 0, 0}, {true, 2, 5, 0}}}, {{{true, 3, 1}}}}});
  const History unknown = read(bytes);
  EXPECT_EQ(unknown.status(Txn{0}), Status::unknown);
  EXPECT_EQ(unknown.status(Txn{1}), Status::committed);
  EXPECT_EQ(unknown.operations(), 2U) << "statements that failed are not there";
  ASSERT_EQ(unknown.notes().size(), 1U);
  EXPECT_EQ(unknown.notes()[0].substr(0, 57), "1 transactions report success although some of their stat");

  ReadOptions drop;
  drop.failed_statements = FailedStatements::drop;
  const History dropped = read(bytes, drop);
  EXPECT_EQ(dropped.status(Txn{0}), Status::committed);
  EXPECT_EQ(dropped.operations(), 2U);
  EXPECT_EQ(dropped.notes().size(), 1U);
}

TEST(Dbcop, AnAbortedTransactionKeepsItsWrites) {
  const History history = read(bincode("PostgreSQL", {{{{{true, 1, 1}}, 0}}}));
  EXPECT_EQ(history.status(Txn{0}), Status::aborted);
  EXPECT_EQ(history.operations(), 1U);
}

TEST(Dbcop, ZeroIsTheInitialStateUnlessToldOtherwise) {
  const std::string bytes = bincode("x", {{{{{false, 1, 0}}}}});
  const auto initial = [&](Initial how) {
    ReadOptions options;
    options.initial = how;
    const History history = read(bytes, options);
    return history.is_initial(history.version(Op{0}));
  };
  EXPECT_TRUE(initial(Initial::automatic));
  EXPECT_TRUE(initial(Initial::zero));
  EXPECT_FALSE(initial(Initial::none));
  EXPECT_EQ(read(bincode("x", {{{{{true, 1, 0}}}}})).notes().size(), 1U) << "writing 0 is worth a word";
}

TEST(Dbcop, TheInitialTransactionOfConvertedFilesIsFoldedAway) {
  const std::vector<std::vector<Transaction>> cobra = {
      {{{{true, 1, 3200183278}, {true, 2, 3200183278}}}, {{{false, 1, 3200183278}, {true, 1, 0}}}},
      {{{{false, 1, 0}}}}};
  const History history = read(bincode("cobra logs", cobra));
  EXPECT_EQ(history.transactions(), 2U);
  EXPECT_TRUE(history.is_initial(history.version(Op{0})));
  EXPECT_FALSE(history.is_initial(history.version(Op{2}))) << "0 is an ordinary value in converted files";
  EXPECT_EQ(read(bincode("PostgreSQL", cobra)).transactions(), 3U) << "only the converter's name says so";

  const std::vector<std::vector<Transaction>> verifier = {{{{{false, 1, 7}}}}, {{{{true, 1, 7}}}}};
  const History folded = read(bincode("generated by SIVerifier", verifier));
  EXPECT_EQ(folded.sessions(), 1U);
  EXPECT_TRUE(folded.is_initial(folded.version(Op{0})));
  ReadOptions none;
  none.initial = Initial::none;
  EXPECT_EQ(read(bincode("generated by SIVerifier", verifier), none).sessions(), 2U);
}

TEST(Dbcop, TwoCandidatesForTheInitialTransactionAreBothKept) {
  const History history =
      read(bincode("generated by SIVerifier", {{{{{false, 1, 7}}}}, {{{{true, 1, 7}}}}, {{{{true, 1, 8}}}}}));
  EXPECT_EQ(history.sessions(), 3U);
  ASSERT_EQ(history.notes().size(), 1U);
  EXPECT_NE(history.notes()[0].find("2 sessions look like that"), std::string::npos);
}

// A read of that value may then have seen the one or the other, which is what a delete means.
TEST(Dbcop, AWriteOfAnInitialValueIsKeptAsADelete) {
  const std::string bytes =
      bincode("generated by SIVerifier", {{{{{false, 1, 7}, {true, 1, 7}}}}, {{{{true, 1, 7}}}}});
  const History history = read(bytes);
  EXPECT_EQ(history.count(OpKind::erase), 1U);
  EXPECT_FALSE(history.notes().empty());
}

TEST(Dbcop, NamesTheByteOfEveryError) {
  const std::string good = bincode("hand-made", kLostUpdate);
  const auto with = [&](std::size_t at, char byte) {
    std::string bad = good;
    bad[at] = byte;
    return error_of([&] { read_dbcop(one_file(bad), {}); });
  };
  EXPECT_EQ(with(0x93, 2), "test: byte 147: expected 0 or 1 (is the event a write), found 2");
  EXPECT_EQ(with(0xa4, 3), "test: byte 164: expected 0 or 1 (did the event succeed), found 3");
  EXPECT_EQ(with(0xb7, 4), "test: byte 183: expected 0 or 1 (did the transaction succeed), found 4");
  EXPECT_EQ(with(0x7b, 1),
            "test: byte 184: expected the end of the file after the last session, 53 more bytes follow");
  EXPECT_EQ(with(0x8a, 1),
            "test: byte 131: the number of transactions of a session is 72057594037927937, but the 98 bytes "
            "that follow cannot hold so many");
  EXPECT_EQ(with(0x8b, 9),
            "test: byte 139: the number of events of a transaction is 9, but the 90 bytes that follow cannot "
            "hold so many");
  EXPECT_EQ(error_of([&] { read_dbcop(one_file(good + "x"), {}); }),
            "test: byte 237: expected the end of the file after the last session, 1 more bytes follow");
}

TEST(Dbcop, EveryTruncationIsNoticed) {
  const std::string good = bincode("hand-made", kLostUpdate);
  for (std::size_t n = 0; n < good.size(); ++n) {
    const std::string cut = good.substr(0, n);
    ASSERT_NE(error_of([&] { read_dbcop(one_file(cut), {}); }), "no error") << n << " bytes";
  }
}

}  // namespace
}  // namespace assay::format
