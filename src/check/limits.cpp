#include "check/limits.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace assay::check {

namespace {
// A limit beyond thirty years is none, and must not overflow the clock.
constexpr double kLongest = 1e9;
}  // namespace

std::size_t resident_memory() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "r"),
                                                             std::fclose);
  unsigned long total = 0, resident = 0;
  if (!file || std::fscanf(file.get(), "%lu %lu", &total, &resident) != 2) return 0;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

Limits::Limits(std::optional<double> seconds, std::optional<std::size_t> memory_bytes)
    : limited_(seconds || memory_bytes), memory_(memory_bytes) {
  if (seconds) {
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(std::min(*seconds, kLongest)));
  }
}

bool Limits::look() {
  const Clock::time_point now = Clock::now();
  if (deadline_ && now >= *deadline_) passed_ = Passed::time;
  if (memory_ && now >= next_look_at_memory_) {
    if (resident_memory() > *memory_) passed_ = Passed::memory;
    next_look_at_memory_ = now + std::chrono::milliseconds(2);
  }
  return passed_ != Passed::none;
}

std::string Limits::reason(Passed passed, std::optional<std::size_t> memory_bytes) {
  switch (passed) {
    case Passed::time:
      return "the time limit was reached";
    case Passed::memory:
      return fmt::format("the memory limit of {} MB was reached", memory_bytes.value_or(0) / 1000000);
    case Passed::none:
      break;
  }
  return {};
}

}  // namespace assay::check
