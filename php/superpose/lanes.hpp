// The requests of a group that run as one, a lane each (docs/audit-superposition.md), and the way out of it: whatever
// is not known to be right is denied, and then each request is run singly.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/php.hpp"

namespace assay::php {

constexpr unsigned kNoLane = ~0U;

struct Lanes {
  unsigned count = 0;          // 0: no group runs
  unsigned current = kNoLane;  // the one that is worked on, if it is one
  bool denied = false;
  std::string why;
  std::vector<unsigned> ways;  // if lanes went different ones: which, by lane
};
extern Lanes lanes;

inline bool superposed() {
  return lanes.count != 0;
}

// Leaves the program at once; the first reason counts.
[[noreturn]] void deny(const std::string& why);

// The same, and those that went one way may be tried as a group of their own.
[[noreturn]] void diverge(std::vector<unsigned> ways, const std::string& why);

// What each lane decides must be the same.
template <class Decision>
void require_same_way(const std::vector<Decision>& decisions, const std::string& why) {
  std::vector<Decision> known;
  std::vector<unsigned> ways;
  for (const Decision& each : decisions) {
    const auto found = std::find(known.begin(), known.end(), each);
    ways.push_back(static_cast<unsigned>(found - known.begin()));
    if (found == known.end()) known.push_back(each);
  }
  if (known.size() > 1) diverge(std::move(ways), why);
}

// What a mutation check takes away: the name of a guard, and whether it still stands.
void take_guard_away(const std::string& name);
bool stands(const char* guard);

// The world of a lane, what it prints and sends: entered and left around whatever is done for one lane.
struct LaneSwitch {
  void (*enter)(unsigned lane) = [](unsigned) {};
  void (*leave)() = [] {};
};
extern LaneSwitch lane_switch;

class InLane {
 public:
  explicit InLane(unsigned lane) {
    lanes.current = lane;
    lane_switch.enter(lane);
  }
  ~InLane() {
    lane_switch.leave();
    lanes.current = kNoLane;
  }
  InLane(const InLane&) = delete;
  InLane& operator=(const InLane&) = delete;
};

}  // namespace assay::php
