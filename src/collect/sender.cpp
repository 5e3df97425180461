#include "collect/sender.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "format/assay/packed_block.hpp"
#include "format/bytes.hpp"
#include "memory/sha256.hpp"
#include "system/input_error.hpp"
#include "system/socket.hpp"

namespace assay::collect {

namespace {

using format::append_little;
using format::load_little;

constexpr std::uint32_t kVersion = 1;
constexpr std::chrono::seconds kWorthTelling{3};
constexpr std::size_t kWelcome = 16;  // number, largest frame, zeros; then the chain, and a proof

// So short that the socket takes it at once.
bool say(const system::Descriptor& socket, const std::string& frame) {
  return ::send(socket.get(), frame.data(), frame.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(frame.size());
}

// The connection broke: worth another attempt, unlike an InputError, which the watcher meant.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

Sender::Sender(system::Address watcher, std::string collector, const SenderOptions& options)
    : watcher_(std::move(watcher)),
      collector_(std::move(collector)),
      options_(options),
      in_(shown(watcher_)) {
  connect();
}

void Sender::connect() {
  const auto patience = fresh_ ? options_.patience_at_start : options_.patience;
  const auto deadline = Clock::now() + patience;
  bool told = false;
  for (auto pause = std::chrono::milliseconds(10);;
       pause = std::min(pause * 2, std::chrono::milliseconds(500))) {
    const std::optional<std::string> trouble = trouble_connecting();
    if (!trouble) break;
    socket_.reset();
    if (Clock::now() + pause > deadline)
      throw InputError(shown(watcher_), "", fmt::format("the watcher cannot be reached: {}", *trouble));
    if (!told) {
      options_.note(fmt::format("{}: the watcher cannot be reached ({}): trying again for up to {:.3g} s",
                                shown(watcher_), *trouble, std::chrono::duration<double>(patience).count()));
    }
    told = true;
    std::this_thread::sleep_for(pause);
  }
  if (told) options_.note(fmt::format("the watcher at {} answers: going on with it", shown(watcher_)));
}

// Nothing: there is a connection. What the watcher itself has to say is thrown.
std::optional<std::string> Sender::trouble_connecting() {
  try {
    try_connect();
    return std::nullopt;
  } catch (const Broken& error) {
    return error.what();
  } catch (const InputError& error) {
    if (welcomed_ || socket_) throw;
    return error.message();
  }
}

void Sender::try_connect() {
  welcomed_ = false;
  socket_.reset();
  socket_ = system::connect_to(watcher_);
  in_ = FrameReader(shown(watcher_));
  std::string body;
  append_little(body, kVersion);
  body += collector_;
  challenge_.clear();
  if (!say(socket_, frame(Tag::hello, body))) throw Broken("it does not listen");
  sent_ = kept_.size();  // nothing is sent before the welcome
  partly_ = 0;
  const auto deadline = Clock::now() + options_.silence;
  while (!welcomed_) {
    if (Clock::now() > deadline) throw Broken("no welcome came");
    exchange(100);
  }
  sent_ = 0;
}

// Sends what can be sent and takes what has come, after waiting for either.
void Sender::exchange(int timeout_milliseconds) {
  const bool more = sent_ < kept_.size();
  pollfd ready{socket_.get(), static_cast<short>(more ? POLLIN | POLLOUT : POLLIN), 0};
  if (::poll(&ready, 1, timeout_milliseconds) < 0 && errno != EINTR) throw Broken(std::strerror(errno));
  while (sent_ < kept_.size()) {
    const std::string_view rest = std::string_view(kept_[sent_].frame).substr(partly_);
    const ssize_t n = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n < 0) break;  // what the watcher said before it closed is still to be read
    partly_ += static_cast<std::size_t>(n);
    moved_ += static_cast<std::size_t>(n);
    if (partly_ < kept_[sent_].frame.size()) continue;
    ++sent_;
    partly_ = 0;
  }
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t n = ::recv(socket_.get(), piece.data(), piece.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) throw Broken(n == 0 ? "the watcher closed the connection" : std::strerror(errno));
    in_.push({piece.data(), static_cast<std::size_t>(n)});
    while (const auto frame = in_.next()) take(*frame);
  }
}

void Sender::prove(std::string_view challenge) {
  if (!options_.secret)
    throw InputError(shown(watcher_), "", "the watcher asks for a secret, and none was given");
  challenge_ = challenge;
  answer_ = nonce();
  if (!say(socket_,
           frame(Tag::proof, answer_ + options_.secret->proof_of_collector(challenge_, answer_, collector_))))
    throw Broken("it does not listen");
}

// Whether this is the watcher that it should be, and holds what this collector sent.
void Sender::check_welcome(std::string_view body) const {
  constexpr std::size_t kSigned = kWelcome + Sha256::kSize;
  if (body.size() < kSigned)
    throw InputError(shown(watcher_), "", "this is no watcher: its welcome is too short");
  if (!options_.secret) return;
  if (challenge_.empty() || !equal_in_constant_time(body.substr(kSigned), options_.secret->proof_of_watcher(
                                                                              challenge_, answer_, collector_,
                                                                              body.substr(0, kSigned)))) {
    throw InputError(shown(watcher_), "", "the watcher does not know the secret");
  }
}

// REQUIRES: it is next_, or kept.
const std::string& Sender::chain_before(std::uint64_t sequence) const {
  return sequence == next_ ? chain_ : kept_[sequence - kept_.front().sequence].chain;
}

void Sender::dispute(std::string_view why) {
  say(socket_, frame(Tag::fail, why.substr(0, 1000)));
  socket_.reset();
}

void Sender::take(const Frame& frame) {
  const auto fail = [this](const std::string& why) { throw InputError(shown(watcher_), "", why); };
  const Tag tag{frame.tag};
  if (tag == Tag::fail) fail(fmt::format("the watcher refused collector {}: {}", collector_, frame.body));
  if (tag == Tag::challenge && !welcomed_ && challenge_.empty()) return prove(frame.body);
  if ((tag != Tag::welcome && tag != Tag::acknowledge) || frame.body.size() < 8 ||
      (tag == Tag::welcome) == welcomed_) {
    fail(fmt::format("this is no watcher: it sent {}", letters(frame.tag)));
  }
  const auto next = load_little<std::uint64_t>(frame.body.data());
  if (tag == Tag::welcome) check_welcome(frame.body);
  if (tag == Tag::welcome && fresh_) {
    next_ = acknowledged_ = next;
    chain_ = frame.body.substr(kWelcome, Sha256::kSize);
    fresh_ = false;
  }
  welcomed_ = true;
  if (next > next_ || next < acknowledged_) {
    fail(fmt::format(
        "the watcher expects fragment {} of collector {}, of which it had {} and could have {}: was it "
        "started again without its checkpoint?",
        next, collector_, acknowledged_, next_));
  }
  if (tag == Tag::welcome &&
      !may_be_same(frame.body.substr(kWelcome, Sha256::kSize), chain_before(next), next)) {
    dispute(fmt::format("what was acknowledged before fragment {} is not what it sent", next));
    fail(fmt::format(
        "what the watcher holds under the name of collector {} is not what it sent: somebody else has "
        "sent in its place",
        collector_));
  }
  moved_ += next - acknowledged_;
  acknowledged_ = next;
  while (!kept_.empty() && kept_.front().sequence < next) {
    kept_bytes_ -= kept_.front().frame.size();
    kept_.pop_front();
    if (sent_ > 0) {
      --sent_;
    } else {
      partly_ = 0;
    }
  }
}

template <class Done>
void Sender::until(Done done) {
  auto since = Clock::now();
  std::uint64_t moved = moved_;
  bool told = false;
  while (!done()) {
    try {
      exchange(100);
    } catch (const Broken&) {
      // A watcher may end as soon as it has acknowledged the last thing.
      if (!done()) {
        connect();
        since = Clock::now();
      }
    }
    const auto now = Clock::now();
    if (moved != moved_) {
      moved = moved_;
      since = now;
      if (std::exchange(told, false))
        options_.note(fmt::format("the watcher at {} goes on", shown(watcher_)));
    }
    if (now - since > options_.silence)
      throw InputError(shown(watcher_), "", "the watcher is there, but takes nothing any more");
    if (now - since > kWorthTelling && !std::exchange(told, true)) {
      options_.note(fmt::format("the watcher at {} takes nothing: waiting for up to {:.3g} s",
                                shown(watcher_), std::chrono::duration<double>(options_.silence).count()));
    }
  }
}

void Sender::enqueue(Tag tag, std::string_view block) {
  std::string body;
  append_little(body, next_);
  body += block;
  std::string bytes = frame(tag, body);
  kept_bytes_ += bytes.size();
  kept_.push_back({next_++, std::move(bytes), chain_});
  if (next_ == 1 || chain_ != kNoChain) chain_ = chain_after(chain_, content_digest(tag == Tag::done, block));
  try {
    exchange(0);
  } catch (const Broken&) {
    if (!kept_.empty()) connect();
  }
  until([this] { return kept_bytes_ <= options_.buffer_bytes; });
}

void Sender::send_block(std::string_view block) {
  if (block.size() > kLargestBlock) {
    throw InputError(collector_, "",
                     fmt::format("a fragment of {} bytes; the largest has {}", block.size(), kLargestBlock));
  }
  enqueue(Tag::fragment, block);
}

void Sender::send(const History& fragment) {
  send_block(PackedCodec::encode(fragment));
}

void Sender::flush() {
  until([this] { return kept_.empty(); });
}

void Sender::finish() {
  enqueue(Tag::done, {});
  flush();
}

}  // namespace assay::collect
