#include "watch/metrics.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <utility>

namespace assay::watch {

namespace {

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

}  // namespace

std::string metrics(const Status& s, Level level) {
  std::string out;
  metric(out, "transactions_total", "counter", "Transactions taken in.", s.transactions);
  metric(out, "committed_total", "counter", "Transactions taken in that had committed.", s.committed);
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
  metric(out, "sessions_known", "gauge",
         "1 if no session but those that were heard of can still send something.", s.sessions_known ? 1 : 0);
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

MetricsServer::MetricsServer(const system::Address& address, std::function<std::string()> content)
    : server_(address, [content = std::move(content)](const system::HttpRequest& request) {
        constexpr std::string_view kType = "text/plain; version=0.0.4; charset=utf-8";
        if (request.method != "GET") return system::HttpAnswer{"405 Method Not Allowed", kType, "only GET\n"};
        if (request.target != "/metrics" && request.target != "/")
          return system::HttpAnswer{"404 Not Found", kType, "see /metrics\n"};
        return system::HttpAnswer{"200 OK", kType, content()};
      }) {}

}  // namespace assay::watch
