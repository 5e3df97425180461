// A whole watch in one thread and without a machine: collectors, a network, a disk, a clock, and a watcher that
// dies and comes back, all driven by one seed. The watcher, what takes fragments in, the log, the checkpoints
// and what was reported are the real ones (watch/watch.hpp); made up is what is around them. Afterwards the
// verdict must be that of one check of all that the collectors had.
#pragma once

#include <cstdint>
#include <string>

#include "history/history.hpp"
#include "support/simulation/network.hpp"
#include "watch/watch_options.hpp"

namespace assay::watch::simulation {

struct Plan {
  std::uint64_t seed = 0;
  History history;
  WatchOptions watcher;
  std::uint32_t collectors = 1;
  // How the watcher gets to know who its sessions are.
  enum class Declares : std::uint8_t { nothing, collectors, sessions } declares = Declares::nothing;
  // What goes wrong.
  bool deaths = true, power_failures = true, disk_errors = true;
  Network::Faults network;
};

Plan plan_of(std::uint64_t seed);
// What went wrong with the watch; nothing: an empty text.
std::string simulate(const Plan& plan);
// A plan with as little as possible in it that still goes wrong. REQUIRES: this one does.
Plan shrunk(Plan plan);
// For whoever wants to keep it as a test.
std::string shown(const Plan& plan);

}  // namespace assay::watch::simulation
