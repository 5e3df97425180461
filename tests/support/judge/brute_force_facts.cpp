#include "support/judge/brute_force_facts.hpp"

#include <map>
#include <stdexcept>

namespace assay::brute {

namespace {

class FactFinder {
 public:
  FactFinder(const History& history, Reading reading) : h_(history), reading_(reading) {}

  Facts find() {
    if (h_.transactions() > kMost) throw std::invalid_argument("too many transactions for brute force");
    if (h_.has_queries()) {
      throw std::invalid_argument("brute force does not understand queries");
    }
    f_.transactions = static_cast<int>(h_.transactions());
    f_.keys = static_cast<int>(h_.keys());
    f_.has_lists = h_.has(OpKind::append) || h_.has(OpKind::list_read);
    f_.writers.assign(h_.keys(), 0);
    f_.appends.assign(h_.transactions(), std::vector<List>(h_.keys()));
    for (std::uint32_t k = 0; k < h_.keys(); ++k) initial_.push_back(h_.initial_version(Key{k}));
    f_.final_write.assign(h_.transactions(), initial_);
    for (const Txn t : h_.all_transactions()) {
      const Status status = h_.status(t);
      if (status == Status::committed) f_.committed |= bit(number(t));
      if (status == Status::unknown) f_.unknown |= bit(number(t));
      if (status != Status::aborted) writes_of(t);
      order_of(t);
    }
    refuse_strange_lists();
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::committed) reads_of(t);
    }
    for (ExternalRead& r : f_.reads) find_candidates(r);
    return std::move(f_);
  }

 private:
  static int number(Txn t) { return static_cast<int>(index(t)); }

  Key key_of(Op op) const { return h_.kind(op) == OpKind::list_read ? h_.list(op).key : h_.key(op); }

  void writes_of(Txn t) {
    for (const Op op : h_.operations_of(t)) {
      if (!writes(h_.kind(op))) continue;
      const std::uint32_t k = index(h_.key(op));
      f_.writers[k] |= bit(number(t));
      f_.final_write[index(t)][k] = h_.version(op);
      if (h_.kind(op) == OpKind::append) f_.appends[index(t)][k].push_back(h_.version(op));
    }
  }

  void order_of(Txn t) {
    Mask session = 0, time = 0;
    for (const Txn other : h_.all_transactions()) {
      if (reading_.session_order && h_.session_of(other) == h_.session_of(t) && other < t) {
        session |= bit(number(other));
      }
      if (h_.status(other) == Status::committed && h_.end(other) && h_.start(t) &&
          *h_.start(t) - *h_.end(other) > reading_.drift.count()) {
        time |= bit(number(other));
      }
    }
    f_.session_before.push_back(session);
    f_.time_before.push_back(time);
  }

  bool is_list(Key k) const { return list_keys_[index(k)]; }

  void refuse_strange_lists() {
    list_keys_.assign(h_.keys(), false);
    for (const Txn t : h_.all_transactions()) {
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) == OpKind::append || h_.kind(op) == OpKind::list_read) {
          list_keys_[index(key_of(op))] = true;
        }
      }
    }
    std::vector<int> appended(h_.versions(), 0);
    for (const Txn t : h_.all_transactions()) {
      for (const Op op : h_.operations_of(t)) {
        if (!is_list(key_of(op)) || h_.kind(op) == OpKind::list_read) continue;
        if (h_.kind(op) == OpKind::append) {
          if (h_.status(t) != Status::aborted && ++appended[index(h_.version(op))] > 1) {
            throw std::invalid_argument("an element was appended twice");
          }
        } else if (h_.kind(op) != OpKind::read || !h_.is_initial(h_.version(op))) {
          throw std::invalid_argument("a key is used as list and as register");
        }
      }
    }
  }

  void reads_of(Txn t) {
    std::vector<List> own(h_.keys());  // registers: the last write, lists: all appends
    for (const Op op : h_.operations_of(t)) {
      const Key key = key_of(op);
      List& mine = own[index(key)];
      if (writes(h_.kind(op))) {
        if (!is_list(key)) mine.clear();
        mine.push_back(h_.version(op));
        continue;
      }
      ExternalRead r;
      r.reader = number(t);
      r.key = static_cast<int>(index(key));
      r.is_list = is_list(key);
      r.after_own = !mine.empty();
      if (r.is_list) {
        if (h_.kind(op) == OpKind::list_read) {
          const auto elements = h_.list(op).elements;
          r.list.assign(elements.begin(), elements.end());
        }
        if (r.list.size() < mine.size() || !std::equal(mine.rbegin(), mine.rend(), r.list.rbegin())) {
          f_.possible = false;
          return;
        }
        r.list.resize(r.list.size() - mine.size());
      } else if (r.after_own) {
        if (mine.back() != h_.version(op)) f_.possible = false;
        continue;
      } else {
        r.seen = h_.version(op);
      }
      f_.reads.push_back(std::move(r));
    }
  }

  void find_candidates(ExternalRead& r) const {
    const auto k = static_cast<std::size_t>(r.key);
    if (r.is_list ? r.list.empty() : r.seen == initial_[k]) r.candidates.push_back(kInitial);
    for (int t = 0; t < f_.transactions; ++t) {
      if (t == r.reader || !writes_key(f_, t, r.key)) continue;
      const List& appended = f_.appends[static_cast<std::size_t>(t)][k];
      const bool wrote_it = r.is_list ? !r.list.empty() && std::find(appended.begin(), appended.end(),
                                                                     r.list.back()) != appended.end()
                                      : f_.final_write[static_cast<std::size_t>(t)][k] == r.seen;
      if (wrote_it) r.candidates.push_back(t);
    }
  }

  const History& h_;
  Reading reading_;
  Facts f_;
  std::vector<Version> initial_;
  std::vector<bool> list_keys_;
};

}  // namespace

Facts find_facts(const History& history, Reading reading) {
  return FactFinder(history, reading).find();
}

}  // namespace assay::brute
