#include "system/http.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "system/socket.hpp"

namespace assay::system {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{100};  // between two looks whether to stop
constexpr std::chrono::seconds kLongestConversation{2};
constexpr std::size_t kLongestRequest = 8192;
constexpr std::size_t kMostClients = 64;  // one more, and the oldest has to go

}  // namespace

HttpRequest parse_http_request(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find("\r\n"));
  const std::size_t method = line.find(' ');
  if (method == std::string_view::npos) return {};
  const std::size_t target = line.find(' ', method + 1);
  if (target == std::string_view::npos) return {line.substr(0, method), {}};
  return {line.substr(0, method), line.substr(method + 1, target - method - 1)};
}

HttpServer::HttpServer(const Address& address, std::function<HttpAnswer(const HttpRequest&)> handle)
    : listener_(listen_at(address)), handle_(std::move(handle)), thread_([this] { run(); }) {}

HttpServer::~HttpServer() {
  stop_ = true;
  thread_.join();
}

std::string HttpServer::address() const {
  return shown(bound_address(listener_));
}

struct HttpServer::Client {
  Descriptor socket;
  Clock::time_point deadline;
  std::string request = {}, answer = {};
  std::size_t sent = 0;
};

void HttpServer::run() {
  std::list<Client> clients;
  while (!stop_) {
    std::vector<pollfd> ready{{listener_.get(), POLLIN, 0}};
    for (const Client& client : clients)
      ready.push_back({client.socket.get(), static_cast<short>(client.answer.empty() ? POLLIN : POLLOUT), 0});
    ::poll(ready.data(), ready.size(), static_cast<int>(kLook.count()));
    const auto now = Clock::now();
    std::size_t i = 1;
    for (auto client = clients.begin(); client != clients.end(); ++i) {
      const bool stays = client->deadline > now && (ready[i].revents == 0 || go_on(*client));
      client = stays ? std::next(client) : clients.erase(client);
    }
    if (ready[0].revents != 0) accept_all(clients);
  }
}

void HttpServer::accept_all(std::list<Client>& clients) const {
  for (std::size_t i = 0; i < kMostClients; ++i) {
    Descriptor socket = accept_from(listener_);
    if (!socket) return;
    if (clients.size() >= kMostClients) clients.pop_front();
    clients.push_back({std::move(socket), Clock::now() + kLongestConversation});
  }
}

// Reads and writes what can be without waiting; false once the conversation is over.
bool HttpServer::go_on(Client& client) const {
  const auto would_wait = [] { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; };
  if (client.answer.empty()) {
    std::array<char, 1024> piece;
    const ssize_t n = ::recv(client.socket.get(), piece.data(), piece.size(), 0);
    if (n <= 0) return n < 0 && would_wait();
    client.request.append(piece.data(), static_cast<std::size_t>(n));
    if (client.request.find("\r\n\r\n") == std::string::npos) return client.request.size() <= kLongestRequest;
    const HttpAnswer answer = handle_(parse_http_request(client.request));
    client.answer =
        fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
                    answer.status, answer.type, answer.body.size(), answer.body);
  }
  while (client.sent < client.answer.size()) {
    const std::string_view rest = std::string_view(client.answer).substr(client.sent);
    const ssize_t n = ::send(client.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n < 0) return would_wait();
    client.sent += static_cast<std::size_t>(n);
  }
  return false;
}

}  // namespace assay::system
