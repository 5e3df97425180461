// What a check of one level came to, and all that is needed to prove it: for "holds" an order of events, for
// "violated" a bad read or a derivation that ends in a cycle, for "undecided" the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "history/ids.hpp"
#include "level/level.hpp"

namespace assay::check {

enum class Verdict : std::uint8_t { holds, violated, undecided };

// A transaction's begin or commit. At levels with one event per transaction only `commit` is used.
struct Event {
  Txn txn;
  enum class Side : std::uint8_t { begin, commit } side = Side::commit;
  bool operator==(const Event&) const = default;
};

// A read that no order of transactions can explain.
struct BadRead {
  enum class Kind : std::uint8_t {
    internal,            // the transaction had written the key itself and saw something else
    aborted,             // the writer aborted
    intermediate,        // the writer overwrote this value itself before it committed
    future,              // the only writer is the reading transaction, later
    thin_air,            // nobody wrote the value
    incompatible_order,  // two list reads of the key show orders that no list can have had
  };
  Kind kind;
  Txn txn;  // the reader
  Op read;
  Op write;  // what it saw was written here, or for internal: what it should have seen; == read if there is
             // none
  std::optional<Key> row{};  // of a query: the key of which it saw that
};

// Why one event comes before another.
enum class Rule : std::uint8_t {
  program,          // a transaction begins before it commits
  session,          // `from` is earlier in the same session
  reads_from,       // `to` read on `key` what `from` wrote
  initial,          // a reader of the initial version of `key` precedes each writer of it; or `from` is the
                    // initial transaction, which precedes every other
  real_time,        // `from` ended before `to` started, by more than the clock drift
  version_order,    // a list read by `witness` shows the elements of `from` before those of `to`
  overwritten,      // `from` writes `key`, `witness` reads `key` from `to`, and `from` precedes `witness`
  anti_dependency,  // `from` reads `key` from `witness`, `to` writes it too, and `witness` precedes `to`
  first_committer,  // SI: both write `key`, and the begin of `from` precedes the commit of `to`
  // RC, RA and the other weak axioms: `from` writes `key`, `witness` reads `key` from `to`, and `from` is
  // visible to that read by the level's own condition (see docs/levels.md).
  axiom,
  // Assumed: one of the two orders of two writers of `key`; or, if `witness` is not the initial transaction,
  // that `witness` (which is `to`) read `key` from `from` (where `from` may be the initial transaction).
  decision,
};
std::string_view name(Rule rule);

inline constexpr Op kNoOp{0xFFFFFFFFU};

// One ordered pair with its reason. `premises` are earlier steps; a path of them justifies the "precedes" in
// the rule.
struct Step {
  Event from, to;
  Rule rule;
  Key key{};
  Txn witness = kInitialTxn;
  std::vector<std::uint32_t> premises;
  // The read that the rule speaks of: of `to` for reads_from, of `from` for anti_dependency and initial, of
  // the witness otherwise; for version_order the list read that shows it. Checkers leave it open, evidence
  // names it.
  Op read = kNoOp;
};

// Steps in order of derivation, and the cycle they end in (indices of steps, each step's `to` being the next
// one's `from`). Where force alone finds no cycle, the cases instead: they exhaust the ways in which one
// thing can have been (the two orders of two writers of a key, or the writers that a read can have seen),
// each with a derivation of its own that may use its assumption and those of the cases it is in. Cases are
// complete in themselves: they share no steps.
struct Derivation {
  std::vector<Step> steps;
  std::vector<std::uint32_t> cycle;
  struct Case;
  std::vector<Case> cases;
  bool empty() const { return cycle.empty() && cases.empty(); }
};

struct Derivation::Case {
  Step assumption;  // rule: decision
  Derivation derivation;
};

struct Phase {
  std::string_view name;
  double seconds = 0;
  std::size_t peak_bytes = 0;
};

struct Count {
  std::string_view name;
  std::uint64_t value = 0;
};

struct Outcome {
  Level level{};
  Verdict verdict = Verdict::undecided;
  std::string reason;        // undecided: why, for a person
  std::string_view method;   // which step of the ladder decided
  std::vector<Event> order;  // holds: all events of all transactions that count, in order
  // holds at a level whose order does not tell it: for each ambiguous read (by transaction, then in program
  // order) which of its candidates it saw
  std::vector<std::uint32_t> choices;
  std::vector<BadRead> bad_reads;  // violated, by reads alone
  Derivation derivation;           // violated, otherwise; empty if none was found that a person could read
  std::vector<Txn> core;  // violated, otherwise: transactions that do so already, whatever the others did
  std::vector<Phase> phases;
  std::vector<Count> counts;
};

}  // namespace assay::check
