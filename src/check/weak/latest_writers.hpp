// For each key, while transactions are visited in causal order: those of its writers so far that no other
// writer so far has in its past. Nearly always that is one, for what a client writes next has mostly heard of
// what was there; and whoever reads from that one cannot have missed any other writer, so none of them has to
// be looked at.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "history/ids.hpp"
#include "memory/prefetch.hpp"

namespace assay::check {

class LatestWriters {
 public:
  // A transaction by its chain and its place there; places count from 1.
  struct Position {
    std::uint32_t chain, place;
    bool operator==(const Position&) const = default;
  };

  explicit LatestWriters(std::uint32_t keys) : of_key_(keys) {}

  // A writer of the key was visited; in_past(position) tells whether that position is in its past.
  template <class InPast>
  void visited(Key key, Position writer, const InPast& in_past) {
    Latest& latest = of_key_[index(key)];
    if (latest.count == kTooMany) return;
    std::uint32_t left = 0;
    for (std::uint32_t i = 0; i < latest.count; ++i) {
      if (!in_past(latest.writers[i])) latest.writers[left++] = latest.writers[i];
    }
    if (left == latest.writers.size()) {
      // Which of the writers to come know all of them cannot be told any more.
      latest.count = kTooMany;
      return;
    }
    latest.writers[left] = writer;
    latest.count = left + 1;
  }

  // Whether every writer visited so far is the one given or in its past.
  bool is_only(Key key, Position writer) const {
    return of_key_[index(key)].count == 1 && of_key_[index(key)].writers[0] == writer;
  }
  bool none(Key key) const { return of_key_[index(key)].count == 0; }

  void prefetch(Key key) const { assay::prefetch(&of_key_[index(key)]); }

 private:
  static constexpr std::uint32_t kTooMany = 0xFFFFFFFFU;
  struct Latest {
    std::uint32_t count = 0;
    std::array<Position, 3> writers;
  };
  std::vector<Latest> of_key_;
};

}  // namespace assay::check
