#include "collect/server.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "format/bytes.hpp"
#include "format/packed_block.hpp"
#include "history/error.hpp"

namespace assay::collect {

namespace {

using format::append_little;
using format::load_little;

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kMostOutput = std::size_t{1} << 16;  // of a collector that does not listen
constexpr std::string_view kPrefix = "tcp:";

std::string number(std::uint64_t value) {
  std::string out;
  append_little(out, value);
  return out;
}

}  // namespace

struct Server::Collector {
  std::uint64_t next = 0;  // the fragment that is collected next
  bool done = false;
  Connection* connection = nullptr;
};

struct Server::Connection {
  Connection(Descriptor given, std::string shown, Clock::time_point now)
      : socket(std::move(given)), who(shown), in(std::move(shown)), since(now) {}

  Descriptor socket;
  std::string who;  // for messages: the peer, and the collector once it is known
  FrameReader in;
  std::string out;
  const std::string* name = nullptr;  // of the collector; the key in collectors_
  Collector* collector = nullptr;
  bool welcome = false, acknowledge = false;  // to be said when what was collected is safe
  bool closing = false;                       // after `out` is sent
  Clock::time_point since;                    // without hello, or with a gap

  struct Early {
    bool last;
    std::string block;
  };
  std::map<std::uint64_t, Early> early;
  std::size_t early_bytes = 0;
};

Server::Server(const Address& address, const ProgressOf& progress, Note note, const ServerLimits& limits)
    : limits_(limits), note_(std::move(note)), listener_(listen_at(address)) {
  for (const auto& [name, known] : progress) {
    if (name.starts_with(kPrefix)) collectors_[name] = {known.next, known.done, nullptr};
  }
}

Server::~Server() = default;

bool Server::at_rest() const {
  return !collectors_.empty() && std::all_of(collectors_.begin(), collectors_.end(),
                                             [](const auto& entry) { return entry.second.done; });
}

void Server::wake(std::vector<pollfd>& into) const {
  if (full_) return;
  if (connections_.size() < limits_.connections) into.push_back({listener_.get(), POLLIN, 0});
  for (const Connection& connection : connections_)
    into.push_back(
        {connection.socket.get(), static_cast<short>(connection.out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
}

void Server::collect(Batch& into) {
  accept_all();
  buffered_ = 0;
  for (const Connection& connection : connections_) buffered_ += connection.in.unfinished();
  const auto now = Clock::now();
  for (Connection& connection : connections_) {
    if (connection.closing) continue;
    try {
      receive(connection, into);
      if (connection.collector == nullptr && now - connection.since > limits_.hello)
        refuse(connection, "no hello came");
      if (!connection.early.empty() && now - connection.since > limits_.gap) report_gap(connection);
    } catch (const InputError& error) {
      refuse(connection, error.what());
    }
  }
  full_ = !into.has_room();
}

void Server::accept_all() {
  while (connections_.size() < limits_.connections) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    Descriptor socket(
        ::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) return;
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections_.emplace_back(std::move(socket), "a collector", Clock::now());
  }
}

void Server::receive(Connection& from, Batch& into) {
  const auto piece = std::make_unique<std::array<char, std::size_t{1} << 18>>();
  while (into.has_room() && !from.closing) {
    if (const auto frame = from.in.next()) {
      take(from, *frame, into);
      continue;
    }
    const ssize_t n = ::recv(from.socket.get(), piece->data(), piece->size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
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
    buffered_ += static_cast<std::size_t>(n);
    if (buffered_ > limits_.buffered_bytes && from.in.unfinished() > piece->size())
      return refuse(from, "too much is on its way at once: come again later");
    from.in.push({piece->data(), static_cast<std::size_t>(n)});
  }
}

void Server::take(Connection& from, const Frame& frame, Batch& into) {
  const Tag tag{frame.tag};
  if (tag != Tag::hello && from.collector == nullptr)
    return refuse(from, fmt::format("expected a hello, found {}", letters(frame.tag)));
  switch (tag) {
    case Tag::hello:
      return hello(from, frame.body);
    case Tag::fragment:
    case Tag::done:
      return fragment(from, frame, into);
    default:
      return refuse(from, fmt::format("a collector does not send {}", letters(frame.tag)));
  }
}

void Server::hello(Connection& from, std::string_view body) {
  if (from.collector != nullptr) return refuse(from, "a second hello");
  if (body.size() < 5 || body.size() > 4 + kLongestName)
    return refuse(from, fmt::format("a hello is a version and a name of 1 to {} bytes", kLongestName));
  const auto version = load_little<std::uint32_t>(body.data());
  if (version != kVersion)
    return refuse(from,
                  fmt::format("version {} of the protocol; this Assay speaks version {}", version, kVersion));
  const std::string name = std::string(kPrefix) + std::string(body.substr(4));
  if (collectors_.find(name) == collectors_.end() && collectors_.size() >= limits_.collectors)
    return refuse(from, fmt::format("there were {} collectors already", collectors_.size()));
  auto& [key, collector] = *collectors_.try_emplace(name).first;
  // One that comes back may do so before its old connection is known to be dead.
  if (collector.connection != nullptr) {
    Connection& old = *collector.connection;
    old.collector = nullptr;
    old.early.clear();
    old.closing = true;
  }
  collector.connection = &from;
  from.collector = &collector;
  from.name = &key;
  from.who = fmt::format("collector {}", name.substr(kPrefix.size()));
  from.welcome = true;
}

void Server::fragment(Connection& from, const Frame& frame, Batch& into) {
  const bool last = Tag{frame.tag} == Tag::done;
  if (frame.body.size() < 8 || (last && frame.body.size() != 8))
    return refuse(from, fmt::format("{} of {} bytes", letters(frame.tag), frame.body.size()));
  const auto sequence = load_little<std::uint64_t>(frame.body.data());
  Collector& collector = *from.collector;
  if (sequence < collector.next) {
    from.acknowledge = true;  // it does not know yet
    return;
  }
  if (collector.done) return refuse(from, fmt::format("fragment {} comes after it was done", sequence));
  const std::string_view block = frame.body.substr(8);
  if (sequence > collector.next) {
    if (from.early.empty()) from.since = Clock::now();
    from.early_bytes += block.size() + 64;
    from.early.try_emplace(sequence, Connection::Early{last, std::string(block)});
    if (from.early_bytes > limits_.early_bytes) report_gap(from);
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

void Server::take_in_order(Connection& from, bool last, std::string block, Batch& into) {
  Fragment fragment{*from.name, from.collector->next, last, {}, std::move(block), {}};
  if (!last) {
    const std::string where = fmt::format("{}: fragment {}", from.who, fragment.sequence);
    format::ByteCursor in(where, fragment.block);
    fragment.history = PackedCodec::decode(in);
  }
  into.add(std::move(fragment));
  ++from.collector->next;
  from.collector->done = last;
  from.acknowledge = true;
}

void Server::report_gap(Connection& from) {
  const std::string why = fmt::format("fragment {} is missing, {} came: send it again from there",
                                      from.collector->next, from.early.begin()->first);
  refuse(from, why);
}

void Server::refuse(Connection& from, const std::string& why) {
  note_(fmt::format("{}: {}", from.who, why));
  from.out += frame(Tag::fail, std::string_view(why).substr(0, 1000));
  from.closing = true;
  from.early.clear();
}

void Server::acknowledge() {
  for (auto connection = connections_.begin(); connection != connections_.end();) {
    Connection& to = *connection;
    if (to.collector != nullptr && !to.closing) {
      if (to.welcome) {
        std::string body = number(to.collector->next);
        append_little(body, static_cast<std::uint32_t>(kLargestBody));
        append_little(body, std::uint32_t{0});
        to.out += frame(Tag::welcome, body);
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

void Server::send(Connection& to) {
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
