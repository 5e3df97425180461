#include "collect/socket_source.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <utility>

#include "collect/chain.hpp"
#include "format/assay/packed_block.hpp"
#include "format/bytes.hpp"
#include "memory/sha256.hpp"
#include "system/input_error.hpp"

namespace assay::collect {

namespace {

using format::append_little;
using format::load_little;

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kMostOutput = std::size_t{1} << 16;  // of a collector that does not listen
constexpr std::string_view kPrefix = "tcp:";
constexpr std::size_t kLargestFromAStranger = 4096;  // bytes of a frame: a hello or a proof has less
constexpr std::size_t kStrangersTold = 100;          // then no more is said about them
constexpr std::size_t kRecent = 16;     // fragments whose content is still known when they come again
constexpr std::size_t kDisputes = 100;  // that are remembered; the first ones say enough

std::string number(std::uint64_t value) {
  std::string out;
  append_little(out, value);
  return out;
}

}  // namespace

struct SocketSource::Collector {
  std::uint64_t next = 0;  // the fragment that is collected next
  bool done = false;
  std::string chain = kNoChain;  // of what was collected
  Connection* connection = nullptr;
  std::deque<std::string> recent = {};  // digests of the fragments before `next`
};

struct SocketSource::Connection {
  Connection(system::Descriptor given, std::string from, Clock::time_point now)
      : socket(std::move(given)),
        peer(std::move(from)),
        who(fmt::format("a collector at {}", peer)),
        in(who, kLargestFromAStranger),
        since(now),
        heard(now) {}

  system::Descriptor socket;
  std::string peer;  // its host or user
  std::string who;   // for messages: the peer, and the collector once it is known
  FrameReader in;
  std::string out;
  std::string claimed;                // the name in its hello
  std::string challenge, answer;      // random bytes of the watcher and of the collector
  const std::string* name = nullptr;  // of the collector; the key in collectors_
  Collector* collector = nullptr;
  bool welcome = false, acknowledge = false;  // to be said when what was collected is safe
  bool closing = false;                       // after `out` is sent
  Clock::time_point since;                    // without a collector, or with a gap
  Clock::time_point heard;                    // the last bytes

  struct Early {
    bool last;
    std::string block;
  };
  std::map<std::uint64_t, Early> early;
  std::size_t early_bytes = 0;
};

SocketSource::SocketSource(const system::Address& address, const ProgressOf& progress, Note note,
                           const SocketLimits& limits, std::optional<Secret> secret)
    : limits_(limits),
      note_(std::move(note)),
      secret_(std::move(secret)),
      listener_(system::listen_at(address)) {
  for (const auto& [name, known] : progress) {
    if (name.starts_with(kPrefix))
      collectors_[name] = {known.next, known.done, known.cursor.empty() ? kNoChain : known.cursor};
  }
}

SocketSource::~SocketSource() = default;

bool SocketSource::at_rest() const {
  return !collectors_.empty() && std::all_of(collectors_.begin(), collectors_.end(),
                                             [](const auto& entry) { return entry.second.done; });
}

void SocketSource::wake(std::vector<pollfd>& into) const {
  if (full_) return;
  if (connections_.size() < limits_.connections) into.push_back({listener_.get(), POLLIN, 0});
  for (const Connection& connection : connections_)
    into.push_back(
        {connection.socket.get(), static_cast<short>(connection.out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
}

void SocketSource::collect(Batch& into) {
  accept_all();
  buffered_ = 0;
  for (const Connection& connection : connections_)
    buffered_ += connection.in.unfinished() + connection.early_bytes;
  const auto now = Clock::now();
  for (Connection& connection : connections_) {
    if (connection.closing) continue;
    try {
      receive(connection, into);
      if (connection.collector == nullptr && now - connection.since > limits_.hello)
        refuse(connection, "it did not say who it is in time");
      if (!connection.early.empty() && now - connection.since > limits_.gap) report_gap(connection);
    } catch (const InputError& error) {
      refuse(connection, error.what());
    }
  }
  full_ = !into.has_room();
}

void SocketSource::accept_all() {
  while (connections_.size() < limits_.connections) {
    system::Descriptor socket = system::accept_from(listener_);
    if (!socket) return;
    std::string peer = system::peer_of(socket);
    if (!has_place(socket, peer)) continue;
    system::send_at_once(socket);
    system::keep_alive(socket);
    connections_.emplace_back(std::move(socket), std::move(peer), Clock::now());
  }
}

// Of a Unix socket the system says who is there: the same user, or root, who may do everything anyway.
bool SocketSource::has_place(const system::Descriptor& socket, const std::string& peer) {
  const auto user = system::peer_user(socket);
  if (user && *user != 0 && *user != ::geteuid()) {
    note_(fmt::format("{} may not connect here, and was sent away", peer));
    return false;
  }
  const auto taken = static_cast<std::size_t>(std::count_if(
      connections_.begin(), connections_.end(), [&](const Connection& one) { return one.peer == peer; }));
  if (taken < limits_.per_address) return true;
  if (!std::exchange(told_crowded_, true))
    note_(fmt::format("{} has {} connections: more are sent away, untold from now on", peer, taken));
  return false;
}

void SocketSource::receive(Connection& from, Batch& into) {
  const auto piece = std::make_unique<std::array<char, std::size_t{1} << 18>>();
  while (into.has_room() && !from.closing) {
    if (const auto frame = from.in.next()) {
      take(from, *frame, into);
      continue;
    }
    const ssize_t n = ::recv(from.socket.get(), piece->data(), piece->size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return look_at_clock(from);
    if (n <= 0) {
      // It may come back; what it had not finished sending, it sends again.
      if (from.collector != nullptr && !from.collector->done) {
        note_(fmt::format(
            "{} is gone before it was done, after {} fragments: its sessions stay open until it comes back",
            from.who, from.collector->next));
      }
      from.closing = true;
      from.out.clear();
      return;
    }
    from.heard = Clock::now();
    buffered_ += static_cast<std::size_t>(n);
    if (buffered_ > limits_.buffered_bytes && from.in.unfinished() > piece->size())
      return refuse(from, "too much is on its way at once: come again later");
    from.in.push({piece->data(), static_cast<std::size_t>(n)});
  }
}

// Only where there was nothing to read: whoever is not read from because there is no room is not silent.
void SocketSource::look_at_clock(Connection& from) {
  const auto silent = Clock::now() - from.heard;
  if (from.in.unfinished() > 0 && silent > limits_.partial)
    return refuse(from, "a frame stopped in its middle");
  if (silent <= limits_.idle) return;
  note_(
      fmt::format("{} has said nothing for too long: its connection is closed, it may come again", from.who));
  from.closing = true;
}

void SocketSource::take(Connection& from, const Frame& frame, Batch& into) {
  const Tag tag{frame.tag};
  const bool greeted = !from.claimed.empty();
  if (from.collector == nullptr && tag != (greeted ? Tag::proof : Tag::hello)) {
    return refuse(from,
                  fmt::format("expected a {}, found {}", greeted ? "proof" : "hello", letters(frame.tag)));
  }
  switch (tag) {
    case Tag::hello:
      return hello(from, frame.body);
    case Tag::proof:
      return proof(from, frame.body);
    case Tag::fail:
      return disputed(from, frame.body);
    case Tag::fragment:
    case Tag::done:
      return fragment(from, frame, into);
    default:
      return refuse(from, fmt::format("a collector does not send {}", letters(frame.tag)));
  }
}

void SocketSource::hello(Connection& from, std::string_view body) {
  if (from.collector != nullptr) return refuse(from, "a second hello");
  if (body.size() < 5 || body.size() > 4 + kLongestName)
    return refuse(from, fmt::format("a hello is a version and a name of 1 to {} bytes", kLongestName));
  const auto version = load_little<std::uint32_t>(body.data());
  if (version != kVersion)
    return refuse(from,
                  fmt::format("version {} of the protocol; this Assay speaks version {}", version, kVersion));
  from.claimed = body.substr(4);
  if (!secret_) return admit(from);
  from.challenge = nonce();
  from.out += frame(Tag::challenge, from.challenge);
}

void SocketSource::proof(Connection& from, std::string_view body) {
  if (from.collector != nullptr || !secret_) return refuse(from, "a proof that nobody asked for");
  if (body.size() != kNonce + kProof)
    return refuse(from, fmt::format("a proof of {} bytes; it has {}", body.size(), kNonce + kProof));
  from.answer = body.substr(0, kNonce);
  if (!equal_in_constant_time(body.substr(kNonce),
                              secret_->proof_of_collector(from.challenge, from.answer, from.claimed))) {
    return refuse(from, "it does not know the secret");
  }
  admit(from);
}

void SocketSource::admit(Connection& from) {
  const std::string name = std::string(kPrefix) + from.claimed;
  if (collectors_.find(name) == collectors_.end() && collectors_.size() >= limits_.collectors)
    return refuse(from, fmt::format("there were {} collectors already", collectors_.size()));
  auto& [key, collector] = *collectors_.try_emplace(name).first;
  // One that comes back may do so before its old connection is known to be dead.
  if (collector.connection != nullptr) {
    Connection& old = *collector.connection;
    note_(fmt::format("{} has connected again, from {}: its connection from {} is closed", old.who, from.peer,
                      old.peer));
    old.collector = nullptr;
    old.early.clear();
    old.closing = true;
  }
  collector.connection = &from;
  from.collector = &collector;
  from.name = &key;
  from.who = fmt::format("collector {}", name.substr(kPrefix.size()));
  from.welcome = true;
  from.in.allow(kLargestBody);
}

void SocketSource::fragment(Connection& from, const Frame& frame, Batch& into) {
  const bool last = Tag{frame.tag} == Tag::done;
  if (frame.body.size() < 8 || (last && frame.body.size() != 8))
    return refuse(from, fmt::format("{} of {} bytes", letters(frame.tag), frame.body.size()));
  const auto sequence = load_little<std::uint64_t>(frame.body.data());
  Collector& collector = *from.collector;
  const std::string_view block = frame.body.substr(8);
  if (sequence < collector.next) return repeated(from, sequence, last, block);
  if (collector.done) return refuse(from, fmt::format("fragment {} comes after it was done", sequence));
  if (sequence > collector.next) {
    if (from.early.empty()) from.since = Clock::now();
    from.early_bytes += block.size() + 64;
    from.early.try_emplace(sequence, Connection::Early{last, std::string(block)});
    buffered_ += block.size() + 64;
    if (from.early_bytes > limits_.early_bytes || buffered_ > limits_.buffered_bytes) report_gap(from);
    return;
  }
  take_in_order(from, last, std::string(block), into);
  for (auto next = from.early.begin(); next != from.early.end() && next->first <= collector.next;
       next = from.early.erase(next)) {
    from.early_bytes -= next->second.block.size() + 64;
    from.since = Clock::now();
    if (next->first == collector.next && !collector.done)
      take_in_order(from, next->second.last, std::move(next->second.block), into);
  }
}

// What was acknowledged comes again. An honest collector may not know yet that it was; with another content, there
// are two that use one name.
void SocketSource::repeated(Connection& from, std::uint64_t sequence, bool last, std::string_view block) {
  const Collector& collector = *from.collector;
  const std::uint64_t back = collector.next - sequence;
  if (back <= collector.recent.size() &&
      collector.recent[collector.recent.size() - back] != content_digest(last, block)) {
    const std::string why = fmt::format(
        "fragment {} came again, from {}, with another content than the one that was acknowledged", sequence,
        from.peer);
    if (disputes_.size() < kDisputes) disputes_.push_back(fmt::format("{}: {}", from.who, why));
    return refuse(from, why);
  }
  from.acknowledge = true;
}

// The collector says that what is kept under its name is not what it sent.
void SocketSource::disputed(Connection& from, std::string_view why) {
  const std::string text = fmt::format("{}: it says: {}", from.who, why.substr(0, 1000));
  note_(text);
  if (disputes_.size() < kDisputes) disputes_.push_back(text);
  from.closing = true;
  from.early.clear();
}

void SocketSource::take_in_order(Connection& from, bool last, std::string block, Batch& into) {
  Collector& collector = *from.collector;
  std::string digest = content_digest(last, block);
  const bool known = collector.next == 0 || collector.chain != kNoChain;
  std::string chain = known ? chain_after(collector.chain, digest) : kNoChain;
  Fragment fragment{*from.name, collector.next, last, chain, std::move(block), {}};
  if (!last) {
    const std::string where = fmt::format("{}: fragment {}", from.who, fragment.sequence);
    const std::uint64_t unpacked = PackedCodec::unpacked_bytes(fragment.block);
    if (unpacked > limits_.unpacked_bytes) {
      throw InputError(where, "",
                       fmt::format("its {} bytes would take up to {} in memory; {} are allowed",
                                   fragment.block.size(), unpacked, limits_.unpacked_bytes));
    }
    format::ByteCursor in(where, fragment.block);
    fragment.history = PackedCodec::decode(in);
  }
  into.add(std::move(fragment));
  ++collector.next;
  collector.done = last;
  collector.chain = std::move(chain);
  collector.recent.push_back(std::move(digest));
  if (collector.recent.size() > kRecent) collector.recent.pop_front();
  refused_.erase(*from.name);
  from.acknowledge = true;
}

void SocketSource::report_gap(Connection& from) {
  const std::string why = fmt::format("fragment {} is missing, {} came: send it again from there",
                                      from.collector->next, from.early.begin()->first);
  refuse(from, why);
}

void SocketSource::refuse(Connection& from, const std::string& why) {
  const std::string told = fmt::format("{}: {}", from.who, why);
  if (from.collector != nullptr) refused_[*from.name] = told;
  if (from.collector != nullptr || strangers_told_ < kStrangersTold) note_(told);
  if (from.collector == nullptr && ++strangers_told_ == kStrangersTold)
    note_("nothing more is said about connections that do not say who they are");
  from.out += frame(Tag::fail, std::string_view(why).substr(0, 1000));
  from.closing = true;
  from.early.clear();
  from.early_bytes = 0;
}

std::vector<Doubt> SocketSource::doubts() const {
  std::vector<Doubt> all;
  for (const std::string& why : disputes_) all.push_back({why});
  for (const auto& [name, why] : refused_) all.push_back({why, name});
  return all;
}

std::string SocketSource::welcome_of(const Connection& to) const {
  std::string body = number(to.collector->next);
  append_little(body, static_cast<std::uint32_t>(kLargestBody));
  append_little(body, std::uint32_t{0});
  body += to.collector->chain;
  if (secret_) body += secret_->proof_of_watcher(to.challenge, to.answer, to.claimed, body);
  return body;
}

void SocketSource::acknowledge() {
  for (auto connection = connections_.begin(); connection != connections_.end();) {
    Connection& to = *connection;
    if (to.collector != nullptr && !to.closing) {
      if (to.welcome) {
        to.out += frame(Tag::welcome, welcome_of(to));
      } else if (to.acknowledge) {
        to.out += frame(Tag::acknowledge, number(to.collector->next));
      }
      to.welcome = to.acknowledge = false;
    }
    send(to);
    const bool gone = to.closing && (to.out.empty() || to.out.size() > kMostOutput);
    if (gone || to.out.size() > kMostOutput) {
      if (to.collector != nullptr) to.collector->connection = nullptr;
      connection = connections_.erase(connection);
    } else {
      ++connection;
    }
  }
}

void SocketSource::send(Connection& to) {
  while (!to.out.empty()) {
    const ssize_t n = ::send(to.socket.get(), to.out.data(), to.out.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (to.closing) to.out.clear();  // it does not listen, so it need not be told
      return;
    }
    if (n < 0) {
      to.out.clear();
      to.closing = true;
      return;
    }
    to.out.erase(0, static_cast<std::size_t>(n));
  }
}

}  // namespace assay::collect
