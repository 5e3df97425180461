// Measures how long the phases of a check take and what memory the process held at most by their ends.
#pragma once

#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include "check/limits.hpp"
#include "check/outcome.hpp"

namespace assay::check {

class PhaseClock {
 public:
  // Ends the current phase and begins another; one that is entered again goes on.
  void enter(std::string_view name) {
    leave();
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      if (phases_[i].name == name) current_ = i;
    }
    if (current_ == kNone) {
      current_ = phases_.size();
      phases_.push_back({name});
    }
    since_ = now();
  }
  std::vector<Phase> phases() {
    leave();
    return std::move(phases_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // CPU time of this thread: what a phase costs, whatever else the machine does.
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  void leave() {
    if (current_ == kNone) return;
    phases_[current_].seconds += now() - since_;
    phases_[current_].peak_bytes = peak_memory();
    current_ = kNone;
  }

  std::vector<Phase> phases_;
  std::size_t current_ = kNone;
  double since_ = 0;
};

}  // namespace assay::check
