// The order of events that is certain in a history that satisfies a level, whatever is chosen where something
// is left open. For those who go on from a verdict: a watch concludes from it what nothing that is still to
// come can touch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"
#include "history/history.hpp"
#include "level/level.hpp"
#include "order/graph.hpp"

namespace assay::check {

// At prefix and stronger: what is known, and all that follows from it by force.
class KnownOrder {
 public:
  KnownOrder(KnownOrder&&) noexcept;
  KnownOrder& operator=(KnownOrder&&) noexcept;
  ~KnownOrder();

  bool two_events() const;       // begin and commit are separate events; else all events are commits
  bool writers_exclude() const;  // two writers of a key do not overlap
  bool real_time() const;

  bool precedes(const Event& a, const Event& b) const;
  // Of each session, how many events precede this one, itself included.
  std::span<const std::uint32_t> clock_of(const Event& event) const;
  // Transactions that certainly read a write, each once.
  std::span<const Txn> readers(Write w) const;

  // As a graph of transactions, whose begins and commits are not told apart, followed by points in time.
  std::uint32_t vertices() const;
  void append_edges(std::vector<order::Edge>& edges) const;

 private:
  struct Saturated;
  explicit KnownOrder(std::unique_ptr<Saturated> saturated);
  friend std::optional<KnownOrder> known_order(const History&, const Reads&, Level, const Options&);

  std::unique_ptr<Saturated> saturated_;
};

// nullopt if it is too large to be kept, or contradicts itself. `history`, `reads` and `options.known` must
// outlive the result.
// REQUIRES: `level` is prefix or stronger, session order counts, and no transaction's presence is conditional.
std::optional<KnownOrder> known_order(const History& history, const Reads& reads, Level level,
                                      const Options& options);

// At the weak levels: pairs of transactions of which the level's axiom forces the first to commit before the
// second, enough for all others to follow by session order and reads-from.
// REQUIRES: `level` is weaker than prefix, and no read is ambiguous or bad.
std::vector<order::Edge> forced_commits(const History& history, const Reads& reads, Level level);

}  // namespace assay::check
