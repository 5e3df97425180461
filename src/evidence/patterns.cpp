#include "evidence/patterns.hpp"

#include <algorithm>
#include <utility>

#include "evidence/missed_write.hpp"
#include "history/query.hpp"

namespace assay::evidence {

namespace {

bool has(const std::vector<Txn>& set, Txn t) {
  return std::find(set.begin(), set.end(), t) != set.end();
}

}  // namespace

Patterns::Patterns(const History& history, std::span<const Txn> members) : h_(history), members_(members) {
  for (const Txn t : members) {
    for (const Op op : h_.operations_of(t)) {
      if (writes(h_.kind(op))) written_.push_back({h_.key(op), t, op});
    }
  }
  std::sort(written_.begin(), written_.end());
  for (const Txn t : members) {
    if (h_.status(t) == Status::committed) add_reads_of(t);
  }
}

// A transaction that reads what it wrote itself saw nobody else.
void Patterns::add_reads_of(Txn t) {
  std::vector<Key> written;
  const auto own = [&](Key k) { return std::find(written.begin(), written.end(), k) != written.end(); };
  for (const Op op : h_.operations_of(t)) {
    const OpKind kind = h_.kind(op);
    if (writes(kind)) {
      written.push_back(h_.key(op));
    } else if (kind == OpKind::list_read) {
      add_read(t, op, h_.list(op).key, {});
    } else if (is_query(h_, op)) {
      for (const Version row : h_.query(op).results) {
        if (!own(h_.key_of(row))) add_read(t, op, h_.key_of(row), row);
      }
    } else if (!own(h_.key(op))) {
      add_read(t, op, h_.key(op), h_.version(op));
    }
  }
}

// What nobody here wrote says nothing about those who are here.
void Patterns::add_read(Txn reader, Op op, Key key, Version version) {
  SeenRead read{reader, op, key, version, {}};
  const auto add_writers = [&](Version v) {
    for (const Txn writer : members_) {
      if (writer != reader && h_.status(writer) != Status::aborted && leaves(writer, v))
        read.writers.push_back(writer);
    }
  };
  const bool list = h_.kind(op) == OpKind::list_read;
  if (list) {
    for (const Version element : h_.list(op).elements) add_writers(element);
  } else {
    add_writers(version);
  }
  if (list || !read.writers.empty() || h_.covers(version, h_.initial_version(key)))
    reads_.push_back(std::move(read));
}

// Whether the transaction leaves the version for others to see: it wrote it and did not overwrite it.
bool Patterns::leaves(Txn t, Version v) const {
  bool found = false;
  const Key k = h_.key_of(v);
  auto at = std::lower_bound(written_.begin(), written_.end(), Written{k, t, Op{0}});
  for (; at != written_.end() && at->key == k && at->txn == t; ++at) {
    if (h_.covers(v, h_.version(at->op))) {
      found = true;
    } else if (h_.kind(at->op) != OpKind::append) {
      found = false;
    }
  }
  return found;
}

bool Patterns::writes_key(Txn t, Key k) const {
  const auto at = std::lower_bound(written_.begin(), written_.end(), Written{k, t, Op{0}});
  return at != written_.end() && at->key == k && at->txn == t;
}

const SeenRead* Patterns::saw(Txn reader, Txn writer) const {
  for (const SeenRead& r : reads_) {
    if (r.reader == reader && has(r.writers, writer) && is_certain(r)) return &r;
  }
  return nullptr;
}

// Whether only one transaction can have written what was read; a list shows all that it has.
bool Patterns::is_certain(const SeenRead& r) const {
  if (h_.kind(r.op) == OpKind::list_read) return true;
  return r.writers.size() == 1 && !h_.covers(r.version, h_.initial_version(r.key));
}

// Whether both can have seen what the same transaction, or the initial state, left last.
bool Patterns::same_source(const SeenRead& a, const SeenRead& b) const {
  const auto possible = [&](const SeenRead& r) {
    std::vector<Txn> found = r.writers;
    if (h_.kind(r.op) == OpKind::list_read) {
      if (found.size() > 1) found.erase(found.begin(), found.end() - 1);
      if (found.empty()) found.push_back(kInitialTxn);
    } else if (h_.covers(r.version, h_.initial_version(r.key))) {
      found.push_back(kInitialTxn);
    }
    return found;
  };
  const std::vector<Txn> of_b = possible(b);
  const std::vector<Txn> of_a = possible(a);
  return std::any_of(of_a.begin(), of_a.end(), [&](Txn t) { return has(of_b, t); });
}

std::optional<Roles> Patterns::dirty_write() const {
  const auto place = [](const SeenRead& r, Txn t) {
    return std::find(r.writers.begin(), r.writers.end(), t);
  };
  for (const SeenRead& one : reads_) {
    for (const SeenRead& other : reads_) {
      if (one.key == other.key) continue;
      for (const Txn a : one.writers) {
        for (const Txn b : one.writers) {
          if (place(one, a) >= place(one, b) || place(other, b) >= place(other, a)) continue;
          if (place(other, a) == other.writers.end()) continue;
          return Roles{{one, other}, {a, b}, {}};
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<Roles> Patterns::circular_information_flow() const {
  for (const Txn a : members_) {
    for (const Txn b : members_) {
      const SeenRead* first = a < b ? saw(a, b) : nullptr;
      const SeenRead* second = first != nullptr ? saw(b, a) : nullptr;
      if (second != nullptr) return Roles{{*first, *second}, {a, b}, {}};
    }
  }
  return std::nullopt;
}

std::optional<Roles> Patterns::lost_update() const {
  for (const SeenRead& a : reads_) {
    for (const SeenRead& b : reads_) {
      if (a.reader >= b.reader || a.key != b.key || !same_source(a, b)) continue;
      if (has(a.writers, b.reader) || has(b.writers, a.reader) || a.version != b.version) continue;
      if (writes_key(a.reader, a.key) && writes_key(b.reader, a.key)) return Roles{{a, b}, {}, {}};
    }
  }
  return std::nullopt;
}

std::optional<Roles> Patterns::also_saw(const MissedWrite& missed) const {
  for (const SeenRead& r : reads_) {
    if (r.reader == missed.reader && r.key != missed.key && has(r.writers, missed.writer) && is_certain(r))
      return Roles{{r}, {missed.writer}, {}};
  }
  return std::nullopt;
}

std::optional<Roles> Patterns::non_repeatable_read() const {
  const auto differ = [&](const SeenRead& a, const SeenRead& b) {
    const bool list = h_.kind(a.op) == OpKind::list_read || h_.kind(b.op) == OpKind::list_read;
    return list ? a.writers != b.writers : a.version != b.version;
  };
  for (const SeenRead& a : reads_) {
    for (const SeenRead& b : reads_) {
      if (a.reader == b.reader && a.key == b.key && a.op < b.op && differ(a, b)) return Roles{{a, b}, {}, {}};
    }
  }
  return std::nullopt;
}

Roles roles_of(const History& history, const Counterexample& counterexample) {
  const Patterns patterns(history, counterexample.transactions);
  const std::vector<MissedWrite> missed = missed_writes(counterexample.derivation);
  std::optional<Roles> found;
  switch (counterexample.anomaly) {
    case Anomaly::dirty_write:
      found = patterns.dirty_write();
      break;
    case Anomaly::circular_information_flow:
      found = patterns.circular_information_flow();
      break;
    case Anomaly::lost_update:
      found = patterns.lost_update();
      break;
    case Anomaly::fractured_read:
    case Anomaly::observed_transaction_vanishes:
      if (missed.size() == 1) found = patterns.also_saw(missed.front());
      break;
    case Anomaly::non_repeatable_read:
      found = patterns.non_repeatable_read();
      break;
    default:
      break;
  }
  Roles roles = found.value_or(Roles{});
  roles.missed = missed;
  return roles;
}

}  // namespace assay::evidence
