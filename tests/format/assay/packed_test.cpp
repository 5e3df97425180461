#include "format/assay/packed.hpp"

#include <gtest/gtest.h>

#include <random>

#include "format/assay/packed_block.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "support/every_history.hpp"
#include "support/memory_input.hpp"

namespace assay::format {
namespace {

using namespace assay::testing;

std::string packed_bytes(const History& history) {
  const TemporaryFolder folder;
  write_packed(history, folder / "h");
  return slurp(folder / "h");
}

History unpacked(const std::string& bytes, const ReadOptions& options = {}) {
  return read_packed(one_file(bytes), options);
}

TEST(Packed, KeepsEverything) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const History history = random_history(seed, kEverything);
    const History again = unpacked(packed_bytes(history));
    ASSERT_EQ(listing(again), listing(history)) << "seed " << seed;
    ASSERT_EQ(broken_promise(again), "") << "seed " << seed;
    ASSERT_EQ(again.format(), "packed");
  }
}

TEST(Packed, KeepsAHistoryWithoutTransactions) {
  const History history = HistoryBuilder().finish();
  EXPECT_EQ(listing(unpacked(packed_bytes(history))), listing(history));
}

TEST(Packed, AFileOfOneHistoryIsTheSameWhoeverNumberedItsKeys) {
  const History history = random_history(7, kEverything);
  const std::string bytes = packed_bytes(history);
  EXPECT_EQ(packed_bytes(unpacked(bytes)), bytes);
}

TEST(Packed, LongColumnsThatCompressWellStayReadable) {
  HistoryBuilder build;
  const Session session = build.session(Atom::integer(1));
  for (int t = 0; t < 30'000; ++t) {
    build.begin(session, Atom::integer(t));
    for (int i = 0; i < 4; ++i) build.write(Atom::integer(1), Atom::integer(1));
    build.end(Status::committed);
  }
  const History history = build.finish();
  const std::string bytes = packed_bytes(history);
  EXPECT_LT(bytes.size(), 15'000U);
  EXPECT_EQ(listing(unpacked(bytes)), listing(history));
}

TEST(Packed, LoadsIntoNoMoreMemoryThanTheBuilderUses) {
  const History history = random_history(3, {});
  EXPECT_LE(unpacked(packed_bytes(history)).resident_bytes(), history.resident_bytes());
}

TEST(Packed, BlocksContinueTheSessionsOfEarlierBlocks) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const TemporaryFolder folder;
    PackedWriter writer(folder / "h");
    HistoryBuilder merged;
    for (std::uint64_t part = 0; part < 4; ++part) {
      const History history = random_history(seed * 4 + part, kEverything);
      writer.append(history);
      Rebuild rebuild(history, merged);
      for (std::uint32_t s = 0; s < history.sessions(); ++s) merged.session(history.name(Session{s}));
      for (const Txn t : history.all_transactions()) rebuild.transaction(t);
      for (const std::string& note : history.notes()) merged.note(note);
      if (history.clocks() == Clocks::several) merged.clocks(Clocks::several);
    }
    writer.finish();
    const std::string bytes = slurp(folder / "h");
    const History read = unpacked(bytes);
    ASSERT_EQ(listing(read), listing(merged.finish()));
    ASSERT_EQ(broken_promise(read), "");
  }
}

TEST(Packed, ARecordingThatWasCutOffIsRefusedOrItsWholeBlocksRead) {
  const TemporaryFolder folder;
  const History first = random_history(1, {});
  {
    PackedWriter writer(folder / "h");
    writer.append(first);
    writer.append(random_history(2, {}));
    writer.flush();
  }
  std::string bytes = slurp(folder / "h");
  EXPECT_NE(error_of([&] {
              unpacked(bytes);
            }).find("byte " + std::to_string(bytes.size()) + ": the file is cut off"),
            std::string::npos);

  ReadOptions options;
  options.accept_truncated = true;
  bytes.resize(bytes.size() - 1);
  const History prefix = unpacked(bytes, options);
  ASSERT_EQ(prefix.notes().size(), 1U);
  EXPECT_NE(prefix.notes()[0].find("cut off at byte"), std::string::npos);
  EXPECT_EQ(prefix.transactions(), first.transactions());
}

TEST(Packed, EveryTruncationIsNoticed) {
  const std::string bytes = packed_bytes(random_history(5, kEverything));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const std::string cut = bytes.substr(0, n);
    ASSERT_NE(error_of([&] { unpacked(cut); }), "no error") << n << " bytes";
  }
}

TEST(Packed, EveryFlippedBitIsNoticed) {
  std::string bytes = packed_bytes(random_history(6, kEverything));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      ASSERT_NE(error_of([&] { unpacked(bytes); }), "no error") << "byte " << i << " bit " << bit;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
    }
  }
}

TEST(Packed, NamesWhatIsWrong) {
  const std::string good = packed_bytes(random_history(8, {}));
  const auto error = [](const std::string& bytes) { return error_of([&] { unpacked(bytes); }); };
  std::string bad = good;
  bad[8] = 9;
  EXPECT_EQ(error(bad), "test: byte 8: version 9 of the format; this Assay reads version 1");
  bad = good;
  bad[6] = '\n';
  EXPECT_EQ(error(bad), "test: byte 0: this is not a packed history");
  EXPECT_EQ(error(good + "x"),
            "test: byte " + std::to_string(good.size()) + ": 1 bytes follow the end block");
  bad = good;
  bad[16] = 'X';
  EXPECT_EQ(error(bad), "test: byte 16: expected a block, found other bytes");
  bad = good;
  bad[60] = static_cast<char>(bad[60] ^ 1);
  EXPECT_EQ(error(bad),
            "test: byte 16: the block does not have the checksum that it names: the file is damaged");
  ReadOptions options;
  options.initial = Initial::zero;
  EXPECT_NE(
      error_of([&] { unpacked(good, options); }).find("says itself which reads are of the initial state"),
      std::string::npos);
}

// The checksum is no defence against somebody who writes it: behind it everything is checked again.
TEST(Packed, AMaliciousBlockNeverBreaksAPromiseOfHistory) {
  const std::string path = "block";
  std::mt19937_64 random(1);
  int accepted = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string good = PackedCodec::encode(random_history(seed, kEverything));
    for (int i = 0; i < 400; ++i) {
      std::string bad = good;
      for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
        char& byte = bad[random() % bad.size()];
        byte = random() % 2 == 0 ? static_cast<char>(byte + 1) : static_cast<char>(random());
      }
      try {
        ByteCursor in(path, bad);
        ASSERT_EQ(broken_promise(PackedCodec::decode(in)), "");
        ++accepted;
      } catch (const InputError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 1000);
}

TEST(Packed, CountsThatTheBytesCannotHoldAreRefusedBeforeMemoryIsSetAside) {
  const std::string path = "block";
  std::string block = PackedCodec::encode(random_history(1, {}));
  for (std::size_t count = 1; count < 14; ++count) {
    std::string bad = block;
    bad[count * 8 + 3] = 0x7F;
    ByteCursor in(path, bad);
    EXPECT_NE(error_of([&] { PackedCodec::decode(in); }), "no error") << "count " << count;
  }
}

}  // namespace
}  // namespace assay::format
