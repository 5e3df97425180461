#include "history/sub_history.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "history/builder.hpp"

namespace assay {

namespace {

constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

class Part {
 public:
  Part(const History& whole, std::span<const Txn> transactions, ListPart lists, PrivateWrites private_writes)
      : whole_(whole), lists_(lists), inside_(whole.transactions(), false) {
    part_.transactions.assign(transactions.begin(), transactions.end());
    for (const Txn t : transactions) inside_[index(t)] = true;
    find_writers();
    if (private_writes == PrivateWrites::are_left_out) find_shared_keys();
    if (whole.has(OpKind::append) || whole.has(OpKind::list_read)) find_lists();
  }

  SubHistory build() {
    build_.clocks(whole_.clocks());
    written_by_.assign(whole_.keys(), kNobody);
    for (const Txn t : part_.transactions) {
      build_.begin(build_.session(whole_.name(whole_.session_of(t))), whole_.name(t));
      for (const Op op : whole_.operations_of(t)) {
        if (!whole_.same_moment(op)) moment_ = op;
        if (!add(t, op)) continue;
        // Of one query: the one before it that was kept is of the same moment.
        const bool first = part_.operations.empty() || part_.operations.back() < whole_.operations_of(t)[0];
        if (!first && part_.operations.back() >= moment_) build_.same_moment();
        part_.operations.push_back(op);
      }
      build_.end(whole_.status(t), whole_.start(t), whole_.end(t));
    }
    part_.history = build_.finish();
    name_keys();
    return std::move(part_);
  }

 private:
  // Who can have written a version: whose last write of the key it is, unless aborted. Where there is none
  // the read is impossible, and all that wrote the version belong to the story.
  void find_writers() {
    possible_.assign(whole_.versions(), false);
    outside_.assign(whole_.versions(), false);
    touched_outside_.assign(whole_.versions(), false);
    for (std::uint32_t k = 0; k < whole_.keys(); ++k) possible_[index(whole_.initial_version(Key{k}))] = true;
    std::vector<std::uint32_t> seen(whole_.keys(), kNobody);
    for (const Txn t : whole_.all_transactions()) {
      const IdRange<Op> ops = whole_.operations_of(t);
      for (std::uint32_t i = ops.size(); i-- > 0;) {
        const OpKind kind = whole_.kind(ops[i]);
        if (!writes(kind)) continue;
        const std::uint32_t v = index(whole_.version(ops[i]));
        if (!inside_[index(t)]) touched_outside_[v] = true;
        std::uint32_t& last = seen[index(whole_.key(ops[i]))];
        const bool final_write = last != index(t) || kind == OpKind::append;
        last = index(t);
        if (!final_write || whole_.status(t) == Status::aborted) continue;
        possible_[v] = true;
        if (!inside_[index(t)]) outside_[v] = true;
      }
    }
  }

  // Keys that a member reads, or two of them write.
  void find_shared_keys() {
    shared_.assign(whole_.keys(), false);
    std::vector<std::uint32_t> writer(whole_.keys(), kNobody);
    for (const Txn t : part_.transactions) {
      for (const Op op : whole_.operations_of(t)) {
        const OpKind kind = whole_.kind(op);
        if (is_query(kind)) continue;  // left out
        const std::uint32_t k = index(kind == OpKind::list_read ? whole_.list(op).key : whole_.key(op));
        if (!writes(kind) || (writer[k] != kNobody && writer[k] != index(t))) shared_[k] = true;
        if (writes(kind)) writer[k] = index(t);
      }
    }
  }

  // Where it is not clear who appended what, nothing that a list shows is evidence.
  void find_lists() {
    is_list_.assign(whole_.keys(), false);
    appender_.assign(whole_.versions(), kNobody);
    for (const Op op : IdRange<Op>{0, whole_.operations()}) {
      if (whole_.kind(op) == OpKind::append) is_list_[index(whole_.key(op))] = true;
      if (whole_.kind(op) == OpKind::list_read) is_list_[index(whole_.list(op).key)] = true;
    }
    for (const Txn t : whole_.all_transactions()) {
      for (const Op op : whole_.operations_of(t)) {
        const OpKind kind = whole_.kind(op);
        if (kind == OpKind::list_read || is_query(kind)) continue;
        const Version v = whole_.version(op);
        if (!is_list_[index(whole_.key_of(v))]) continue;
        if (kind != OpKind::append) {
          if (kind != OpKind::read || !whole_.is_initial(v)) lists_understood_ = false;
          continue;
        }
        std::uint32_t& appender = appender_[index(v)];
        if (appender != kNobody && whole_.status(t) == Status::aborted) continue;
        if (appender != kNobody && whole_.status(Txn{appender}) != Status::aborted) lists_understood_ = false;
        appender = index(t);
      }
    }
  }

  // Of a read that saw one of several versions, everybody who can have written any of them must be inside.
  bool answered_inside(Version v) const {
    if (!whole_.is_set(v)) return written_inside(v);
    const std::span<const Version> all = whole_.members(v);
    const bool possible = std::any_of(all.begin(), all.end(), [&](Version m) { return possible_[index(m)]; });
    return std::all_of(all.begin(), all.end(), [&](Version m) {
      return possible && !possible_[index(m)] ? true : written_inside(m);
    });
  }
  bool written_inside(Version v) const {
    return possible_[index(v)] ? !outside_[index(v)] : !touched_outside_[index(v)];
  }

  Atom name(Key k) const { return whole_.name(k); }

  // Every key of the part is there because of an operation.
  void name_keys() {
    const auto key = [](const History& h, Op op) {
      return h.kind(op) == OpKind::list_read ? h.list(op).key : h.key(op);
    };
    part_.keys.resize(part_.history.keys());
    for (std::uint32_t i = 0; i < part_.operations.size(); ++i) {
      part_.keys[index(key(part_.history, Op{i}))] = key(whole_, part_.operations[i]);
    }
  }

  bool add(Txn t, Op op) {
    const OpKind kind = whole_.kind(op);
    if (is_query(kind)) return false;
    if (writes(kind) && !shared_.empty() && !shared_[index(whole_.key(op))]) return false;
    if (kind == OpKind::list_read) return add_list_read(t, op);
    const Version v = whole_.version(op);
    const Key k = whole_.key_of(v);
    if (kind == OpKind::read) {
      if (!is_list_.empty() && is_list_[index(k)]) {
        if (!lists_understood_) return false;
      } else if (written_by_[index(k)] != index(t) && !answered_inside(v)) {
        return false;  // what follows an own write is answered by the transaction itself
      }
      if (whole_.is_set(v)) {
        read_one_of(v, k);
      } else {
        whole_.is_initial(v) ? build_.read_initial(name(k)) : build_.read(name(k), whole_.value(v));
      }
      return true;
    }
    written_by_[index(k)] = index(t);
    switch (kind) {
      case OpKind::erase:
        whole_.is_initial(v) ? build_.erase(name(k)) : build_.erase(name(k), whole_.value(v));
        break;
      case OpKind::insert:
        build_.insert(name(k), whole_.value(v));
        break;
      case OpKind::append:
        build_.append(name(k), whole_.value(v));
        break;
      default:
        build_.write(name(k), whole_.value(v));
    }
    return true;
  }

  void read_one_of(Version set, Key k) {
    auto known = sets_.find(set);
    if (known == sets_.end()) {
      std::vector<std::optional<Atom>> members;
      for (const Version v : whole_.members(set)) {
        members.push_back(whole_.is_initial(v) ? std::nullopt : std::optional(whole_.value(v)));
      }
      known = sets_.emplace(set, build_.version_set(name(k), members)).first;
    }
    build_.read_one_of(known->second);
  }

  bool add_list_read(Txn t, Op op) {
    if (!lists_understood_) return false;
    const ListRead list = whole_.list(op);
    if (lists_ == ListPart::if_source_is_member) {
      std::size_t others = list.elements.size();
      while (others > 0 && appender_[index(list.elements[others - 1])] == index(t)) --others;
      if (others > 0 && !answered_inside(list.elements[others - 1])) return false;
    }
    std::vector<Atom> elements;
    for (const Version v : list.elements) {
      if (answered_inside(v)) elements.push_back(whole_.value(v));
    }
    build_.list_read(name(list.key), elements);
    return true;
  }

  const History& whole_;
  const ListPart lists_;
  std::vector<bool> inside_;                                // per transaction
  std::vector<bool> possible_, outside_, touched_outside_;  // per version
  std::vector<bool> is_list_;                               // per key; empty if there are none
  std::vector<bool> shared_;                                // per key; empty: all that is written stays
  std::vector<std::uint32_t> appender_;                     // per version
  bool lists_understood_ = true;
  SubHistory part_;
  HistoryBuilder build_;
  std::map<Version, HistoryBuilder::VersionSet> sets_;
  Op moment_{};                            // the first operation of the current moment
  std::vector<std::uint32_t> written_by_;  // per key: the last transaction that wrote it so far
};

}  // namespace

SubHistory sub_history(const History& whole, std::span<const Txn> transactions, ListPart lists,
                       PrivateWrites private_writes) {
  return Part(whole, transactions, lists, private_writes).build();
}

}  // namespace assay
