// What the two methods for second opinions (width.hpp, sat.hpp) share: which events a strong level orders,
// which answers need no search, and when to give up. Apart from reads.hpp they share nothing with the engine,
// so that a mistake there is not repeated here.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "check/options.hpp"
#include "check/outcome.hpp"
#include "check/reads.hpp"
#include "history/history.hpp"

namespace assay::check {

// A transaction reads at its begin and writes at its commit.
struct EventRules {
  bool one_event;     // serializable: begin and commit are one
  bool disjoint;      // snapshot isolation: writers of one key do not overlap
  bool real_time;     // what ended before a transaction started committed before it began
  bool keep_session;  // the same for what came before it in its session
  std::chrono::nanoseconds drift;
};

// Whether `end` lies more than the drift before `start`; times come from untrusted files, so nothing may
// overflow.
bool certainly_before(std::int64_t end, std::int64_t start, std::chrono::nanoseconds drift);

// The time by which a transaction had certainly finished, if that is known: not for those of unknown fate,
// whose commit may have taken effect after the client gave up.
std::optional<std::int64_t> finished(const History& history, Txn t);

// An answer that reads alone give, or that the level is none that these methods decide. nullopt: search.
std::optional<Outcome> answer_without_search(const History& history, const Reads& reads, Level level,
                                             const Options& options);

// REQUIRES: level is prefix or stronger.
EventRules event_rules(const History& history, Level level, const Options& options);

// An order was found; says "undecided" where the history is not wholly understood.
Outcome holds_by(Level level, const Reads& reads, std::string_view method, std::vector<Event> order);
Outcome violated_by(Level level, std::string_view method);
Outcome undecided(Level level, std::string reason);

}  // namespace assay::check
