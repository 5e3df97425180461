#include "watch/metrics.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>

namespace assay::watch {

namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

template <class Value>
void metric(std::string& out, std::string_view name, std::string_view type, std::string_view help,
            Value value) {
  out += fmt::format("# HELP assay_watch_{0} {1}\n# TYPE assay_watch_{0} {2}\nassay_watch_{0} {3}\n", name,
                     help, type, value);
}

// Waits until the socket is ready; false after `deadline`.
bool wait_for(const collect::Descriptor& socket, short what, Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  pollfd ready{socket.get(), what, 0};
  return left > 0 && ::poll(&ready, 1, static_cast<int>(left)) > 0;
}

}  // namespace

std::string metrics(const Status& s, Level level) {
  std::string out;
  metric(out, "transactions_total", "counter", "Transactions taken in.", s.transactions);
  metric(out, "fragments_total", "counter", "Fragments taken in.", s.fragments);
  metric(out, "rounds_total", "counter", "Rounds decided.", s.rounds);
  metric(out, "violations_total", "counter", "Distinct violations told.", s.violations);
  metric(out, "collectors", "gauge", "Collectors that have sent something.", s.collectors);
  metric(out, "ingest_transactions_per_second", "gauge",
         "Transactions taken in per second, over five seconds.", s.transactions_per_second);
  metric(out, "lag_seconds", "gauge", "Age of the oldest fragment that is not decided.", s.lag_seconds);
  metric(out, "round_lag_seconds", "gauge",
         "From the arrival of the oldest fragment of the last round to its verdict.", s.last_lag_seconds);
  metric(out, "round_seconds", "gauge", "Time that the last round took.", s.round_seconds);
  metric(out, "round_transactions", "gauge", "New transactions in the last round.", s.round_transactions);
  metric(out, "live_transactions", "gauge", "Transactions kept that are not frozen.", s.kept.live);
  metric(out, "frozen_transactions", "gauge", "Transactions kept that are frozen.", s.kept.frozen);
  metric(out, "entries", "gauge", "Keys whose last version is kept without its transaction.", s.kept.entries);
  metric(out, "waiting_transactions", "gauge", "Transactions that read what has not arrived.",
         s.kept.waiting);
  metric(out, "log_bytes", "gauge", "Size of the log on disk.", s.log_bytes);
  metric(out, "storage_works", "gauge", "1 if the log and checkpoints can be written.",
         s.storage_works ? 1 : 0);
  metric(out, "resident_memory_bytes", "gauge", "Memory of the process.", resident_bytes());
  const Verdict verdict = s.violations > 0 ? Verdict::violated : s.verdict;
  out +=
      "# HELP assay_watch_verdict 1 for the verdict so far, 0 for the others.\n# TYPE assay_watch_verdict "
      "gauge\n";
  constexpr std::pair<Verdict, std::string_view> kVerdicts[] = {
      {Verdict::holds, "holds"}, {Verdict::violated, "violated"}, {Verdict::undecided, "undecided"}};
  for (const auto& [value, word] : kVerdicts) {
    out += fmt::format("assay_watch_verdict{{level=\"{}\",verdict=\"{}\"}} {}\n", info(level).name, word,
                       verdict == value ? 1 : 0);
  }
  return out;
}

MetricsServer::MetricsServer(const collect::Address& address, std::function<std::string()> content)
    : listener_(collect::listen_at(address)), content_(std::move(content)), thread_([this] { run(); }) {}

MetricsServer::~MetricsServer() {
  stop_ = true;
  thread_.join();
}

void MetricsServer::run() {
  constexpr int kLook = 100;  // milliseconds
  while (!stop_) {
    pollfd ready{listener_.get(), POLLIN, 0};
    if (::poll(&ready, 1, kLook) <= 0) continue;
    const collect::Descriptor client(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (client) answer(client);
  }
}

void MetricsServer::answer(const collect::Descriptor& client) const {
  constexpr std::size_t kLongestRequest = 8192;
  const auto deadline = Clock::now() + std::chrono::seconds(2);
  std::string request;
  std::array<char, 1024> piece;
  while (request.find("\r\n\r\n") == std::string::npos) {
    if (request.size() > kLongestRequest || stop_ || !wait_for(client, POLLIN, deadline)) return;
    const ssize_t n = ::recv(client.get(), piece.data(), piece.size(), 0);
    if (n <= 0) return;
    request.append(piece.data(), static_cast<std::size_t>(n));
  }
  const bool get = request.starts_with("GET ");
  const bool known = get && (request.starts_with("GET /metrics ") || request.starts_with("GET / "));
  const std::string body = known ? content_() : get ? "see /metrics\n" : "only GET\n";
  const std::string answer = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n"
      "Connection: close\r\n\r\n{}",
      known ? "200 OK"
      : get ? "404 Not Found"
            : "405 Method Not Allowed",
      body.size(), body);
  std::string_view rest = answer;
  while (!rest.empty()) {
    const ssize_t n = ::send(client.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n > 0) {
      rest.remove_prefix(static_cast<std::size_t>(n));
    } else if (!(n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && wait_for(client, POLLOUT, deadline))) {
      return;
    }
  }
}

}  // namespace assay::watch
