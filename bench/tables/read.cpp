// Reading: one history in each format, by a program that does nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "bench.hpp"

namespace assay::tables {

namespace {

constexpr int kRuns = 5;
constexpr double kMostBytes = 24;  // per operation

std::uintmax_t bytes_below(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return std::filesystem::file_size(path);
  std::uintmax_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) sum += entry.file_size();
  return sum;
}

}  // namespace

int read(const Bench& bench) {
  const std::string transactions = bench.full ? "1000000" : "100000";
  const std::string keys = bench.full ? "100000" : "10000";
  const std::string packed = bench.generate(
      "read", {"--transactions", transactions, "--keys", keys, "--operations", "8", "--updates", "0",
               "--sessions", "24", "--level", "read-committed", "--aborts", "0", "--no-times"});
  fmt::print("\n### Reading {} transactions of 8 operations\n\n", transactions);
  fmt::print(
      "| format | MB | CPU s | MB/s of input | bar | million operations/s | bytes/op in memory | "
      "|\n|---|---|---|---|---|---|---|---|\n");
  struct Format {
    const char* name;
    double bar;  // MB/s; 0: none
  };
  int misses = 0;
  for (const Format& format :
       {Format{"packed", 200}, Format{"dbcop", 200}, Format{"cobra", 200}, Format{"jsonl", 150},
        Format{"text", 150}, Format{"dbcop-json", 0}, Format{"dbcop-dsl", 0}, Format{"awdit", 0}}) {
    const std::string path = bench.folder.file(fmt::format("read-as-{}", format.name));
    const Ran converted = run({bench.assay, "convert", packed, path, "--to", format.name});
    if (converted.exit_code != 0) {
      fmt::print("| {} | cannot express this history | | | | | | |\n", format.name);
      continue;
    }
    double seconds = 1e9, operations = 0, bytes = 0;
    for (int i = 0; i < kRuns; ++i) {
      const Ran ran = run({bench.reading, path, format.name});
      seconds = std::min(seconds, ran.cpu_seconds);
      std::istringstream(ran.out) >> operations >> bytes;
    }
    const double megabytes = static_cast<double>(bytes_below(path)) / 1e6;
    const bool missed = megabytes / seconds < format.bar || bytes > kMostBytes;
    misses += missed ? 1 : 0;
    fmt::print("| {} | {:.1f} | {:.3f} | {:.0f} | {} | {:.1f} | {:.1f} | {} |\n", format.name, megabytes,
               seconds, megabytes / seconds, format.bar > 0 ? fmt::format("≥ {:g}", format.bar) : "",
               operations / seconds / 1e6, bytes, missed ? "**misses**" : "");
    std::fflush(stdout);
    std::filesystem::remove_all(path);
  }
  return misses;
}

}  // namespace assay::tables
