// What recording costs: slices of one workload with and without a recorder, in pairs of neighbours that take
// turns in going first, so that what else the machine does meanwhile hits both sides. Each number is the
// median over the pairs; a ratio is the median of the pairs' ratios, not the ratio of the medians.
//
//   assay_cost --pairs 15 --seconds 2 sqlite:@ rocksdb:@ server:postgres
//
// @ is a fresh folder for each slice; server:KIND is a private server that serves all slices.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "database/server/start.hpp"
#include "database/store.hpp"
#include "record/recorder.hpp"
#include "record/run.hpp"
#include "record/workload/workloads.hpp"
#include "system/temporary_folder.hpp"

namespace {

using namespace assay;
using record::RunOptions;

struct Settings {
  std::vector<std::string> stores{"sqlite:@", "rocksdb:@", "server:postgres"};
  std::string workload = "twitter";
  std::uint32_t pairs = 15, sessions = 8;
  double seconds = 2;
};

// Of this process, all threads. With a server, its own time is not in it.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

enum Measure : std::size_t { kCommits, kCpu, kP50, kP90, kP99, kMeasures };
using Measured = std::array<double, kMeasures>;

Measured slice(const Settings& settings, const std::string& address, std::uint64_t seed, bool recorded) {
  const system::TemporaryFolder folder;
  std::string url = address;
  if (const std::size_t at = url.find('@'); at + 1 == url.size()) url.replace(at, 1, folder.file("store"));
  const auto store = database::open_store(url);
  store->prepare();
  const auto workload = record::find_workload(settings.workload)->make({});
  RunOptions options;
  options.sessions = settings.sessions;
  options.level = store->modes().front().asked;
  options.duration = std::chrono::nanoseconds(static_cast<std::int64_t>(settings.seconds * 1e9));
  options.seed = seed;
  std::optional<record::Recorder> recorder;
  if (recorded) recorder.emplace(folder.file("history"), settings.sessions);
  std::atomic<bool> stop = false;
  double cpu = 0;
  const record::RunControl watch{stop, {}, [&] { cpu = cpu_seconds(); }, {}};
  const record::RunResult result = run(*store, *workload, options, recorder ? &*recorder : nullptr, watch);
  if (recorder) recorder->finish();  // what it does after the last transaction is part of its cost
  cpu = cpu_seconds() - cpu;
  const auto commits = static_cast<double>(std::max<std::uint64_t>(result.counts.committed, 1));
  return {commits / result.seconds, cpu / commits * 1e6, result.latencies.percentile(50) * 1e3,
          result.latencies.percentile(90) * 1e3, result.latencies.percentile(99) * 1e3};
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

struct Pairs {
  std::vector<Measured> without, with;

  std::string both(Measure measure, int digits) const {
    std::vector<double> a, b;
    for (std::size_t i = 0; i < with.size(); ++i) {
      a.push_back(without[i][measure]);
      b.push_back(with[i][measure]);
    }
    return fmt::format("{:.{}f} | {:.{}f}", quantile(a, 0.5), digits, quantile(b, 0.5), digits);
  }
  std::vector<double> ratios(Measure measure) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < with.size(); ++i) all.push_back(with[i][measure] / without[i][measure]);
    return all;
  }
};

void measure(const Settings& settings, const std::string& store) {
  std::unique_ptr<database::Server> server;
  constexpr std::string_view kServer = "server:";
  if (store.starts_with(kServer)) server = database::start_server(store.substr(kServer.size()));
  const std::string address = server ? server->url() : store;
  Pairs pairs;
  slice(settings, address, 0, true);  // what only the first slice pays is nobody's cost
  for (std::uint32_t pair = 0; pair < settings.pairs; ++pair) {
    const bool recorded_first = pair % 2 == 1;
    for (const bool recorded : {recorded_first, !recorded_first})
      (recorded ? pairs.with : pairs.without).push_back(slice(settings, address, pair + 1, recorded));
  }
  const auto throughput = pairs.ratios(kCommits);
  const auto change = [&](Measure measure) { return 100 * (quantile(pairs.ratios(measure), 0.5) - 1); };
  fmt::print("| {} | {} | {:+.1f} % ({:+.1f} to {:+.1f}) | {} | {:+.1f} % |", store, pairs.both(kCommits, 0),
             change(kCommits), 100 * (quantile(throughput, 0.25) - 1), 100 * (quantile(throughput, 0.75) - 1),
             pairs.both(kCpu, 1), change(kCpu));
  for (const Measure percent : {kP50, kP90, kP99})
    fmt::print(" {} | {:+.1f} % |", pairs.both(percent, 3), change(percent));
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("What recording costs");
  app.add_option("STORE", settings.stores, "An address that may end in @, or server:KIND");
  app.add_option("--workload", settings.workload);
  app.add_option("--pairs", settings.pairs)->check(CLI::Range(1, 10'000));
  app.add_option("--sessions", settings.sessions)->check(CLI::Range(1, 1000));
  app.add_option("--seconds", settings.seconds, "Of a slice")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (record::find_workload(settings.workload) == nullptr) {
    fmt::print(stderr, "there is no workload '{}'\n", settings.workload);
    return 3;
  }
  fmt::print(
      "| store | commits/s without | with | change (quartiles) | CPU µs per commit without | with | change | "
      "p50 ms "
      "without | with | change | p90 without | with | change | p99 without | with | change |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  try {
    for (const std::string& store : settings.stores) measure(settings, store);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
