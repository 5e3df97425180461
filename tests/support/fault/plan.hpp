// Which calls of a program to the system fail, and how: the n-th one, or all from the n-th on. A test writes a
// plan, the program meets it at its own calls of malloc, read, write and so on (interposed.cpp), and counts
// them. It is in memory that both see, so that a program that ended anyhow has still counted.
#pragma once

#include <atomic>
#include <cstdint>

namespace assay::testing {

enum class Faulty : std::uint32_t { nothing, allocations, io };

// Instead of an error: the call does only a part of what it was asked for.
inline constexpr std::int32_t kPart = 0;

struct FaultPlan {
  Faulty calls = Faulty::nothing;
  std::int32_t error = kPart;                // an errno; of calls that cannot have it, none is counted
  std::uint64_t first = UINT64_MAX;          // the call that fails first, counted from 1
  std::uint64_t last = 0;                    // and the one that fails last
  std::atomic<std::uint64_t> made = 0;       // so many were made
  std::atomic<std::uint64_t> failed = 0;     // and so many of them failed
  std::atomic<std::int64_t> unreleased = 0;  // allocations less releases
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "shared between processes");

// In a program that has the environment variable, the plan is in the file that it names.
inline constexpr const char* kFaultPlan = "ASSAY_FAULT_PLAN";

// Whether faults can be injected: what a sanitizer has replaced cannot be replaced again.
bool faults_can_be_injected();

// For as long as it lives, the plan counts for this process.
class InjectedFaults {
 public:
  explicit InjectedFaults(FaultPlan& plan);
  ~InjectedFaults();
  InjectedFaults(const InjectedFaults&) = delete;
  InjectedFaults& operator=(const InjectedFaults&) = delete;
};

}  // namespace assay::testing
