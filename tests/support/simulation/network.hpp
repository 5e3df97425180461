// Collectors and what lies between them and a watcher, made up: connections break, what is under way is lost or
// overtakes, fragments and acknowledgements come late, fragments come twice. The collectors keep the rules of
// docs/watch-protocol.md; they live on when the watcher dies.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collect/source.hpp"
#include "support/random/random_history.hpp"

namespace assay::watch::simulation {

// Of one collector, while it lasts.
struct Connection {
  std::uint64_t sent = 0;               // the next to send
  std::deque<std::uint64_t> under_way;  // numbers of fragments
  std::deque<std::uint64_t> answers;    // acknowledgements
  std::map<std::uint64_t, bool> early;  // arrived before those that they follow
};

struct Collector {
  std::string name;
  std::vector<std::string> blocks;  // packed; after the last comes "done"
  std::uint64_t acknowledged = 0;   // of them, and of "done"
  std::optional<Connection> connection;

  std::uint64_t all() const { return blocks.size() + 1; }
  bool is_done() const { return acknowledged == all(); }
};

class Network {
 public:
  struct Faults {
    bool breaks = true, repeats = true, overtakes = true;
  };
  Network(std::vector<Collector> collectors, const Faults& faults)
      : collectors_(std::move(collectors)), faults_(faults) {}

  std::vector<Collector>& collectors() { return collectors_; }
  // One of the collectors does something, if it can: connects, sends, hears an answer, loses its connection.
  // REQUIRES: `next` says how far a watcher that listens has come with each, or is null: nobody listens.
  void act(Rng& rng, const std::map<std::string, std::uint64_t>* next);
  void break_all();

 private:
  std::vector<Collector> collectors_;
  Faults faults_;
};

// The watcher's end of the network, as collect/socket_source.hpp: takes fragments in order, ignores those that
// it has, and acknowledges when all that was collected is safe.
class NetworkSource : public collect::Source {
 public:
  NetworkSource(Network& network, Rng& rng, const collect::ProgressOf& progress);

  void collect(collect::Batch& into) override;
  void acknowledge() override;
  // Everything that there is has come.
  bool ended() const override;
  bool at_rest() const override { return false; }

  // What a collector that connects is told: from where on to send.
  const std::map<std::string, std::uint64_t>& safe() const { return safe_; }

 private:
  void take(const Collector& from, std::uint64_t sequence, collect::Batch& into);

  Network& network_;
  Rng& rng_;
  std::map<std::string, std::uint64_t> next_, safe_;
};

}  // namespace assay::watch::simulation
