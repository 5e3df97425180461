// Histories that only search can decide (see hard/embed.hpp), against the verdict known from the formula.
#include <fmt/format.h>

#include <cstdio>

#include "bench.hpp"

namespace assay::tables {

namespace {

constexpr double kLimit = 60;           // seconds, given with --timeout
constexpr double kGrace = 1.1;          // undecided may be reported this much past the limit
constexpr std::uint32_t kMust = 1'000;  // up to this many transactions, "undecided" is a miss

}  // namespace

int hard(const Bench& bench) {
  fmt::print("\n### Only search decides; --timeout {:g}\n\n", kLimit);
  fmt::print(
      "| history | transactions | level | wall s | CPU s | peak MB | conflicts | verdict | expected | method "
      "| |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|\n");
  int misses = 0;
  for (const std::uint32_t size : {100U, 300U, 1'000U, 3'000U, 10'000U}) {
    if (size == 10'000 && !bench.full) continue;
    for (const auto& [kind, verdict] :
         {std::pair{"3sat", "holds"}, {"3sat", "violated"}, {"pigeonhole", "violated"}}) {
      const std::string path = bench.folder.file(fmt::format("hard-{}-{}-{}", kind, verdict, size));
      if (run({bench.hard, "-o", path, "--kind", kind, "--verdict", verdict, "--transactions",
               std::to_string(size)})
              .exit_code != 0) {
        throw std::runtime_error("cannot make " + path);
      }
      for (const char* level : {"ser", "si"}) {
        const Checked got = check(bench, path, level, {"--timeout", fmt::format("{:g}", kLimit)});
        const bool undecided = got.verdict == "undecided";
        // Then the history would not be hard: something followed without a search.
        const bool by_force = got.conflicts == 0 || got.method == "saturation";
        const bool missed = (got.verdict != verdict && !(undecided && size > kMust)) ||
                            got.cost.wall_seconds > kLimit * kGrace || by_force;
        misses += missed ? 1 : 0;
        fmt::print("| {} | {} | {} | {:.2f} | {:.2f} | {:.1f} | {} | {} | {} | {} | {} |\n", kind,
                   got.transactions, level, got.cost.wall_seconds, got.cost.cpu_seconds,
                   static_cast<double>(got.cost.peak_bytes) / 1e6, got.conflicts, got.verdict, verdict,
                   got.method, missed ? "**misses**" : "");
        std::fflush(stdout);
      }
    }
  }
  return misses;
}

}  // namespace assay::tables
