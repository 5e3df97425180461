// The weak levels on synthetic histories: a serial database, transactions of eight operations (half reads)
// from sessions that take turns at random. Arguments: transactions, sessions, keys, zipf exponent in
// hundredths. CPU time counts resolving the reads and deciding one level; peak_MB is the resident peak from a
// loaded history on (run one benchmark per process to trust it).
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "check/weak/weak.hpp"
#include "history/builder.hpp"

namespace assay {
namespace {

class Zipf {
 public:
  Zipf(std::uint32_t n, double exponent) {
    double sum = 0;
    for (std::uint32_t i = 1; i <= n; ++i) cumulated_.push_back(sum += 1 / std::pow(i, exponent));
  }
  template <class Generator>
  std::uint32_t operator()(Generator& generator) const {
    const double at = std::uniform_real_distribution<double>(0, cumulated_.back())(generator);
    const auto found = std::lower_bound(cumulated_.begin(), cumulated_.end(), at);
    return static_cast<std::uint32_t>(
        std::min(found - cumulated_.begin(), static_cast<std::ptrdiff_t>(cumulated_.size()) - 1));
  }

 private:
  std::vector<double> cumulated_;
};

History serial_history(std::int64_t transactions, std::uint32_t sessions, std::uint32_t keys,
                       double exponent) {
  std::mt19937_64 random(1);
  const Zipf pick(keys, exponent);
  std::vector<std::int64_t> value(keys, 0);
  HistoryBuilder build;
  std::vector<Session> names;
  for (std::uint32_t s = 0; s < sessions; ++s) names.push_back(build.session(Atom::integer(s)));
  std::int64_t next = 0;
  for (std::int64_t t = 0; t < transactions; ++t) {
    build.begin(names[random() % sessions], Atom::integer(t));
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t key = pick(random);
      const Atom name = Atom::integer(key);
      if (i % 2 == 1) {
        build.write(name, Atom::integer(value[key] = ++next));
      } else if (value[key] == 0) {
        build.read_initial(name);
      } else {
        build.read(name, Atom::integer(value[key]));
      }
    }
    build.end(Status::committed);
  }
  return build.finish();
}

void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
}

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

void decide(benchmark::State& state, Level level) {
  const History history =
      serial_history(state.range(0), static_cast<std::uint32_t>(state.range(1)),
                     static_cast<std::uint32_t>(state.range(2)), static_cast<double>(state.range(3)) / 100);
  const check::Options options;
  forget_peak();
  for (auto _ : state) {
    const check::Reads reads = check::resolve_reads(history);
    check::WeakChecker checker(history, reads, options);
    const check::Outcome outcome = checker.decide(level);
    if (outcome.verdict != check::Verdict::holds) state.SkipWithError("a serial history was rejected");
    state.counters["forced"] = static_cast<double>(outcome.counts[0].value);
  }
  state.counters["peak_MB"] = peak_megabytes();
  state.counters["history_MB"] = static_cast<double>(history.resident_bytes()) / (1 << 20);
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->Iterations(1);
  benchmark->Args({100'000, 50, 10'000, 0});
  benchmark->Args({1'000'000, 50, 100'000, 0});
  benchmark->Args({1'000'000, 1000, 100'000, 0});
  benchmark->Args({1'000'000, 50, 100, 0});
  benchmark->Args({1'000'000, 50, 100'000, 99});
  benchmark->Args({10'000'000, 50, 1'000'000, 0});
}

BENCHMARK_CAPTURE(decide, read_committed, Level::read_committed)->Apply(shapes);
BENCHMARK_CAPTURE(decide, read_atomic, Level::read_atomic)->Apply(shapes);
BENCHMARK_CAPTURE(decide, causal, Level::causal)->Apply(shapes);
BENCHMARK_CAPTURE(decide, repeatable_read, Level::repeatable_read)->Apply(shapes);
BENCHMARK_CAPTURE(decide, read_your_writes, Level::read_your_writes)->Apply(shapes);
BENCHMARK_CAPTURE(decide, monotonic_reads, Level::monotonic_reads)->Apply(shapes);
BENCHMARK_CAPTURE(decide, monotonic_writes, Level::monotonic_writes)->Apply(shapes);
BENCHMARK_CAPTURE(decide, writes_follow_reads, Level::writes_follow_reads)->Apply(shapes);

}  // namespace
}  // namespace assay
