// When the transactions of one session are due in an open loop: they begin at a rate, whether or not earlier
// ones have ended, and the sessions take turns.
#pragma once

#include <chrono>
#include <cstdint>

namespace assay::record {

class Pace {
 public:
  // `rate` is in transactions per second over all sessions, and above 0.
  Pace(double rate, std::uint32_t sessions, std::uint32_t session)
      : between_(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(sessions / rate))),
        due_(between_ * session / sessions) {}

  // After the start of the run.
  std::chrono::nanoseconds due() const { return due_; }
  void next() { due_ += between_; }

 private:
  std::chrono::nanoseconds between_, due_;
};

}  // namespace assay::record
