// The last word on limits. A check asks its limits itself and ends in good order. But reading a file,
// building tables and telling a story do not ask at every step, and an input can be made to keep any of them
// busy. So a guard watches from a thread of its own: a little beyond a limit it says what has been prepared
// for that case and ends the process.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>

#include "cli/command.hpp"
#include "system/thread_safety.hpp"

namespace assay::cli {

// What to print and how to exit when a limit is passed.
struct LastWords {
  std::string by_time, by_memory;  // on standard output
  std::string complaint;           // on standard error
  Exit code = Exit::undecided;
};

class Guard {
 public:
  // Does nothing where there is no limit. The time counts from now.
  Guard(std::optional<double> seconds, std::optional<std::size_t> memory_bytes, LastWords words);
  // Once this has returned, the guard ends nothing any more.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // For a command that only reads and writes: says that it gives up.
  static LastWords giving_up(std::optional<std::size_t> memory_bytes);

  bool watches() const { return watcher_.joinable(); }
  void prepare(LastWords words);

 private:
  using Clock = std::chrono::steady_clock;

  void watch();
  [[noreturn]] void end(const std::string& words) const REQUIRES_LOCK(mutex_);

  std::optional<Clock::time_point> deadline_;
  std::optional<std::size_t> memory_;
  system::Mutex mutex_;
  system::Condition dismissed_;
  bool dismiss_ GUARDED_BY(mutex_) = false;
  LastWords words_ GUARDED_BY(mutex_);
  std::thread watcher_;
};

}  // namespace assay::cli
