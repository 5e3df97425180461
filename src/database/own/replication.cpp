#include "database/own/replication.hpp"

#include <algorithm>
#include <cassert>

namespace assay::database {

Replication::Replication(Propagation propagation, std::uint32_t sites, std::uint32_t lag, std::uint64_t seed)
    : propagation_(propagation),
      lag_(lag),
      random_(seed),
      sites_(sites),
      clocks_(sites, 0),
      pending_(sites),
      logs_(sites),
      applied_(sites, std::vector<std::uint64_t>(sites, 0)) {
  assert(sites >= 1 && sites <= kMostSites && (sites == 1 || propagation != Propagation::none));
}

std::uint64_t Replication::stamp(std::uint32_t site) {
  return ++clocks_[site] * sites_.size() + site;
}

std::uint64_t Replication::publish(std::uint32_t site, std::span<const Write> writes) {
  if (sites_.size() == 1) {
    const std::uint64_t order = ++clocks_[0];
    sites_[0].apply(writes, order);
    return order;
  }
  // A list has one order everywhere: an element follows all that were appended before it, wherever that was.
  for (const Write& write : writes) {
    if (write.kind == Write::Kind::append && write.slot < newest_.size())
      deliver(site, newest_[write.slot].appended);
  }
  const std::uint64_t order = stamp(site);
  sites_[site].apply(writes, order);
  if (propagation_ == Propagation::torn) {
    for (const Write& write : writes) enqueue(site, order, {&write, 1});
  } else {
    enqueue(site, order, writes);
  }
  trickle();
  return order;
}

std::uint32_t Replication::new_entry() {
  if (free_.empty()) {
    entries_.emplace_back();
    return static_cast<std::uint32_t>(entries_.size() - 1);
  }
  const std::uint32_t entry = free_.back();
  free_.pop_back();
  return entry;
}

void Replication::remember_newest(std::uint32_t slot, std::uint64_t order) {
  if (slot >= newest_.size())
    newest_.resize(std::max<std::size_t>(slot + std::size_t{1}, newest_.size() * 2));
  newest_[slot].order = std::max(newest_[slot].order, order);
}

void Replication::enqueue(std::uint32_t origin, std::uint64_t order, std::span<const Write> writes) {
  const std::uint32_t id = new_entry();
  Entry& entry = entries_[id];
  entry.order = order;
  entry.clock = clocks_[origin];
  entry.origin = origin;
  entry.waiting = static_cast<std::uint32_t>((std::uint64_t{1} << sites_.size()) - 1) & ~(1U << origin);
  entry.writes.assign(writes.begin(), writes.end());
  entry.earlier_elements.clear();
  for (const Write& write : writes) {
    remember_newest(write.slot, order);
    if (write.kind != Write::Kind::append) continue;
    Reference& appended = newest_[write.slot].appended;
    const bool same_commit = appended.entry == id && appended.order == order;
    if (propagation_ != Propagation::causal && appended.order != 0 && !same_commit)
      entry.earlier_elements.push_back(appended);
    appended = {id, order};
  }
  if (propagation_ == Propagation::causal) {
    entry.number = applied_[origin][origin]++;
    entry.seen = applied_[origin];
    logs_[origin].entries.push_back(id);
  } else {
    for (std::uint32_t site = 0; site < sites_.size(); ++site) {
      if (site != origin) pending_[site].push_back({id, order});
    }
  }
}

// After each commit each site receives nothing, one commit, or a burst: about as many as are made, so that it
// stays behind by a few and is now and then up to date.
void Replication::trickle() {
  for (std::uint32_t site = 0; site < sites_.size(); ++site) {
    if (backlog(site) > lag_) drain(site, lag_);
    const std::uint32_t draw = random_.below(16U);
    if (draw == 0) {
      drain(site, random_.below(lag_ + 1));
    } else if (draw < 10 && backlog(site) > 0) {
      deliver_some(site);
    }
  }
}

std::size_t Replication::backlog(std::uint32_t site) const {
  if (propagation_ != Propagation::causal) return pending_[site].size();
  std::uint64_t behind = 0;
  for (std::size_t origin = 0; origin < sites_.size(); ++origin) {
    behind += applied_[origin][origin] - applied_[site][origin];
  }
  return behind;
}

void Replication::drain(std::uint32_t site, std::size_t target) {
  while (backlog(site) > target) deliver_some(site);
}

// REQUIRES: something waits for this site.
void Replication::deliver_some(std::uint32_t site) {
  if (propagation_ == Propagation::causal) {
    auto origin = random_.below(sites());
    while (applied_[site][origin] == applied_[origin][origin]) origin = (origin + 1) % sites();
    deliver_prefix(site, origin, applied_[site][origin] + 1);
    return;
  }
  std::vector<Reference>& pending = pending_[site];
  const auto at = random_.below(static_cast<std::uint32_t>(pending.size()));
  const Reference reference = pending[at];
  pending[at] = pending.back();
  pending.pop_back();
  deliver(site, reference);
}

// Makes sure that the commit has been applied at the site, with all that must come before it.
void Replication::deliver(std::uint32_t site, Reference reference) {
  if (reference.order == 0 || entries_[reference.entry].order != reference.order) return;
  if ((entries_[reference.entry].waiting >> site & 1) == 0) return;
  if (propagation_ == Propagation::causal) {
    deliver_prefix(site, entries_[reference.entry].origin, entries_[reference.entry].number + 1);
    return;
  }
  for (const Reference& earlier : entries_[reference.entry].earlier_elements) deliver(site, earlier);
  arrive(site, reference.entry);
}

// Applies the first `count` commits of an origin. Recursion is at most as deep as there are sites: what a
// commit had seen of its own origin is in the prefix already.
void Replication::deliver_prefix(std::uint32_t site, std::uint32_t origin, std::uint64_t count) {
  while (applied_[site][origin] < count) {
    const std::uint32_t id = logs_[origin].entries[applied_[site][origin] - logs_[origin].first];
    for (std::uint32_t other = 0; other < sites_.size(); ++other) {
      if (other != origin && other != site) deliver_prefix(site, other, entries_[id].seen[other]);
    }
    ++applied_[site][origin];
    arrive(site, id);
  }
  Log& log = logs_[origin];
  while (!log.entries.empty() && entries_[log.entries.front()].waiting == 0) {
    free_.push_back(log.entries.front());
    log.entries.pop_front();
    ++log.first;
  }
}

void Replication::arrive(std::uint32_t site, std::uint32_t id) {
  Entry& entry = entries_[id];
  sites_[site].apply(entry.writes, entry.order);
  clocks_[site] = std::max(clocks_[site], entry.clock);
  entry.waiting &= ~(1U << site);
  if (entry.waiting == 0 && propagation_ != Propagation::causal) free_.push_back(id);
}

bool Replication::overwritten_since(std::uint32_t site, std::uint32_t slot, std::uint64_t snapshot) const {
  if (sites_[site].changed_since(slot, snapshot)) return true;
  return sites_.size() > 1 && slot < newest_.size() && newest_[slot].order != sites_[site].newest_order(slot);
}

void Replication::settle() {
  if (sites_.size() == 1) return;
  for (std::uint32_t site = 0; site < sites_.size(); ++site) drain(site, 0);
  std::fill(clocks_.begin(), clocks_.end(), *std::max_element(clocks_.begin(), clocks_.end()));
}

void Replication::publish_everywhere(const Write& write) {
  std::uint64_t order = 0;
  for (std::uint32_t site = 0; site < sites_.size(); ++site) ++clocks_[site];
  order = clocks_[0] * sites_.size();
  for (Site& site : sites_) site.apply({&write, 1}, order);
  if (sites_.size() > 1) remember_newest(write.slot, order);
}

}  // namespace assay::database
