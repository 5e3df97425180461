// A line on standard error that says what Assay is doing and for how long, for work that takes over a second.
// Shown only on a terminal, wiped when the work ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "system/thread_safety.hpp"

namespace assay::cli {

class Progress {
 public:
  // Does nothing unless `wanted` and standard error is a terminal.
  Progress(bool wanted, std::string_view phase);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void phase(std::string_view what);

 private:
  void tick();

  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  system::Mutex mutex_;
  system::Condition ended_;
  bool end_ GUARDED_BY(mutex_) = false;
  std::string phase_ GUARDED_BY(mutex_);
  std::thread ticker_;
};

// The line for this width of the terminal: the phase is cut, so that it is one line.
std::string progress_line(std::string_view phase, std::int64_t seconds, std::size_t width);

// For a signal handler: wipes the line if one is shown. Async-signal-safe.
void wipe_progress();

}  // namespace assay::cli
