#include "support/simulation/network.hpp"

#include <algorithm>
#include <utility>

#include "format/assay/packed_block.hpp"
#include "format/bytes.hpp"

namespace assay::watch::simulation {

void Network::break_all() {
  for (Collector& collector : collectors_) collector.connection.reset();
}

void Network::act(Rng& rng, const std::map<std::string, std::uint64_t>* next) {
  Collector& collector = collectors_[rng.below(static_cast<std::uint32_t>(collectors_.size()))];
  if (!collector.connection) {
    if (next == nullptr || collector.is_done()) return;
    // What the watcher has, even if nobody heard its acknowledgement, need not be sent again.
    collector.acknowledged = std::max(collector.acknowledged, next->at(collector.name));
    collector.connection.emplace().sent = next->at(collector.name);
    return;
  }
  Connection& connection = *collector.connection;
  if (faults_.breaks && rng.chance(0.03)) return collector.connection.reset();
  if (!connection.answers.empty() && rng.chance(0.5)) {
    collector.acknowledged = std::max(collector.acknowledged, connection.answers.front());
    connection.answers.pop_front();
    return;
  }
  if (faults_.repeats && connection.sent > 0 && rng.chance(0.1)) {
    connection.under_way.push_back(rng.below(static_cast<std::uint32_t>(connection.sent)));
    return;
  }
  if (faults_.overtakes && connection.under_way.size() > 1 && rng.chance(0.1)) {
    std::swap(connection.under_way.back(), connection.under_way.front());
    return;
  }
  if (connection.sent < collector.all()) connection.under_way.push_back(connection.sent++);
}

NetworkSource::NetworkSource(Network& network, Rng& rng, const collect::ProgressOf& progress)
    : network_(network), rng_(rng) {
  for (const Collector& collector : network_.collectors()) {
    const auto found = progress.find(collector.name);
    next_[collector.name] = found == progress.end() ? 0 : found->second.next;
  }
  safe_ = next_;
}

void NetworkSource::take(const Collector& from, std::uint64_t sequence, collect::Batch& into) {
  collect::Fragment fragment;
  fragment.collector = from.name;
  fragment.sequence = sequence;
  fragment.last = sequence == from.blocks.size();
  if (!fragment.last) {
    fragment.block = from.blocks[sequence];
    format::ByteCursor in(from.name, fragment.block);
    fragment.history = PackedCodec::decode(in);
  }
  into.add(std::move(fragment));
}

void NetworkSource::collect(collect::Batch& into) {
  for (Collector& collector : network_.collectors()) {
    if (!collector.connection) continue;
    Connection& connection = *collector.connection;
    while (into.has_room() && !connection.under_way.empty() && rng_.chance(0.7)) {
      connection.early[connection.under_way.front()] = true;
      connection.under_way.pop_front();
      std::uint64_t& next = next_[collector.name];
      while (!connection.early.empty() && connection.early.begin()->first <= next) {
        if (connection.early.begin()->first == next) take(collector, next++, into);
        connection.early.erase(connection.early.begin());
      }
    }
  }
}

void NetworkSource::acknowledge() {
  for (Collector& collector : network_.collectors()) {
    std::uint64_t& safe = safe_[collector.name];
    const bool news = safe != next_[collector.name];
    safe = next_[collector.name];
    if (collector.connection && (news || rng_.chance(0.1))) collector.connection->answers.push_back(safe);
  }
}

bool NetworkSource::ended() const {
  const auto& all = network_.collectors();
  return std::all_of(all.begin(), all.end(),
                     [&](const Collector& one) { return safe_.at(one.name) == one.all(); });
}

}  // namespace assay::watch::simulation
