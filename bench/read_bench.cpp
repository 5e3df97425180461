// How fast histories are read: about a million transactions of eight operations, written once to a temporary
// folder in each format. Reports bytes of input per second, operations per second, and bytes of the History
// per operation.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "format/format.hpp"
#include "history/builder.hpp"

namespace assay {
namespace {

constexpr std::uint32_t kTransactions = 1'000'000, kOperations = 8, kSessions = 24, kKeys = 100'000;

// Half reads, half writes of unique values; keys are drawn uniformly, and a read sees the latest write or,
// one time in eight, the one before.
History generate() {
  HistoryBuilder build;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> latest(kKeys, 0), before(kKeys, 0);
  std::uint64_t next = 0;
  for (std::uint32_t t = 0; t < kTransactions; ++t) {
    build.begin(build.session(Atom::natural(random() % kSessions)), Atom::natural(t));
    for (std::uint32_t i = 0; i < kOperations; ++i) {
      const std::uint64_t key = random() % kKeys;
      if (random() % 2 == 0) {
        before[key] = latest[key];
        latest[key] = ++next;
        build.write(Atom::natural(key), Atom::natural(next));
        continue;
      }
      const std::uint64_t seen = random() % 8 == 0 ? before[key] : latest[key];
      if (seen == 0) {
        build.read_initial(Atom::natural(key));
      } else {
        build.read(Atom::natural(key), Atom::natural(seen));
      }
    }
    build.end(Status::committed);
  }
  return build.finish();
}

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("assay-read-bench-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
    const History history = generate();
    for (const char* format : {"packed", "cobra", "dbcop", "text"}) {
      format::write_history(history, path_ / format, format);
    }
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string of(const char* format) const { return (path_ / format).string(); }

 private:
  std::filesystem::path path_;
};

std::uint64_t bytes_on_disk(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return std::filesystem::file_size(path);
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) sum += entry.file_size();
  return sum;
}

void read(benchmark::State& state, const char* format) {
  static const Folder folder;
  const std::string path = folder.of(format);
  std::uint64_t operations = 0, resident = 0;
  for (auto _ : state) {
    const History history = format::read_history(path);
    operations = history.operations();
    resident = history.resident_bytes();
    benchmark::DoNotOptimize(history);
  }
  const auto times = static_cast<std::int64_t>(state.iterations());
  state.SetBytesProcessed(times * static_cast<std::int64_t>(bytes_on_disk(path)));
  state.SetItemsProcessed(times * static_cast<std::int64_t>(operations));
  state.counters["input_MB"] = static_cast<double>(bytes_on_disk(path)) / 1e6;
  state.counters["bytes_per_op"] = static_cast<double>(resident) / static_cast<double>(operations);
}

BENCHMARK_CAPTURE(read, packed, "packed")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, dbcop, "dbcop")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, cobra, "cobra")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, text, "text")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
