// Collectors at a socket: order, acknowledgements, duplicates, gaps, coming back, back pressure, and bytes
// that are no frames.
#include "collect/server.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "collect/sender.hpp"
#include "format/bytes.hpp"
#include "format/packed_block.hpp"
#include "history/builder.hpp"
#include "support/eventually.hpp"
#include "support/memory_input.hpp"

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
  explicit Raw(const std::string& address) : socket_(connect_to(address_of(address))) {}
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
  Descriptor socket_;
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
  ServerLimits limits_{.early_bytes = 4096, .gap = std::chrono::milliseconds(0)};
  Server server_{address_of("0"), {}, [this](const std::string& text) { notes_.push_back(text); }, limits_};
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
  const Address address = address_of(server_.address());
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
  auto server = std::make_unique<Server>(address_of("0"), ProgressOf{}, ignore);
  const Address address = address_of(server->address());
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
  server = std::make_unique<Server>(address, ProgressOf{{"tcp:a", {next, false, ""}}}, ignore);
  EXPECT_TRUE(eventually([&] {
    turn(1000);
    return done.load();
  }));
  collector.join();
  EXPECT_EQ(next, 21U);
}

TEST(Sender, SaysWhereNobodyListens) {
  Address nowhere;
  {
    const Descriptor socket = listen_at(address_of("0"));
    nowhere = address_of(bound_address(socket));
  }
  EXPECT_NE(error_of([&] {
              Sender(nowhere, "a", {.patience_at_start = std::chrono::milliseconds(1)});
            }).find("the watcher cannot be reached"),
            std::string::npos);
}

TEST(Address, IsAHostAndAPort) {
  EXPECT_EQ(address_of("7420").host, "127.0.0.1");
  EXPECT_EQ(address_of(":7420").host, "127.0.0.1");
  EXPECT_EQ(address_of("[::1]:7420").host, "::1");
  EXPECT_EQ(address_of("example.org:1").port, "1");
  for (const char* bad : {"", "a", "a:", "::1:80", "h:65536", "h:-1", "h:1x"})
    EXPECT_NE(error_of([&] { address_of(bad); }), "no error") << bad;
}

}  // namespace
}  // namespace assay::collect
