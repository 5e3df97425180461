// Files that are read while they grow: however the bytes are cut, and wherever the reading process was
// stopped and started again, the parts together are what the one-shot reader reads.
#include <gtest/gtest.h>

#include <random>

#include "format/assay/jsonl.hpp"
#include "format/assay/jsonl_stream.hpp"
#include "format/assay/packed.hpp"
#include "format/assay/packed_stream.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "support/every_history.hpp"
#include "support/memory_input.hpp"

namespace assay::format {
namespace {

using namespace assay::testing;

// Joins histories as blocks of a packed file join.
class Joined {
 public:
  void add(const History& part) {
    Rebuild rebuild(part, build_);
    for (std::uint32_t s = 0; s < part.sessions(); ++s) build_.session(part.name(Session{s}));
    for (const Txn t : part.all_transactions()) rebuild.transaction(t);
    for (const std::string& note : part.notes()) build_.note(note);
    if (part.clocks() == Clocks::several) build_.clocks(Clocks::several);
  }
  History finish() { return build_.finish(); }

 private:
  HistoryBuilder build_;
};

// Calls push(piece) for the bytes cut at random, and between two pieces sometimes stop(): as if the process
// had been stopped there.
template <class Push, class Stop>
void in_pieces(std::string_view bytes, std::mt19937_64& random, Push push, Stop stop) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t most = random() % 3 == 0 ? 3 : 1 + bytes.size() / 4;
    const std::size_t n = std::min(bytes.size() - at, 1 + random() % most);
    push(bytes.substr(at, n));
    at += n;
    if (random() % 8 == 0) at = stop();
  }
}

TEST(PackedStream, AnyCutOfTheBytesGivesTheFile) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const TemporaryFolder folder;
    PackedWriter writer(folder / "h");
    const std::uint64_t blocks = random() % 4;
    for (std::uint64_t i = 0; i < blocks; ++i) writer.append(random_history(seed * 10 + i, kEverything));
    writer.finish();
    const std::string bytes = slurp(folder / "h");
    PackedStream stream("h");
    Joined joined;
    in_pieces(
        bytes, random,
        [&](std::string_view piece) {
          stream.push(piece);
          while (const auto block = stream.next()) joined.add(block->history);
        },
        [&] {
          stream = PackedStream::restore("h", stream.state());
          return stream.position();
        });
    ASSERT_TRUE(stream.ended()) << "seed " << seed;
    ASSERT_EQ(stream.unfinished(), 0U);
    Joined whole;
    whole.add(read_packed(one_file(bytes), {}));
    ASSERT_EQ(listing(joined.finish()), listing(whole.finish())) << "seed " << seed;
  }
}

TEST(PackedStream, RefusesWhatTheOneShotReaderRefuses) {
  const TemporaryFolder folder;
  write_packed(random_history(5, kEverything), folder / "h");
  const std::string good = slurp(folder / "h");
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    const std::size_t at = random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ static_cast<char>(1U << (random() % 8)));
    const std::string expected = error_of([&] { read_packed(one_file(bad), {}); });
    bool finished = false;
    const std::string found = error_of([&] {
      PackedStream stream("test");
      stream.push(bad);
      while (stream.next()) continue;
      finished = stream.ended();
    });
    // A length that grew looks like a block that is still to come.
    if (expected.find("cut off") == std::string::npos && found.find("at most") == std::string::npos)
      EXPECT_EQ(found, expected);
    else
      EXPECT_FALSE(finished);
  }
}

TEST(PackedStream, ABlockOfAbsurdSizeIsRefusedNotAwaited) {
  PackedStream stream("h");
  std::string bytes = packed::header() + packed::frame_of(false, "");
  bytes[packed::kHeaderSize + 8 + 6] = 1;
  stream.push(bytes);
  EXPECT_NE(error_of([&] { stream.next(); }).find("byte 24: a block of"), std::string::npos);
}

TEST(JsonlStream, AnyCutOfTheBytesGivesTheFile) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const TemporaryFolder folder;
    write_jsonl(random_history(seed, kEverything), folder / "h");
    const std::string bytes = slurp(folder / "h");
    JsonlStream stream("h");
    Joined joined;
    in_pieces(
        bytes, random,
        [&](std::string_view piece) {
          stream.push(piece);
          while (const auto part = stream.next(1 + random() % 5)) joined.add(*part);
        },
        [&] {
          stream = JsonlStream::restore("h", stream.state());
          return stream.position();
        });
    ASSERT_TRUE(stream.ended()) << "seed " << seed;
    ASSERT_EQ(stream.unfinished(), 0U);
    Joined whole;
    whole.add(read_jsonl(one_file(bytes), {}));
    ASSERT_EQ(listing(joined.finish()), listing(whole.finish())) << "seed " << seed;
  }
}

// What nobody wrote shows only at the end.
TEST(JsonlStream, RefusesOpenTables) {
  JsonlStream stream("h");
  stream.push("{\"assay\":\"history\",\"version\":1,\"open\":[\"t:\"]}\n");
  EXPECT_THROW(stream.next(10), InputError);
}

TEST(JsonlStream, SessionsGoOnOverPartsAndRestarts) {
  JsonlStream stream("h");
  stream.push("{\"s\":\"a\",\"t\":5,\"status\":\"ok\",\"ops\":[]}\n");
  ASSERT_TRUE(stream.next(10));
  stream = JsonlStream::restore("h", stream.state());
  stream.push("{\"s\":\"a\",\"t\":5,\"status\":\"ok\",\"ops\":[]}\n");
  EXPECT_TRUE(error_of([&] {
                stream.next(10);
              }).starts_with("h: line 2, column 39: transactions of a session must come in increasing t"));
}

TEST(JsonlStream, TheEndLineCountsAllParts) {
  JsonlStream stream("h");
  stream.push("{\"assay\":\"history\",\"version\":1}\n{\"s\":1,\"t\":0,\"status\":\"ok\",\"ops\":[]}\n");
  ASSERT_TRUE(stream.next(10));
  stream.push("{\"assay\":\"end\",\"transactions\":2}\n");
  EXPECT_NE(error_of([&] { stream.next(10); }).find("the file has 1 transactions"), std::string::npos);
}

TEST(JsonlStream, AFileThatContinuesAnotherMayHaveAHeaderAgain) {
  JsonlStream stream("h");
  stream.push("{\"assay\":\"history\",\"version\":1}\n{\"s\":1,\"t\":0,\"status\":\"ok\",\"ops\":[]}\n");
  ASSERT_TRUE(stream.next(10));
  JsonlStream next = stream.continued();
  next.push("{\"assay\":\"history\",\"version\":1}\n{\"s\":1,\"t\":1,\"status\":\"ok\",\"ops\":[]}\n");
  next.push("{\"assay\":\"end\",\"transactions\":1}\n");
  ASSERT_TRUE(next.next(10));
  EXPECT_TRUE(next.ended());
}

}  // namespace
}  // namespace assay::format
