// The time as a long-running part sees it: this machine's, or one that a test makes up and moves on as it
// likes.
#pragma once

#include <chrono>
#include <thread>

namespace assay::system {

class Timing {
 public:
  using Clock = std::chrono::steady_clock;

  Timing() = default;
  virtual ~Timing() = default;
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

  virtual Clock::time_point now() const { return Clock::now(); }
  virtual void pause(Clock::duration time) { std::this_thread::sleep_for(time); }
};

}  // namespace assay::system
