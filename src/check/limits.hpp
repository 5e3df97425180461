// The limits a check was given: wall-clock time and resident memory. Long loops ask exceeded() often; it
// looks at the clock and at the process only now and then.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace assay::check {

// Resident memory of this process in bytes, and its peak so far.
std::size_t resident_memory();
std::size_t peak_memory();

class Limits {
 public:
  using Clock = std::chrono::steady_clock;

  Limits() = default;
  Limits(std::optional<double> seconds, std::optional<std::size_t> memory_bytes);

  bool limited() const { return limited_; }
  // True from the first moment on at which a limit was found to be passed.
  bool exceeded() {
    if (!limited_ || passed_ != Passed::none) return passed_ != Passed::none;
    return ++asked_ % 64 == 0 && look();
  }
  // The same, but looks at once.
  bool exceeded_now() { return passed_ != Passed::none || (limited_ && look()); }
  std::string reason() const { return reason(passed_, memory_); }

  enum class Passed : std::uint8_t { none, time, memory };
  // For a person; empty for none.
  static std::string reason(Passed passed, std::optional<std::size_t> memory_bytes);

 private:
  bool look();

  bool limited_ = false;
  std::optional<Clock::time_point> deadline_;
  std::optional<std::size_t> memory_;
  Clock::time_point next_look_at_memory_{};
  std::uint32_t asked_ = 0;
  Passed passed_ = Passed::none;
};

}  // namespace assay::check
