// Watches an endless history: takes it in fragments, decides in rounds what has arrived, and keeps only what
// a transaction still to come can touch. docs/watch.md says why dropping the rest is safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "history/history.hpp"
#include "watch/round.hpp"
#include "watch/watch_options.hpp"

namespace assay::watch {

// Everything that stays in memory, for telemetry.
struct Kept {
  std::uint64_t live = 0;     // not frozen yet
  std::uint64_t frozen = 0;   // frozen, and still in an undecided order with others
  std::uint64_t entries = 0;  // keys whose last frozen version is kept without its transaction
  std::uint64_t waiting = 0;  // arrived, and not decided yet: reading what has not arrived, or behind such
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
  // is beyond a horizon. A session that comes all the same must begin above the floor.
  void all_sessions_known();
  bool knows_all_sessions() const;
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

 private:
  explicit Watcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace assay::watch
