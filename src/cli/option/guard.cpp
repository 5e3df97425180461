#include "cli/option/guard.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "check/limits.hpp"
#include "cli/option/progress.hpp"

namespace assay::cli {

namespace {

// Room for a check to notice a limit by itself and to end in good order.
constexpr double kMoreTime = 0.05, kLeastMoreSeconds = 0.5;
constexpr double kMoreMemory = 0.04, kLeastMoreBytes = 4e6;
// What is touched first costs about a second per gigabyte: at most some megabytes between two looks.
constexpr auto kBetweenLooks = std::chrono::milliseconds(5);
// A limit beyond thirty years is none, and must not overflow the clock.
constexpr double kLongest = 1e9;

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(to, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

Guard::Guard(std::optional<double> seconds, std::optional<std::size_t> memory_bytes, LastWords words)
    : words_(std::move(words)) {
  if (seconds && *seconds < kLongest) {
    const double until = *seconds + std::max(*seconds * kMoreTime, kLeastMoreSeconds);
    deadline_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(until));
  }
  if (memory_bytes) {
    const auto bytes = static_cast<double>(*memory_bytes);
    memory_ = static_cast<std::size_t>(bytes + std::max(bytes * kMoreMemory, kLeastMoreBytes));
  }
  if (deadline_ || memory_) watcher_ = std::thread([this] { watch(); });
}

Guard::~Guard() {
  if (!watches()) return;
  {
    const system::MutexLock lock(mutex_);
    dismiss_ = true;
  }
  dismissed_.notify_one();
  watcher_.join();
}

void Guard::prepare(LastWords words) {
  const system::MutexLock lock(mutex_);
  words_ = std::move(words);
}

LastWords Guard::giving_up(std::optional<std::size_t> memory_bytes) {
  const std::string reason = check::Limits::reason(check::Limits::Passed::memory, memory_bytes);
  return {"", "", "assay: error: gave up: " + reason + "\n", Exit::undecided};
}

void Guard::watch() {
  system::MutexLock lock(mutex_);
  while (true) {
    const Clock::time_point next_look = memory_ ? Clock::now() + kBetweenLooks : *deadline_;
    while (!dismiss_ && dismissed_.wait_until(lock, next_look)) {
    }
    if (dismiss_) return;
    if (memory_ && check::resident_memory() > *memory_) end(words_.by_memory);
    if (deadline_ && Clock::now() >= *deadline_) end(words_.by_time);
  }
}

// Not by exit(): the other threads are at work on what exit() would take down.
void Guard::end(const std::string& words) const {
  wipe_progress();
  write_all(STDERR_FILENO, words_.complaint);
  write_all(STDOUT_FILENO, words);
  ::_exit(static_cast<int>(words_.code));
}

}  // namespace assay::cli
