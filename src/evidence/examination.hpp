// What an examination of a history found: a verdict per level, and why what is violated is so. It owns all
// that it speaks of, so that a report can be made of it at any time: by the command line, a program that uses
// the library, a watch, or a page. These are the results alone; examine.hpp finds them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/anomaly.hpp"
#include "level/level.hpp"

namespace assay::evidence {

// The smallest part of a history that still violates a level.
struct Counterexample {
  Anomaly anomaly = Anomaly::unnamed_cycle;
  bool by_session = false;        // the order of a session is part of the contradiction
  std::vector<Txn> transactions;  // that already violate the level, sorted
  // Without any one of them the contradiction that is told would not be there (not known where the effort was
  // too much).
  bool minimal = false;
  // Why they do: a read that no level allows, or a derivation. Neither if none was found that is short
  // enough.
  std::vector<check::BadRead> bad_reads;
  check::Derivation derivation;  // complete: its cases exhaust what is open; steps name their reads
};

// A read, and whose writes it shows: for a list all of them in its order, for a register those that can have
// written the value. None: the initial state.
struct SeenRead {
  Txn reader{};
  Op op{};
  Key key{};
  Version version{};  // not of a list
  std::vector<Txn> writers;
};

// A read that did not show what somebody wrote to its key: another value, a list without an element, a query
// without a row.
struct MissedWrite {
  Txn reader{};
  Op read{};
  Key key{};
  Txn writer{};
};

// Who plays which part in the pattern that an anomaly is called after:
//
//   anomaly                    reads                                          writers
//   dirty-write                one shows the first writer first, one second   both
//   circular-information-flow  each saw what the other wrote
//   lost-update                both saw the same version, which both overwrote
//   fractured-read             saw one write of the writer                    the one
//   non-repeatable-read        first one version, then another
//   dirty-update                                                              who aborted, who appended to that
//
// Empty where the pattern is not found among what the transactions read. Beside that, for each anomaly, what
// was missed along the circle.
struct Roles {
  std::vector<SeenRead> reads;
  std::vector<Txn> writers;
  std::vector<MissedWrite> missed;
};

// Why a level is violated.
struct Explanation {
  Level level{};
  Counterexample counterexample;
  Roles roles;
};

struct Examination {
  std::shared_ptr<const History> history;  // never null
  std::vector<check::Outcome> outcomes;    // one per level, in the order asked
  std::vector<Explanation> explanations;   // of violated levels; where there is none, the outcome has to do
  check::SessionOrder sessions = check::SessionOrder::keep;
  std::optional<std::chrono::nanoseconds> clock_drift;  // as in check::Options
  double read_seconds = 0;                              // reading the history took
  double check_seconds = 0;                             // deciding took

  // Of a level, or nullptr.
  const Explanation* explanation_of(Level level) const;
  // The strongest of the levels that hold.
  std::optional<Level> strongest() const;
};

// What the literature calls it: "G-single", with "-session" where the order of a session is part of it (Elle's
// "-process"). Empty if it has no such name.
std::string code_of(const Counterexample& found);

// How many transactions are known to have committed: where none is, every level holds of nothing.
std::uint64_t committed(const History& history);

// A violated level that `outcome`'s level implies, if there is one among `all`: what refutes it refutes both.
const check::Outcome* refuted_by(const check::Outcome& outcome, std::span<const check::Outcome> all);

}  // namespace assay::evidence
