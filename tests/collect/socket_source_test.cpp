// Collectors at a socket: order, acknowledgements, duplicates, gaps, coming back, back pressure, and bytes
// that are no frames.
#include "collect/socket_source.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "collect/sender.hpp"
#include "format/assay/packed_block.hpp"
#include "format/bytes.hpp"
#include "history/builder.hpp"
#include "support/eventually.hpp"
#include "support/memory_input.hpp"
#include "system/temporary_folder.hpp"

namespace assay::collect {
namespace {

using assay::testing::error_of;
using assay::testing::eventually;
using format::append_little;

History transaction(const std::string& session, int t) {
  HistoryBuilder build;
  build.begin(build.session(Atom::string(session)), Atom::integer(t));
  build.write(Atom::integer(1), Atom::integer(t));
  build.end(Status::committed);
  return build.finish();
}

std::string hello(const std::string& name, std::uint32_t version = 1) {
  std::string body;
  append_little(body, version);
  return frame(Tag::hello, body + name);
}

std::string fragment(std::uint64_t sequence, const std::string& session = "s") {
  std::string body;
  append_little(body, sequence);
  return frame(Tag::fragment, body + PackedCodec::encode(transaction(session, static_cast<int>(sequence))));
}

// A collector that says whatever a test wants.
class Raw {
 public:
  explicit Raw(const std::string& address) : socket_(system::connect_to(system::address_of(address))) {}
  void say(const std::string& bytes) {
    ASSERT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // The next frame, as its letters and its number or text; "" while there is none, "closed" at the end.
  std::string heard() {
    char piece[4096];
    const ssize_t n = ::recv(socket_.get(), piece, sizeof piece, 0);
    if (n > 0) in_.push({piece, static_cast<std::size_t>(n)});
    const auto frame = in_.next();
    if (!frame) return n == 0 ? "closed" : "";
    if (Tag{frame->tag} == Tag::fail) return "FAIL " + std::string(frame->body);
    return letters(frame->tag) + " " + std::to_string(format::load_little<std::uint64_t>(frame->body.data()));
  }

 private:
  system::Descriptor socket_;
  FrameReader in_{"server"};
};

class AtASocket : public ::testing::Test {
 protected:
  // One turn of the watcher; what it took, as "collector/sequence ".
  std::string take(bool safe = true, std::size_t room = std::size_t{1} << 24) {
    Batch batch(owners_, room);
    server_.collect(batch);
    std::string out;
    for (const Fragment& one : batch.take())
      out += one.collector + "/" + std::to_string(one.sequence) + (one.last ? ". " : " ");
    if (safe) server_.acknowledge();
    return out;
  }
  // Turns until something was taken.
  std::string take_some() {
    std::string taken;
    eventually([&] { return !(taken += take()).empty(); });
    return taken;
  }
  std::string answer(Raw& to) {
    std::string heard;
    eventually([&] {
      take();
      return !(heard = to.heard()).empty();
    });
    return heard;
  }

  std::vector<std::string> notes_;
  OwnerOf owners_;
  SocketLimits limits_{.early_bytes = 4096, .gap = std::chrono::milliseconds(0)};
  SocketSource server_{
      system::address_of("0"), {}, [this](const std::string& text) { notes_.push_back(text); }, limits_};
};

TEST_F(AtASocket, AFragmentIsAcknowledgedWhenItIsSafeAndNotBefore) {
  Raw raw(server_.address());
  raw.say(hello("a"));
  EXPECT_EQ(answer(raw), "'WELC' 0");
  raw.say(fragment(0));
  std::string taken;
  ASSERT_TRUE(eventually([&] { return !(taken += take(false)).empty(); }));
  EXPECT_EQ(taken, "tcp:a/0 ");
  take(false);
  EXPECT_EQ(raw.heard(), "");
  server_.acknowledge();
  EXPECT_EQ(answer(raw), "'ACKN' 1");
}

TEST_F(AtASocket, WhatWasTakenIsIgnoredWhenItComesAgain) {
  Raw raw(server_.address());
  raw.say(hello("a") + fragment(0) + fragment(0) + fragment(1));
  std::string taken;
  ASSERT_TRUE(eventually([&] { return (taken += take()).find("/1") != std::string::npos; }));
  EXPECT_EQ(taken, "tcp:a/0 tcp:a/1 ");
}

TEST_F(AtASocket, AnotherContentForANumberIsRefusedAndLeavesADoubt) {
  Raw raw(server_.address());
  raw.say(hello("a") + fragment(0) + fragment(1));
  std::string taken;
  ASSERT_TRUE(eventually([&] { return (taken += take()).find("/1") != std::string::npos; }));
  EXPECT_TRUE(server_.doubts().empty());
  Raw forged(server_.address());
  forged.say(hello("a") + fragment(0, "another session"));
  std::string last;
  ASSERT_TRUE(eventually([&] { return (last = answer(forged)).starts_with("FAIL"); }));
  EXPECT_NE(last.find("fragment 0 came again, from 127.0.0.1, with another content"), std::string::npos)
      << last;
  ASSERT_FALSE(server_.doubts().empty());
  EXPECT_TRUE(server_.doubts().front().collector.empty());
}

// Ten million transactions that do nothing, in some hundred kilobytes.
std::string small_block_of_a_large_history(std::uint32_t transactions) {
  HistoryBuilder build;
  const Session s = build.session(Atom::string("s"));
  for (std::uint32_t t = 0; t < transactions; ++t) {
    build.begin(s, Atom::integer(1));
    build.end(Status::committed);
  }
  return PackedCodec::encode(build.finish());
}

TEST_F(AtASocket, AFragmentThatUnpacksToTooMuchIsRefusedBeforeAndNeverAcknowledged) {
  const std::string block = small_block_of_a_large_history(1'500'000);
  ASSERT_LT(block.size(), std::size_t{1} << 18);
  ASSERT_GT(PackedCodec::unpacked_bytes(block), kLargestUnpacked);
  std::string body;
  append_little(body, std::uint64_t{0});
  Raw raw(server_.address());
  raw.say(hello("a"));
  EXPECT_EQ(answer(raw), "'WELC' 0");
  raw.say(frame(Tag::fragment, body + block));
  std::string last;
  ASSERT_TRUE(eventually([&] { return !(last = answer(raw)).empty(); }));
  EXPECT_TRUE(last.starts_with("FAIL") && last.find("would take up to") != std::string::npos) << last;
  ASSERT_EQ(server_.doubts().size(), 1U) << "nobody may say that all is well";
  Raw again(server_.address());
  again.say(hello("a") + fragment(0));
  EXPECT_EQ(take_some(), "tcp:a/0 ");
  EXPECT_TRUE(server_.doubts().empty()) << "it came after all";
}

TEST_F(AtASocket, WhatAHistoryTakesIsNeverMoreThanItsBlockSays) {
  for (const History& history : {transaction("s", 1), History()}) {
    const std::string block = PackedCodec::encode(history);
    format::ByteCursor in("x", block);
    EXPECT_LE(PackedCodec::decode(in).resident_bytes(), PackedCodec::unpacked_bytes(block) + 256);
  }
  const std::string block = small_block_of_a_large_history(10'000);
  format::ByteCursor in("x", block);
  EXPECT_LE(PackedCodec::decode(in).resident_bytes(), PackedCodec::unpacked_bytes(block));
}

TEST_F(AtASocket, AFragmentThatComesEarlyWaitsForTheOneBefore) {
  Raw raw(server_.address());
  raw.say(hello("a") + fragment(1) + fragment(0));
  EXPECT_EQ(take_some(), "tcp:a/0 tcp:a/1 ");
}

TEST_F(AtASocket, AGapIsReportedAndTheCollectorResumesBeforeIt) {
  Raw raw(server_.address());
  raw.say(hello("a") + fragment(0) + fragment(2));
  EXPECT_EQ(answer(raw), "'WELC' 1");
  std::string last;
  ASSERT_TRUE(eventually([&] { return (last = answer(raw)).starts_with("FAIL"); }));
  EXPECT_EQ(last, "FAIL fragment 1 is missing, 2 came: send it again from there");
  ASSERT_FALSE(notes_.empty());
  Raw again(server_.address());
  again.say(hello("a"));
  EXPECT_EQ(answer(again), "'WELC' 1");
}

TEST_F(AtASocket, WhatIsNoProtocolIsRefusedWithAReason) {
  std::string damaged = fragment(0);
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  std::string huge = fragment(0);
  huge[7] = '\x7F';
  std::string number;
  append_little(number, std::uint64_t{0});
  const std::pair<std::string, std::string> cases[] = {
      {fragment(0), "expected a hello, found 'FRAG'"},
      {hello("a", 2), "version 2 of the protocol; this Assay speaks version 1"},
      {hello(""), "a hello is a version and a name"},
      {hello("a") + hello("a"), "a second hello"},
      {hello("a") + damaged, "does not have the checksum"},
      {hello("a") + huge, "the largest has"},
      {hello("a") + frame(Tag::fragment, number + "no block"), "fragment 0"},
      {hello("a") + frame(Tag::acknowledge, number), "a collector does not send 'ACKN'"},
      {"GET / HTTP/1.1\r\n\r\n", "a frame 'GET '"},
  };
  for (const auto& [bytes, reason] : cases) {
    Raw raw(server_.address());
    raw.say(bytes);
    std::string heard;
    ASSERT_TRUE(eventually([&] { return (heard = answer(raw)).starts_with("FAIL") || heard == "closed"; }));
    EXPECT_NE(heard.find(reason), std::string::npos) << heard << " for " << reason;
  }
}

TEST_F(AtASocket, ASessionOfAnotherCollectorIsRefused) {
  Raw a(server_.address()), b(server_.address());
  a.say(hello("a") + fragment(0, "s"));
  EXPECT_EQ(take_some(), "tcp:a/0 ");
  b.say(hello("b") + fragment(0, "s"));
  std::string heard;
  ASSERT_TRUE(eventually([&] { return (heard = answer(b)).starts_with("FAIL"); }));
  EXPECT_NE(heard.find("session s comes from tcp:a"), std::string::npos) << heard;
}

TEST_F(AtASocket, NothingIsReadWhileThereIsNoRoom) {
  Raw raw(server_.address());
  raw.say(hello("a"));
  EXPECT_EQ(answer(raw), "'WELC' 0");
  raw.say(fragment(0));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(take(true, 0), "");
  EXPECT_EQ(take_some(), "tcp:a/0 ");
}

TEST_F(AtASocket, SendersAreSlowedDownAndLoseNothing) {
  constexpr int kSenders = 3, kFragments = 50;
  std::vector<std::thread> threads;
  std::atomic<int> finished = 0;
  const system::Address address = system::address_of(server_.address());
  for (int s = 0; s < kSenders; ++s) {
    threads.emplace_back([&, s] {
      const std::string name = "s" + std::to_string(s);
      Sender sender(address, name, {.buffer_bytes = 1000});
      for (int t = 0; t < kFragments; ++t) sender.send(transaction(name, t));
      sender.finish();
      EXPECT_EQ(sender.acknowledged(), kFragments + 1U);
      ++finished;
    });
  }
  std::map<std::string, std::uint64_t> next;
  EXPECT_TRUE(eventually([&] {
    Batch batch(owners_, 2000);
    server_.collect(batch);
    for (const Fragment& one : batch.take()) EXPECT_EQ(one.sequence, next[one.collector]++);
    server_.acknowledge();
    return finished == kSenders;
  }));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(next.size(), static_cast<std::size_t>(kSenders));
  for (const auto& [name, count] : next) EXPECT_EQ(count, kFragments + 1U);
  EXPECT_TRUE(server_.at_rest());
}

TEST(Sender, GoesOnWithAWatcherThatWasStartedAgain) {
  const Note ignore = [](const std::string&) {};
  auto server = std::make_unique<SocketSource>(system::address_of("0"), ProgressOf{}, ignore);
  const system::Address address = system::address_of(server->address());
  std::atomic<bool> done = false;
  std::thread collector([&] {
    Sender sender(address, "a");
    for (int t = 0; t < 20; ++t) sender.send(transaction("s", t));
    sender.finish();
    done = true;
  });
  OwnerOf owners;
  std::uint64_t next = 0;
  const auto turn = [&](std::size_t room) {
    Batch batch(owners, room);
    server->collect(batch);
    for (const Fragment& one : batch.take()) {
      EXPECT_EQ(one.sequence, next);
      ++next;
    }
    server->acknowledge();
  };
  ASSERT_TRUE(eventually([&] {
    turn(1);
    return next >= 5;
  }));
  server.reset();
  server = std::make_unique<SocketSource>(address, ProgressOf{{"tcp:a", {next, false, ""}}}, ignore);
  EXPECT_TRUE(eventually([&] {
    turn(1000);
    return done.load();
  }));
  collector.join();
  EXPECT_EQ(next, 21U);
}

// A watcher with other settings than the rest.
class Server {
 public:
  Server(const std::string& address, const SocketLimits& limits, std::optional<Secret> secret = std::nullopt)
      : source_(
            system::address_of(address), {}, [this](const std::string& text) { notes_ += text + "\n"; },
            limits, std::move(secret)),
        thread_([this] {
          while (!stop_) {
            Batch batch(owners_, std::size_t{1} << 24);
            source_.collect(batch);
            taken_ += batch.take().size();
            source_.acknowledge();
            doubted_ = !source_.doubts().empty();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }) {}
  ~Server() { stop(); }
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::string address() const { return source_.address(); }
  std::size_t taken() const { return taken_; }
  bool doubted() const { return doubted_; }
  // These two only after stop().
  const std::string& notes() const { return notes_; }
  std::vector<Doubt> doubts() const { return source_.doubts(); }

 private:
  OwnerOf owners_;
  std::string notes_;
  SocketSource source_;
  std::atomic<std::size_t> taken_ = 0;
  std::atomic<bool> stop_ = false, doubted_ = false;
  std::thread thread_;
};

SenderOptions with_secret(std::optional<Secret> secret) {
  SenderOptions options;
  options.patience = options.patience_at_start = options.silence = std::chrono::milliseconds(2000);
  options.secret = std::move(secret);
  return options;
}

TEST(SharedSecret, OnlyThoseWhoKnowItAreHeard) {
  const Secret secret("a secret of many bytes");
  Server server("0", {}, secret);
  Sender honest(system::address_of(server.address()), "a", with_secret(secret));
  honest.send(transaction("s", 1));
  honest.finish();
  EXPECT_EQ(server.taken(), 2U);
  const auto refusal = [&](std::optional<Secret> other) {
    return error_of(
        [&] { Sender(system::address_of(server.address()), "a", with_secret(std::move(other))); });
  };
  EXPECT_NE(refusal(std::nullopt).find("the watcher asks for a secret"), std::string::npos);
  EXPECT_NE(refusal(Secret("another one")).find("it does not know the secret"), std::string::npos);
  Raw impatient(server.address());
  impatient.say(hello("b") + fragment(0));
  std::string last;
  ASSERT_TRUE(eventually([&] { return (last = impatient.heard()).starts_with("FAIL"); }));
  EXPECT_EQ(last, "FAIL expected a proof, found 'FRAG'");
  server.stop();
  EXPECT_TRUE(server.doubts().empty()) << "strangers cannot even raise doubts";
}

TEST(SharedSecret, AWatcherThatDoesNotKnowItIsRefused) {
  Server knows_none("0", {});
  Server knows_another("0", {}, Secret("another one"));
  for (const Server* server : {&knows_none, &knows_another}) {
    EXPECT_NE(error_of([&] {
                Sender(system::address_of(server->address()), "a",
                       with_secret(Secret("a secret of many bytes")));
              }).find("know the secret"),
              std::string::npos);
  }
}

TEST(SharedSecret, AProofIsGoodForOneConnectionOnly) {
  const Secret secret("a secret of many bytes");
  const std::string challenge = nonce(), answer = nonce();
  EXPECT_NE(challenge, answer);
  EXPECT_NE(secret.proof_of_collector(challenge, answer, "a"),
            secret.proof_of_collector(answer, answer, "a"));
  EXPECT_NE(secret.proof_of_collector(challenge, answer, "a"),
            secret.proof_of_collector(challenge, answer, "b"));
  EXPECT_NE(secret.proof_of_collector(challenge, answer, "a"),
            secret.proof_of_watcher(challenge, answer, "a", ""));
}

// Somebody takes the name of a collector before it comes: it finds out when the watcher says what it has.
TEST(Chain, ACollectorNoticesWhatOthersSentInItsPlace) {
  Server server("0", {});
  Sender honest(system::address_of(server.address()), "a", with_secret(std::nullopt));
  honest.send(transaction("s", 1));
  honest.flush();
  Raw forged(server.address());
  forged.say(hello("a") + fragment(1, "s"));
  ASSERT_TRUE(eventually([&] { return server.taken() == 2; }));
  // Its own connection was closed; it connects again and is told of two fragments.
  const std::string trouble = error_of([&] {
    honest.send(transaction("s", 2));
    honest.flush();
  });
  EXPECT_NE(trouble.find("is not what it sent: somebody else has sent in its place"), std::string::npos)
      << trouble;
  EXPECT_TRUE(eventually([&] { return server.doubted(); }));
  server.stop();
  ASSERT_FALSE(server.doubts().empty());
  EXPECT_TRUE(server.doubts().front().collector.empty());
}

TEST(Places, OneAddressCannotTakeThemAll) {
  Server server("0", {.connections = 8, .per_address = 4});
  std::vector<Raw> silent;
  for (int i = 0; i < 20; ++i) silent.emplace_back(server.address());
  std::size_t closed = 0;
  ASSERT_TRUE(eventually([&] {
    closed = 0;
    for (Raw& one : silent) closed += one.heard() == "closed" ? 1 : 0;
    return closed >= 16;
  }));
  EXPECT_EQ(closed, 16U);
  server.stop();
  EXPECT_NE(server.notes().find("127.0.0.1 has 4 connections: more are sent away"), std::string::npos)
      << server.notes();
}

TEST(Silence, AFrameThatStopsInItsMiddleIsNotWaitedForForever) {
  Server server("0", {.partial = std::chrono::milliseconds(50)});
  Raw raw(server.address());
  raw.say(hello("a") + fragment(0).substr(0, 20));
  std::string last;
  ASSERT_TRUE(eventually([&] { return (last = raw.heard()).starts_with("FAIL"); }));
  EXPECT_EQ(last, "FAIL a frame stopped in its middle");
}

TEST(UnixSocket, TakesFragmentsOfItsOwner) {
  const system::TemporaryFolder folder;
  const std::string address = "unix:" + folder.file("socket");
  {
    Server server(address, {});
    EXPECT_EQ(server.address(), address);
    EXPECT_EQ(std::filesystem::status(folder.file("socket")).permissions() & std::filesystem::perms::all,
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    Sender sender(system::address_of(address), "a", with_secret(std::nullopt));
    sender.send(transaction("s", 1));
    sender.finish();
    EXPECT_EQ(server.taken(), 2U);
    EXPECT_NE(error_of([&] { system::listen_at(system::address_of(address)); }).find("cannot listen"),
              std::string::npos)
        << "somebody listens there";
  }
  Server again(address, {});  // what the first one left is in nobody's way
}

TEST(Sender, SaysWhereNobodyListens) {
  system::Address nowhere;
  {
    const system::Descriptor socket = system::listen_at(system::address_of("0"));
    nowhere = system::bound_address(socket);
  }
  EXPECT_NE(error_of([&] {
              Sender(nowhere, "a", {.patience_at_start = std::chrono::milliseconds(1)});
            }).find("the watcher cannot be reached"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::collect
