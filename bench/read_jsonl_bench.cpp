// How fast Assay's own text form becomes a History, building included.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>

#include "format/assay/jsonl.hpp"

namespace {

// Transactions of eight operations by 20 sessions; values count up per key as workload generators make them.
std::string random_history(int transactions, int keys, bool text_keys) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> last(static_cast<std::size_t>(keys), 0);
  std::string out;
  for (int t = 0; t < transactions; ++t) {
    out += fmt::format("{{\"s\":{},\"t\":{},\"status\":\"ok\",\"ops\":[", t % 20, t / 20);
    for (int op = 0; op < 8; ++op) {
      const auto key = static_cast<std::size_t>(random() % static_cast<std::uint64_t>(keys));
      const std::string name = text_keys ? fmt::format("\"key-{}\"", key) : fmt::format("{}", key);
      if (op != 0) out += ',';
      if (random() % 2 == 0) {
        out += last[key] == 0 ? fmt::format("[\"r\",{},null]", name)
                              : fmt::format("[\"r\",{},{}]", name, 1 + random() % last[key]);
      } else {
        out += fmt::format("[\"w\",{},{}]", name, ++last[key]);
      }
    }
    out += "]}\n";
  }
  return out;
}

void read_jsonl(benchmark::State& state) {
  const std::string text =
      random_history(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), state.range(2) != 0);
  const assay::format::Input input{"bench", false, {{"bench", text}}};
  for (auto _ : state) benchmark::DoNotOptimize(assay::format::read_jsonl(input, {}));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.size()));
  state.counters["operations/s"] = benchmark::Counter(
      static_cast<double>(state.iterations() * state.range(0) * 8), benchmark::Counter::kIsRate);
}
BENCHMARK(read_jsonl)
    ->ArgNames({"transactions", "keys", "text_keys"})
    ->Args({100000, 1000, 0})
    ->Args({100000, 1000, 1})
    ->Args({1000000, 100000, 0})
    ->Unit(benchmark::kMillisecond);

}  // namespace
