#include "collect/fragment.hpp"

#include <gtest/gtest.h>

#include "format/assay/packed_block.hpp"
#include "format/bytes.hpp"
#include "history/builder.hpp"
#include "support/inputs.hpp"

namespace assay::collect {
namespace {

History history_of(int session, int transactions) {
  HistoryBuilder build;
  const Session s = build.session(Atom::integer(session));
  for (int i = 0; i < transactions; ++i) {
    build.begin(s, Atom::integer(session * 100'000 + i));
    build.write(Atom::integer(i), Atom::integer(std::int64_t{i} * i * 7919));
    build.end(Status::committed);
  }
  return build.finish();
}

Fragment fragment_of(std::string collector, int session) {
  Fragment fragment;
  fragment.collector = std::move(collector);
  fragment.history = history_of(session, 1);
  return fragment;
}

TEST(Batch, ASessionBelongsToOneCollector) {
  OwnerOf owners;
  Batch batch(owners, 1 << 20);
  batch.add(fragment_of("one", 1));
  batch.add(fragment_of("one", 1));
  batch.add(fragment_of("two", 2));
  EXPECT_NE(testing::complaint([&] { batch.add(fragment_of("two", 1)); }), "");
  EXPECT_EQ(batch.take().size(), 3U) << "what was refused is not in it";
}

TEST(Batch, HasRoomForALittleMoreThanItIsGiven) {
  OwnerOf owners;
  Batch batch(owners, 1);
  EXPECT_TRUE(batch.has_room());
  batch.add(fragment_of("one", 1));
  EXPECT_FALSE(batch.has_room());
  EXPECT_FALSE(batch.empty());
}

TEST(Sendable, ABlockThatIsTooLargeGoesInParts) {
  const History history = history_of(7, 5000);
  const std::string block = PackedCodec::encode(history);
  EXPECT_EQ(sendable(block, history), std::vector<std::string>{block});
  const std::vector<std::string> parts = sendable(block, history, block.size() / 3);
  EXPECT_GT(parts.size(), 2U);
  std::size_t transactions = 0;
  for (const std::string& part : parts) {
    EXPECT_LE(part.size(), block.size() / 3);
    format::ByteCursor in("part", part);
    transactions += PackedCodec::decode(in).transactions();
  }
  EXPECT_EQ(transactions, 5000U);
}

TEST(Sendable, OneTransactionIsNeverTakenApart) {
  const History history = history_of(7, 1);
  const std::string block = PackedCodec::encode(history);
  EXPECT_EQ(sendable(block, history, 1), std::vector<std::string>{block});
}

}  // namespace
}  // namespace assay::collect
