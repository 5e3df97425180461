// Watches an endless history: takes it in fragments, decides in rounds what has arrived, and keeps only what
// a transaction still to come can touch. docs/watch.md says why dropping the rest is safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::watch {

struct WatchOptions {
  Level level = Level::serializable;
  // For the levels with real time: by how many nanoseconds the clocks of two machines may differ.
  std::int64_t clock_drift = 100'000'000;
  // No value is written to a key twice, as recorders make sure. Without this promise nothing can be dropped,
  // and a violation is certain only when all sessions are closed: what was read may have been written by a
  // transaction still to come. A watcher that sees the promise broken goes on without it if it still can.
  bool unique_values = true;
  // At read committed, monotonic atomic view and read atomic every version may be read again for ever. Not 0:
  // a version that was overwritten more than so many transactions ago may be forgotten, and a read of one is
  // "undecided".
  std::uint64_t horizon = 0;
};

using check::Verdict;

// What one round found. A violation is reported once; watching goes on without the transactions that it
// needs.
struct Round {
  Verdict verdict = Verdict::holds;
  std::string reason;  // undecided: why; violated: what the counterexample cannot show by itself
  std::optional<History>
      counterexample;              // violated: the few transactions that show it, with the input's names
  std::uint64_t transactions = 0;  // new in this round
  bool more = false;               // there may be another violation in what has arrived: decide again at once
  double seconds = 0;
};

// Everything that stays in memory, for telemetry.
struct Kept {
  std::uint64_t live = 0;     // not frozen yet
  std::uint64_t frozen = 0;   // frozen, and still in an undecided order with others
  std::uint64_t entries = 0;  // keys whose last frozen version is kept without its transaction
  std::uint64_t waiting = 0;  // arrived, and not judged yet: reading what has not arrived, or behind such
};

class Watcher {
 public:
  explicit Watcher(const WatchOptions& options);
  Watcher(Watcher&&) noexcept;
  Watcher& operator=(Watcher&&) noexcept;
  ~Watcher();

  // Sessions are told by name. One that is not admitted before the first round must begin above the floor.
  void admit(std::string_view session);
  // It sends nothing more.
  void close(std::string_view session);
  // Appends the transactions of each session of the fragment to that session.
  void add(const History& fragment);
  Round decide();
  Kept kept() const;
  std::uint64_t horizon() const;
  // From the next round on. What is forgotten already stays so.
  void set_horizon(std::uint64_t horizon);

  // The whole state; loading it gives a watcher that answers as this one would. load throws InputError.
  void save(std::string& out) const;
  static Watcher load(std::string_view bytes, const std::string& path);

  class State;

 private:
  explicit Watcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace assay::watch
