// Tiny random histories for comparing two judges, and what is needed when they disagree: a shrinker and a
// printer.
//
//   for (std::uint64_t i = 0, seed = random_seed(); i < random_cases(1000); ++i) {
//     Rng rng(seed + i);
//     const History h = random_history(rng, shape);
//     if (disagree(h)) FAIL() << "seed " << seed + i << "\n" << drawing(shrink(h, disagree));
//   }
//
// Half of the histories come from a simulated run (serial, snapshot or statement by statement) in which at
// most a few reads were changed, so that strong levels hold often enough; in the others every read is random.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "history/history.hpp"

namespace assay {

// A small generator (splitmix64) whose numbers do not depend on the standard library in use.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // 0 .. n-1. REQUIRES: n > 0.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) { return low + below(high - low + 1); }
  bool chance(double p) { return static_cast<double>(next() >> 11) * 0x1p-53 < p; }

 private:
  std::uint64_t state_;
};

// What a history may contain; each probability is drawn upon once per transaction or operation.
struct Shape {
  std::uint32_t max_transactions = 6;
  std::uint32_t max_keys = 3;
  std::uint32_t max_sessions = 6;
  std::uint32_t max_operations = 4;  // per transaction
  double reads = 0.5;                // of the operations
  double duplicates = 0;             // a write repeats a value of the key (never an element of a list)
  double erases = 0;
  double aborted = 0;
  double unknown = 0;
  bool lists = false;  // every key is a list: append and list_read
  bool times = false;  // start and end; transactions of unknown fate have no end
};
// Everything that a history of registers can contain, at once.
Shape shape_with_everything();
Shape shape_of_lists();

History random_history(Rng& rng, const Shape& shape);

// Removes transactions, then operations, then differences of sessions, while the predicate stays true.
// REQUIRES: still_fails(history).
History shrink(const History& history, const std::function<bool(const History&)>& still_fails);

// In the syntax of draw.hpp. Keys and values must be those of random_history or of draw (numbers above 0).
std::string drawing(const History& history);

// ASSAY_RANDOM_CASES, or else `otherwise` or ASSAY_RANDOM_CASES_AT_MOST, whichever is less.
std::uint64_t random_cases(std::uint64_t otherwise);
// ASSAY_RANDOM_SEED, or a fresh one; printed, so that a failure can be repeated.
std::uint64_t random_seed();

}  // namespace assay
