// A recording on its way to a watcher: blocks that are too large, a watcher that takes nothing, and what is
// counted.
#include "collect/delivery.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "collect/fragment.hpp"
#include "collect/socket_source.hpp"
#include "format/assay/packed_block.hpp"
#include "history/builder.hpp"
#include "support/eventually.hpp"
#include "support/memory_input.hpp"

namespace assay::collect {
namespace {

using assay::testing::error_of;
using assay::testing::eventually;

// So many transactions of each session, from number `first` on.
History block(const std::vector<std::string>& sessions, int transactions, int first = 0) {
  HistoryBuilder build;
  for (const std::string& name : sessions) {
    const Session session = build.session(Atom::string(name));
    for (int t = first; t < first + transactions; ++t) {
      build.begin(session, Atom::integer(t));
      build.write(Atom::string(name), Atom::integer(t + 1));
      build.end(Status::committed);
    }
  }
  build.note("a note");
  return build.finish();
}

History decoded(const std::string& bytes) {
  format::ByteCursor in("piece", bytes);
  return PackedCodec::decode(in);
}

TEST(Sendable, ABlockThatFitsIsSentAsItIs) {
  const History history = block({"a", "b"}, 10);
  const std::string bytes = PackedCodec::encode(history);
  EXPECT_EQ(sendable(bytes, history), std::vector{bytes});
}

TEST(Sendable, PiecesOfALargeBlockContinueEachOther) {
  for (const int transactions : {1, 100}) {
    const std::vector<std::string> names{"a", "b", "c", "d"};
    const History history = block(names, transactions);
    const std::string bytes = PackedCodec::encode(history);
    const std::vector<std::string> pieces = sendable(bytes, history, bytes.size() - 1);
    EXPECT_GT(pieces.size(), 1U);
    std::vector<int> next(names.size(), 0);
    std::size_t notes = 0;
    for (const std::string& piece : pieces) {
      EXPECT_LT(piece.size(), bytes.size());
      const History part = decoded(piece);
      ASSERT_EQ(part.sessions(), names.size());
      notes += part.notes().size();
      for (std::uint32_t s = 0; s < part.sessions(); ++s) {
        EXPECT_EQ(to_string(part.name(Session{s})), names[s]);
        for (const Txn t : part.transactions_of(Session{s}))
          EXPECT_EQ(to_string(part.name(t)), std::to_string(next[s]++));
      }
    }
    EXPECT_EQ(next, std::vector(names.size(), transactions));
    EXPECT_EQ(notes, 1U);
  }
}

TEST(Sendable, ATransactionIsNeverTakenApart) {
  const History history = block({"a"}, 1);
  EXPECT_EQ(sendable(PackedCodec::encode(history), history, 1).size(), 1U);
}

// A watcher that takes in as long as it is told to.
class Watching {
 public:
  Watching() : thread_([this] { run(); }) {}
  ~Watching() {
    over_ = true;
    thread_.join();
  }
  system::Address address() const { return system::address_of(server_.address()); }
  void take_nothing() { takes_ = false; }
  std::uint64_t transactions() const { return transactions_; }

 private:
  void run() {
    OwnerOf owners;
    while (!over_) {
      Batch batch(owners, takes_ ? 1'000'000 : 0);
      server_.collect(batch);
      for (const Fragment& one : batch.take()) transactions_ += one.history.transactions();
      if (takes_) server_.acknowledge();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  SocketSource server_{system::address_of("0"), {}, [](const std::string&) {}};
  std::atomic<bool> over_ = false, takes_ = true;
  std::atomic<std::uint64_t> transactions_ = 0;
  std::thread thread_;
};

TEST(Delivery, CountsWhatWasAcknowledged) {
  const Watching watching;
  Delivery delivery(watching.address());
  for (int i = 0; i < 20; ++i) delivery.add(block({"a", "b"}, i, 100 * i));
  const Delivery::Result result = delivery.finish();
  EXPECT_EQ(result.failure, std::nullopt);
  EXPECT_EQ(result.transactions, 2U * (19 * 20 / 2));
  EXPECT_EQ(result.undelivered, 0U);
  EXPECT_EQ(watching.transactions(), result.transactions);
}

TEST(Delivery, AWatcherThatTakesNothingIsGivenUpAndSlowsNobodyDownThen) {
  Watching watching;
  DeliveryOptions options;
  options.silence = std::chrono::milliseconds(2000);
  options.waiting_bytes = 1;
  Delivery delivery(watching.address(), options);
  delivery.add(block({"a"}, 5));
  watching.take_nothing();
  // Each of these waits until those before are on their way; after the failure none does.
  for (int i = 1; i <= 20; ++i) delivery.add(block({"a"}, 5, 10 * i));
  EXPECT_TRUE(eventually([&] { return delivery.failure().has_value(); }));
  const Delivery::Result result = delivery.finish();
  EXPECT_EQ(result.transactions + result.undelivered, 105U);
  EXPECT_GE(result.transactions, 5U);
  EXPECT_GT(result.undelivered, 0U);
  EXPECT_NE(result.failure->find("takes nothing"), std::string::npos) << *result.failure;
}

TEST(Delivery, ARecordingThatTheWatcherKnowsAlreadyIsRefused) {
  const Watching watching;
  const History first = block({"a"}, 1);
  Delivery once(watching.address());
  once.add(first);
  Delivery again(watching.address());
  EXPECT_NE(error_of([&] { again.add(first); }).find("knows recording-"), std::string::npos);
}

}  // namespace
}  // namespace assay::collect
