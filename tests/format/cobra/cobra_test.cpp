#include "format/cobra/cobra.hpp"

#include <gtest/gtest.h>

#include "support/every_history.hpp"
#include "support/memory_input.hpp"
#include "support/plain_history.hpp"

namespace assay::format {
namespace {

using namespace assay::testing;

// A log spelt out: a tag, then its 8-byte fields.
std::string record(char tag, std::initializer_list<std::uint64_t> fields) {
  std::string out(1, tag);
  for (const std::uint64_t field : fields) {
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(field >> shift & 0xFF);
  }
  return out;
}

std::string transaction(std::uint64_t id, const std::string& operations) {
  return record('S', {id}) + operations + record('C', {id});
}

History read(const NamedBytes& files, const ReadOptions& options = {}) {
  const Input input = directory_of(files);
  EXPECT_TRUE(sniff_cobra(input));
  return read_cobra(input, options);
}

std::string error(const NamedBytes& files) {
  return error_of([&] { read_cobra(directory_of(files), {}); });
}

TEST(Cobra, ReadsTheWorkedExample) {
  const std::string log = transaction(0x100005, record('R', {0x100016, 0x186a4, 0xa7, 1})) +
                          transaction(0x100015, record('R', {0x100017, 0x186a5, 0xa7, 4}));
  ASSERT_EQ(log.size(), 102U);
  EXPECT_EQ(listing(read({{"T15.log", log}})),
            "one clock\nsession 0:15\n"
            " 0:1048581 status 0 from ? to ?\n  0 0:167=0:100004\n"
            " 0:1048597 status 0 from ? to ?\n  0 0:167=0:100005\n");
}

TEST(Cobra, SentinelsAreTheInitialState) {
  const std::string reads = record('R', {0xBEBEEBEE, 0xBEBEEBEE, 0x13ade843b6ab7d11, 0xef0fc788ba112b88}) +
                            record('R', {0xDEADBEEF, 0xDEADBEEF, 2, 0}) +
                            record('R', {0xBEBEEBEE, 0x23332333, 3, 0}) +
                            record('R', {0xBEBEEBEE, 0x66666666, 3, 0}) + record('R', {7, 0x66666666, 3, 0});
  const History history = read({{"T1.log", transaction(1, reads)}});
  EXPECT_EQ(to_string(history.name(history.key(Op{0}))), "1418044835216719121");
  for (std::uint32_t op = 0; op < 4; ++op) EXPECT_TRUE(history.is_initial(history.version(Op{op}))) << op;
  EXPECT_FALSE(history.is_initial(history.version(Op{4}))) << "a marker only with the initial writer";
  ReadOptions none;
  none.initial = Initial::none;
  const History literal = read({{"T1.log", transaction(1, reads)}}, none);
  EXPECT_FALSE(literal.is_initial(literal.version(Op{0})));
}

TEST(Cobra, SessionsAreTheFilesByNumber) {
  const History history =
      read({{"J1.log", "{}"}, {"T10.log", ""}, {"T2.debug", "x"}, {"T2.log", transaction(1, "")}});
  ASSERT_EQ(history.sessions(), 2U);
  EXPECT_EQ(to_string(history.name(Session{0})), "2");
  EXPECT_EQ(to_string(history.name(Session{1})), "10");
  EXPECT_EQ(history.transactions(), 1U) << "an empty transaction is one";
  ASSERT_EQ(history.notes().size(), 1U);
  EXPECT_NE(history.notes()[0].find("J<n>.log"), std::string::npos);
}

TEST(Cobra, ADeleteWritesTheAbsentState) {
  const History history = read({{"T1.log", transaction(1, record('W', {0xABCDEFAB, 5, 0})) +
                                               transaction(2, record('R', {0xDEADBEEF, 0xDEADBEEF, 5, 0}))}});
  EXPECT_EQ(history.kind(Op{0}), OpKind::erase);
  EXPECT_EQ(history.version(Op{0}), history.version(Op{1}));
  EXPECT_EQ(history.notes().size(), 1U);
}

TEST(Cobra, InVeriStrongsDialectTheHashIsTheValue) {
  constexpr std::uint64_t kById = 0xABDDEFEE;
  const std::string write = transaction(1, record('W', {kById, 5, 77}));
  const std::string reads =
      transaction(2, record('R', {kById, kById, 5, 77}) + record('R', {0xBEBEEBEE, 0xBEBEEBEE, 6, 1}));
  const History history = read({{"T1.log", write}, {"T2.log", reads}});
  EXPECT_EQ(history.version(Op{0}), history.version(Op{1}));
  EXPECT_EQ(to_string(history.value(history.version(Op{0}))), "77");
  EXPECT_TRUE(history.is_initial(history.version(Op{2})));
  EXPECT_EQ(error({{"T1.log", write}, {"T2.log", transaction(2, record('W', {9, 5, 77}))}}),
            "dir/T2.log: byte 9: write id 0x9 in a log whose other records are in VeriStrong's dialect "
            "(every id is 0xabddefee)");
}

TEST(Cobra, TimesAreFoundByTryingBothLayouts) {
  const std::string log =
      record('S', {1, 1700000000001}) + record('W', {3, 5, 7}) + record('C', {1, 1700000000009});
  const History history = read({{"T1.log", log}, {"T2.log", ""}});
  EXPECT_EQ(history.start(Txn{0}), 1700000000001000000);
  EXPECT_EQ(history.end(Txn{0}), 1700000000009000000);
  EXPECT_EQ(error({{"T1.log", log + "x"}}), "dir/T1.log: byte 59: expected S, found byte 0x78");
  EXPECT_EQ(error({{"T1.log", record('S', {1, 1ULL << 50}) + record('C', {1, 5})}}),
            "dir/T1.log: byte 0: the time 1125899906842624 ms is out of range");
}

TEST(Cobra, AReadThatNamesTheWrongWriterIsNoted) {
  const NamedBytes files = {
      {"T1.log", transaction(1, record('W', {50, 5, 0})) + transaction(2, record('W', {51, 5, 0}))},
      {"T2.log",
       transaction(3, record('R', {2, 50, 5, 0}) + record('R', {2, 51, 5, 0}) + record('R', {9, 52, 5, 0}))}};
  const History history = read(files);
  EXPECT_EQ(history.version(Op{2}), history.version(Op{0})) << "the write id decides";
  ASSERT_EQ(history.notes().size(), 1U);
  EXPECT_EQ(history.notes()[0].substr(0, 86),
            "1 reads name another transaction than the one that wrote what they saw, first at dir/T");
}

TEST(Cobra, NamesFileAndByteOfEveryError) {
  const std::string write = record('W', {3, 5, 7});
  EXPECT_EQ(error({{"T1.log", "x"}}), "dir/T1.log: byte 0: expected S, found byte 0x78");
  EXPECT_EQ(error({{"T1.log", write}}), "dir/T1.log: byte 0: record 'W' outside a transaction: expected S");
  EXPECT_EQ(error({{"T1.log", record('S', {1}) + record('S', {2})}}),
            "dir/T1.log: byte 9: a transaction begins inside transaction 0x1");
  EXPECT_EQ(error({{"T1.log", record('S', {1}) + record('C', {2})}}),
            "dir/T1.log: byte 9: transaction 0x2 is committed inside transaction 0x1");
  EXPECT_EQ(error({{"T1.log", record('S', {1}) + write}}),
            "dir/T1.log: byte 34: the file ends inside transaction 0x1");
  EXPECT_EQ(error({{"T1.log", record('S', {1}) + record('A', {1})}}),
            "dir/T1.log: byte 9: expected R, W or C, found byte 0x41");
  EXPECT_EQ(error({{"T1.log", transaction(1, write)}, {"T2.log", transaction(1, "")}}),
            "dir: transaction id 0x1 occurs twice, in dir/T1.log and in dir/T2.log");
  EXPECT_EQ(error({{"J1.log", "x"}}), "dir: no file T<n>.log in this directory");
}

TEST(Cobra, EveryTruncationInsideATransactionIsNoticed) {
  const std::string log = transaction(1, record('W', {3, 5, 7})) + transaction(2, record('R', {1, 3, 5, 7}));
  for (std::size_t n = 0; n < log.size(); ++n) {
    const std::string message = error({{"T1.log", log.substr(0, n)}});
    EXPECT_EQ(message == "no error", n == 0 || n == 43) << n << ": " << message;
  }
}

TEST(Cobra, WritesWhatItReads) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TemporaryFolder folder;
    // Odd seeds repeat values, which only VeriStrong's dialect can say.
    const History history =
        random_history(seed, {.repeated_values = seed % 2 == 1, .empty_transactions = true});
    write_cobra(history, folder / "h");
    const History again = read_history((folder / "h").string());
    ASSERT_EQ(fingerprint(plain(again)), fingerprint(plain(history))) << "seed " << seed;
    ASSERT_EQ(again.transactions(), history.transactions());
    ASSERT_EQ(again.notes().size(), 0U);
  }
}

TEST(Cobra, WritesTimesInMilliseconds) {
  const std::string log =
      record('S', {1, 1700000000001}) + record('W', {3, 5, 3}) + record('C', {1, 1700000000009});
  const TemporaryFolder folder;
  write_cobra(read({{"T4.log", log}}), folder / "h");
  EXPECT_EQ(slurp(folder / "h/T4.log"), log);
}

TEST(Cobra, RefusesToWriteWhatItCannotSayAndOverOtherLogs) {
  const TemporaryFolder folder;
  const auto refusal = [&](const History& history) {
    return error_of([&] { write_cobra(history, folder / "h"); });
  };
  EXPECT_NE(refusal(random_history(1, {.aborted = true})).find("not known to have committed"),
            std::string::npos);
  EXPECT_NE(refusal(random_history(1, {.texts = true})).find("not a natural number"), std::string::npos);
  EXPECT_EQ(refusal(random_history(1, {})), "no error");
  EXPECT_NE(refusal(random_history(1, {})).find("already holds a Cobra log"), std::string::npos);
}

}  // namespace
}  // namespace assay::format
