// What a tiny history says before anything is searched, as the brute force of the definitions (brute_force.hpp) sees it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "history/history.hpp"
#include "support/judge/brute_force.hpp"

namespace assay::brute {

using Mask = std::uint32_t;  // a set of transactions
using List = std::vector<Version>;
constexpr std::uint32_t kMost = 16;
constexpr int kInitial = -1;

constexpr Mask bit(int t) {
  return Mask{1} << t;
}
constexpr bool in(int t, Mask set) {
  return (set & bit(t)) != 0;
}

// A read of what other transactions wrote.
struct ExternalRead {
  int reader = 0;
  int key = 0;
  Version seen{};  // registers
  List list;       // lists: without the reader's own appends
  bool after_own = false;
  bool is_list = false;
  std::vector<int> candidates;  // who can have written it
};

// The history, without what needs no search. Transactions keep their numbers.
struct Facts {
  int transactions = 0;
  int keys = 0;
  Mask committed = 0, unknown = 0;
  bool possible = true;  // no read contradicts its own transaction
  bool has_lists = false;
  std::vector<ExternalRead> reads;                // in program order
  std::vector<std::vector<Version>> final_write;  // [t][key], the initial version where it writes none
  std::vector<Mask> writers;                      // [key]
  std::vector<std::vector<List>> appends;         // [t][key]
  std::vector<Mask> session_before;               // [t]: everybody earlier in its session
  std::vector<Mask> time_before;                  // [t]: everybody who ended before it started
};

inline bool writes_key(const Facts& f, int t, int key) {
  return in(t, f.writers[static_cast<std::size_t>(key)]);
}

inline bool conflict(const Facts& f, int a, int b) {
  return std::any_of(f.writers.begin(), f.writers.end(), [&](Mask w) { return in(a, w) && in(b, w); });
}

// Throws std::invalid_argument for a history that is too large, or that has queries.
Facts find_facts(const History& history, Reading reading);

}  // namespace assay::brute
