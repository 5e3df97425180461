#include "database/own/memory.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace assay::database {

MemoryEngine::MemoryEngine(const EngineOptions& options)
    : rules_(rules_of(options.level, options.fault)),
      lag_(options.lag),
      random_(options.seed),
      replication_(rules_.propagation,
                   rules_.propagation == Propagation::none
                       ? 1
                       : std::clamp(options.sites, 1U, Replication::kMostSites),
                   options.lag, options.seed + 1) {
  assert(can_keep(options.level));
  if (!options.fault || options.fault_after == 0) return;
  assert(can_begin_later(options.level, *options.fault));
  later_ = std::exchange(rules_, rules_of(options.level, std::nullopt));
  until_later_ = options.fault_after;
}

Session MemoryEngine::open_session() {
  const auto session = static_cast<std::uint32_t>(transactions_.size());
  transactions_.emplace_back();
  transactions_.back().site = session % replication_.sites();
  return Session{session};
}

std::uint32_t MemoryEngine::slot_of(std::int64_t key) {
  const auto fresh = static_cast<std::uint32_t>(keys_.size());
  const std::uint32_t slot = slots_.find_or_add(0, static_cast<std::uint64_t>(key), fresh);
  if (slot == fresh) {
    keys_.push_back(key);
    if (ordered_in_use_) ordered_.emplace(key, slot);
  }
  return slot;
}

const std::map<std::int64_t, std::uint32_t>& MemoryEngine::ordered_keys() {
  if (!ordered_in_use_) {
    ordered_in_use_ = true;
    for (std::uint32_t slot = 0; slot < keys_.size(); ++slot) ordered_.emplace(keys_[slot], slot);
  }
  return ordered_;
}

void MemoryEngine::begin(Session session) {
  Transaction& txn = transactions_[index(session)];
  assert(!txn.open);
  txn.open = true;
  if (later_ && until_later_-- == 0) {
    rules_ = *later_;
    later_.reset();
  }
  const std::uint64_t now = replication_.site(txn.site).applied();
  txn.snapshot = now;
  txn.extends = rules_.check_reads;
  if (rules_.lagging && random_.below(4U) == 0) {
    const std::uint64_t behind = std::min<std::uint64_t>(random_.below(lag_ + 1), now);
    txn.snapshot = std::max(txn.floor, now - behind);
    txn.extends = false;
  }
}

// Where reads are checked at commit, a transaction whose reads would be the same now moves its snapshot to
// now: it has the same right to, and fewer conflicts to fear (Riegel, Felber and Fetzer 2006 call it lazy
// snapshots). Looks at all that was read, so long transactions go without.
void MemoryEngine::extend_snapshot(Transaction& txn) {
  constexpr std::size_t kMostReads = 16;
  const std::uint64_t now = replication_.site(txn.site).applied();
  if (!txn.extends || txn.snapshot == now) return;
  txn.extends = txn.read_slots.size() <= kMostReads && txn.read_ranges.empty() && txn.read_back.empty() &&
                std::none_of(txn.read_slots.begin(), txn.read_slots.end(), [&](std::uint32_t slot) {
                  return replication_.overwritten_since(txn.site, slot, txn.snapshot);
                });
  if (txn.extends) txn.snapshot = now;
}

// REQUIRES: the transaction did not write the slot.
Cell MemoryEngine::see(const Transaction& txn, std::uint32_t slot, bool snapshot_read) {
  const Site& site = replication_.site(txn.site);
  return site.visible(slot, snapshot_read ? txn.snapshot : site.applied());
}

Cell MemoryEngine::read(Session session, std::int64_t key) {
  Transaction& txn = transactions_[index(session)];
  assert(txn.open);
  const std::uint32_t slot = slot_of(key);
  if (const Write* own = txn.written.last(slot)) {
    return {own->kind == Write::Kind::erase ? RowState::erased : RowState::live, own->value};
  }
  extend_snapshot(txn);
  if (rules_.check_reads) txn.read_slots.push_back(slot);
  return see(txn, slot, rules_.snapshot_reads);
}

void MemoryEngine::put(Session session, const Write& write) {
  Transaction& txn = transactions_[index(session)];
  assert(txn.open);
  if (!rules_.drop_overwritten && write.kind != Write::Kind::append) {
    if (const Write* overwritten = txn.written.last(write.slot))
      replication_.publish(txn.site, {overwritten, 1});
  }
  txn.written.add(write);
  if (!rules_.buffer_writes) replication_.publish(txn.site, {&write, 1});
}

void MemoryEngine::write(Session session, std::int64_t key, std::int64_t value) {
  put(session, {Write::Kind::put, slot_of(key), value});
}

bool MemoryEngine::insert(Session session, std::int64_t key, std::int64_t value) {
  if (read(session, key).state == RowState::live) return false;
  write(session, key, value);
  return true;
}

void MemoryEngine::erase(Session session, std::int64_t key, std::int64_t tombstone) {
  put(session, {Write::Kind::erase, slot_of(key), tombstone});
}

void MemoryEngine::append(Session session, std::int64_t key, std::int64_t element) {
  put(session, {Write::Kind::append, slot_of(key), element});
}

void MemoryEngine::read_list(Session session, std::int64_t key, std::vector<std::int64_t>& elements) {
  Transaction& txn = transactions_[index(session)];
  assert(txn.open);
  elements.clear();
  const std::uint32_t slot = slot_of(key);
  const Site& site = replication_.site(txn.site);
  // Unlike a register, a list shows others' elements even after the transaction appended its own.
  extend_snapshot(txn);
  if (rules_.check_reads) txn.read_slots.push_back(slot);
  const std::uint64_t at = rules_.snapshot_reads ? txn.snapshot : site.applied();
  site.append_visible_list(slot, at, elements);
  if (!rules_.buffer_writes || txn.written.last(slot) == nullptr) return;
  txn.written.append_own_elements(slot, elements);
  txn.read_back.emplace_back(slot, at);
}

void MemoryEngine::range_read(Session session, std::int64_t low, std::int64_t high,
                              std::vector<EngineRow>& rows) {
  Transaction& txn = transactions_[index(session)];
  assert(txn.open);
  rows.clear();
  extend_snapshot(txn);
  if (rules_.check_reads) txn.read_ranges.emplace_back(low, high);
  const auto& ordered = ordered_keys();
  for (auto key = ordered.lower_bound(low); key != ordered.end() && key->first <= high; ++key) {
    Cell cell;
    if (const Write* own = txn.written.last(key->second)) {
      cell = {own->kind == Write::Kind::erase ? RowState::erased : RowState::live, own->value};
    } else {
      cell = see(txn, key->second, rules_.snapshot_ranges);
    }
    if (cell.state == RowState::live) rows.push_back({key->first, cell.value});
  }
}

void MemoryEngine::predicate_read(Session session, const std::function<bool(const EngineRow&)>& matches,
                                  std::vector<EngineRow>& rows) {
  range_read(session, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
             rows);
  rows.erase(std::remove_if(rows.begin(), rows.end(), [&](const EngineRow& row) { return !matches(row); }),
             rows.end());
}

bool MemoryEngine::must_abort(const Transaction& txn) {
  if (txn.written.empty()) return false;
  const auto overwritten = [&](std::uint32_t slot) {
    return replication_.overwritten_since(txn.site, slot, txn.snapshot);
  };
  for (const auto& [slot, at] : txn.read_back) {
    if (replication_.overwritten_since(txn.site, slot, at)) return true;
  }
  if (rules_.check_writes) {
    for (const Write& write : txn.written.writes()) {
      if (overwritten(write.slot)) return true;
    }
  }
  if (rules_.check_reads) {
    for (const std::uint32_t slot : txn.read_slots) {
      if ((rules_.check_updates || txn.written.last(slot) == nullptr) && overwritten(slot)) return true;
    }
    if (!rules_.check_ranges) return false;
    for (const auto& [low, high] : txn.read_ranges) {
      const auto& ordered = ordered_keys();
      for (auto key = ordered.lower_bound(low); key != ordered.end() && key->first <= high; ++key) {
        if (overwritten(key->second)) return true;
      }
    }
  }
  return false;
}

Receipt MemoryEngine::commit(Session session) {
  Transaction& txn = transactions_[index(session)];
  assert(txn.open);
  if (must_abort(txn)) {
    abort(session);
    return {};
  }
  Receipt receipt{true, txn.snapshot, 0};
  const Site& site = replication_.site(txn.site);
  if (!txn.written.empty() && rules_.buffer_writes) {
    receipt.order = replication_.publish(txn.site, txn.written.writes());
    txn.floor = site.applied();
  } else {
    const std::uint64_t read_at = rules_.snapshot_reads ? txn.snapshot : site.applied();
    receipt.order = replication_.sites() == 1 ? read_at : replication_.stamp(txn.site);
    txn.floor = read_at;
  }
  finish(txn);
  return receipt;
}

void MemoryEngine::abort(Session session) {
  Transaction& txn = transactions_[index(session)];
  assert(txn.open);
  if (!rules_.drop_aborted && !txn.written.empty()) replication_.publish(txn.site, txn.written.writes());
  finish(txn);
}

void MemoryEngine::finish(Transaction& txn) {
  txn.open = false;
  txn.written.clear();
  txn.read_slots.clear();
  txn.read_ranges.clear();
  txn.read_back.clear();
  if (++ended_since_forgetting_ >= transactions_.size()) forget_old_versions();
}

// Once per round of all sessions, so that looking at all of them costs constant time per transaction.
void MemoryEngine::forget_old_versions() {
  ended_since_forgetting_ = 0;
  for (std::uint32_t site = 0; site < replication_.sites(); ++site) {
    const std::uint64_t now = replication_.site(site).applied();
    std::uint64_t oldest = now - std::min<std::uint64_t>(now, lag_);
    for (const Transaction& txn : transactions_) {
      if (txn.open && txn.site == site) oldest = std::min(oldest, txn.snapshot);
    }
    replication_.forget_before(site, oldest);
  }
}

void MemoryEngine::settle() {
  replication_.settle();
  for (Transaction& txn : transactions_) {
    assert(!txn.open);
    txn.floor = replication_.site(txn.site).applied();
  }
}

Cell MemoryEngine::current(std::int64_t key) {
  const Site& site = replication_.site(0);
  return site.visible(slot_of(key), site.applied());
}

void MemoryEngine::current_list(std::int64_t key, std::vector<std::int64_t>& elements) {
  elements.clear();
  const Site& site = replication_.site(0);
  site.append_visible_list(slot_of(key), site.applied(), elements);
}

void MemoryEngine::install(std::int64_t key, Write::Kind kind, std::int64_t value) {
  replication_.publish_everywhere({kind, slot_of(key), value});
}

}  // namespace assay::database
