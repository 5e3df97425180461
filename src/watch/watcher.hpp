// Watches an endless history: takes it in fragments, decides in rounds what has arrived, and keeps only what
// a transaction still to come can touch. docs/watch.md says why dropping the rest is safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.hpp"
#include "watch/round.hpp"
#include "watch/watch_options.hpp"

namespace assay::watch {

// Everything that stays in memory, for telemetry.
struct Kept {
  std::uint64_t live = 0;      // not frozen yet
  std::uint64_t frozen = 0;    // frozen, and still in an undecided order with others
  std::uint64_t entries = 0;   // keys whose last frozen version is kept without its transaction
  std::uint64_t sessions = 0;  // that may still send something, or have something that is kept
  std::uint64_t waiting = 0;   // arrived, and not decided yet: reading what has not arrived, or behind such
};

class Watcher {
 public:
  explicit Watcher(const WatchOptions& options);
  Watcher(Watcher&&) noexcept;
  Watcher& operator=(Watcher&&) noexcept;
  ~Watcher();

  // Sessions are told by name.
  void admit(std::string_view session);
  // No session but those admitted, and those that have sent something, will send anything. Until this is said
  // nothing can be settled for good: a read whose writer is not here waits, and nothing is forgotten but what
  // is beyond a horizon. A session that comes all the same is taken to begin above the floor (docs/watch.md).
  void all_sessions_known();
  // The same where sessions may come at any time. That nobody who was heard of has read from one that was not
  // is promised, or not; then nothing is told that would be wrong without it.
  enum class Arrival : std::uint8_t { writers_first, any };
  void sessions_come_and_go(Arrival arrival = Arrival::writers_first);
  bool knows_all_sessions() const;
  // It sends nothing more.
  void close(std::string_view session);
  // Appends the transactions of each session of the fragment to that session.
  void add(const History& fragment);
  Round decide();
  // The names of sessions that are over and were forgotten since this was last asked. One that comes again is a new one.
  std::vector<std::string> take_left();
  Kept kept() const;
  std::uint64_t horizon() const;
  // From the next round on. What is forgotten already stays so.
  void set_horizon(std::uint64_t horizon);

  // The whole state; loading it gives a watcher that answers as this one would. load throws InputError.
  void save(std::string& out) const;
  static Watcher load(std::string_view bytes, const std::string& path);

 private:
  explicit Watcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
  std::vector<std::string> left_;
};

}  // namespace assay::watch
