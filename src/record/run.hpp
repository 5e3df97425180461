// Runs a workload on a store: loads the rows, then lets sessions, a thread each, run their scripts until the
// time or the number of transactions is over or somebody asks to stop.
//
// The rows are loaded by transactions of session 0, and each other session begins with a transaction that
// waits until it reads the last thing loaded. So it is in the history, and not only a belief, that loading
// came before all else: a later read of a row as it was before loading is an anomaly at every level from
// causal on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "database/store.hpp"
#include "level/level.hpp"
#include "record/latency.hpp"
#include "record/recorder.hpp"
#include "record/workload/workload.hpp"

namespace assay::record {

struct RunOptions {
  std::uint32_t sessions = 8;
  std::optional<Level> level =
      Level::serializable;  // that transactions ask for, as StoreSession::begin() takes it
  // Over all sessions, those that abort included; fences are not counted. The run ends at whichever comes
  // first; one of the two must be set.
  std::optional<std::uint64_t> transactions;
  std::optional<std::chrono::nanoseconds> duration;  // after the warm-up
  std::chrono::nanoseconds warm_up{0};               // recorded, but not counted in the result
  // Transactions per second over all sessions that begin whether or not earlier ones have ended (open loop);
  // latency then counts from when a transaction should have begun. Unset: each session begins one when the
  // last has ended (closed loop).
  std::optional<double> rate;
  std::chrono::nanoseconds think{0};  // closed loop: between transactions
  std::uint64_t seed = 1;
  // Cobra §4.2: after so many transactions a session reads and writes one key that all share. 0: never.
  std::uint32_t fence_every = 0;
};

struct RunCounts {
  std::uint64_t committed = 0, aborted = 0, unknown = 0;
  std::uint64_t ended() const { return committed + aborted + unknown; }
};

struct RunResult {
  RunCounts counts;        // after the warm-up
  double seconds = 0;      // after the warm-up
  Latencies latencies;     // of committed transactions
  bool stopped = false;    // by `stop`
  std::uint64_t rows = 0;  // loaded
};

// How the caller follows a run and ends it.
struct RunControl {
  // Set by whoever wants the run to end early.
  std::atomic<bool>& stop;
  // Called a few times a second by the thread that called run(), with what ended since the start.
  std::function<void(const RunCounts&, double seconds)> tick;
  // Called when the rows are loaded and the sessions are about to start, and when they have ended.
  std::function<void()> started, ended;
};

// Throws StoreError if the store cannot go on, after all sessions have ended. `recorder` may be null; else it
// was made for one session more than options.sessions.
RunResult run(database::Store& store, const Workload& workload, const RunOptions& options, Recorder* recorder,
              const RunControl& control);

inline constexpr std::string_view kLoadedKey = "assay:loaded";
inline constexpr std::string_view kFenceKey = "assay:fence";

}  // namespace assay::record
