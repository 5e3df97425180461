// Queries alone, after BlindW-Pred of Vbox: as cheap as reads by key, though nobody names the rows that were not
// returned.
#include <fmt/format.h>

#include <stdexcept>

#include "bench.hpp"

namespace assay::tables {

namespace {

std::string make(const Bench& bench, std::uint32_t transactions, const std::string& plant,
                 const std::vector<std::string>& options = {}) {
  const std::string path =
      bench.folder.file(fmt::format("queries-{}-{}-{}", transactions, plant, options.size()));
  std::vector<std::string> command{bench.queries, "-o", path, "--transactions", std::to_string(transactions),
                                   "--plant",     plant};
  command.insert(command.end(), options.begin(), options.end());
  if (run(command).exit_code != 0) throw std::runtime_error("cannot make " + path);
  return path;
}

}  // namespace

int queries(const Bench& bench) {
  struct Level {
    const char *option, *name;
  };
  Table table("BlindW-Pred: 10,000 rows of two columns, 190 rows for a filter, 20 sessions");
  for (const Level& level : {Level{"ser", "SER"}, Level{"si", "SI"}}) {
    std::optional<Checked> smaller;
    Checked accepted;  // at 10,000
    for (const std::uint32_t size : {1'000U, 10'000U, 100'000U}) {
      const Checked now = check(bench, make(bench, size, "nothing"), level.option);
      Bar bar{{}, {}, {}, "holds"};
      if (size == 10'000) {
        accepted = now;
        bar.cpu_seconds = 1;
        bar.megabytes = 100;
      } else if (size == 100'000) {
        bar.cpu_seconds = 14;
        bar.megabytes = 1000;
        bar.growth = 14;
      }
      table.row(fmt::format("{}, {}", size, level.name), now, bar, size == 100'000 ? smaller : std::nullopt);
      smaller = now;
    }
    std::optional<Checked> smaller_rows;
    for (const std::uint32_t size : {10'000U, 100'000U}) {
      const Checked now = check(bench, make(bench, size, "nothing", {"--columns"}), level.option);
      Bar bar{1, 100, {}, "holds"};
      if (size == 100'000) bar = {14, 1000, 14, "holds"};
      table.row(fmt::format("{}, rows with columns, {}", size, level.name), now, bar, smaller_rows);
      smaller_rows = now;
    }
    table.row(fmt::format("10000, no times, {}", level.name),
              check(bench, make(bench, 10'000, "nothing", {"--no-times"}), level.option),
              {1, 100, {}, "holds"});
    const double most = accepted.cost.cpu_seconds;
    table.row(fmt::format("10000, a phantom, {}", level.name),
              check(bench, make(bench, 10'000, "phantom"), level.option), {most, 100, {}, "violated"});
    const bool forbids = std::string_view(level.option) == "ser";
    table.row(fmt::format("10000, a predicate write skew, {}", level.name),
              check(bench, make(bench, 10'000, "predicate-write-skew"), level.option),
              {most, 100, {}, forbids ? "violated" : "holds"});
  }
  return table.misses();
}

}  // namespace assay::tables
