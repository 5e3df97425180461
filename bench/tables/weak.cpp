// The weak levels, which are decided in about linear time: so the growth matters as much as the seconds.
#include <fmt/format.h>

#include "bench.hpp"

namespace assay::tables {

namespace {

std::vector<std::string> shape(std::uint32_t transactions) {
  return {
      "--transactions", std::to_string(transactions), "--operations", "8", "--reads", "0.5", "--updates", "0",
      "--no-times"};
}

}  // namespace

int weak(const Bench& bench) {
  struct Level {
    const char *option, *name;
    double cpu_seconds, megabytes;  // at a million transactions
  };
  Table table("Weak levels: 8 operations, half reads, 50 sessions, a key for ten transactions");
  for (const Level& level :
       {Level{"rc", "RC", 2.5, 500}, Level{"ra", "RA", 3.5, 500}, Level{"cc", "CC", 8, 1000}}) {
    std::optional<Checked> smaller;
    for (const std::uint32_t size : {10'000U, 100'000U, 1'000'000U}) {
      if (size == 1'000'000 && !bench.full) continue;
      std::vector<std::string> options = shape(size);
      options.insert(options.end(), {"--sessions", "50", "--keys", std::to_string(size / 10)});
      const Checked now = check(bench, bench.generate(fmt::format("weak-{}", size), options), level.option);
      Bar bar{{}, {}, {}, "holds"};
      if (smaller) bar.growth = 12;
      if (size == 1'000'000) {
        bar.cpu_seconds = level.cpu_seconds;
        bar.megabytes = level.megabytes;
      }
      table.row(fmt::format("{}, {}", size, level.name), now, bar, smaller);
      smaller = now;
    }
    const std::uint32_t size = bench.full ? 1'000'000 : 100'000;
    std::vector<std::string> options = shape(size);
    options.insert(options.end(), {"--sessions", "1000", "--keys", "100", "--distribution", "zipf"});
    table.row(fmt::format("{}, 1,000 sessions, 100 keys, zipf, {}", size, level.name),
              check(bench, bench.generate(fmt::format("weak-hot-{}", size), options), level.option),
              {3 * smaller->cost.cpu_seconds, {}, {}, "holds"});
  }
  return table.misses();
}

}  // namespace assay::tables
