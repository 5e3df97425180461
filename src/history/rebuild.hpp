// Feeds transactions of a finished history to a builder again: to merge histories, or to make one that
// differs a bit.
#pragma once

#include <vector>

#include "history/builder.hpp"
#include "history/history.hpp"

namespace assay {

class Rebuild {
 public:
  Rebuild(const History& from, HistoryBuilder& into) : from_(from), into_(into) {}

  // The whole transaction, into the session of the same name. A single-version operation on a version for
  // which is_initial(version) holds becomes one on the initial version. REQUIRES: no write, insert or append,
  // and no element of a list or query, names such a version.
  template <class IsInitial>
  void transaction(Txn t, IsInitial is_initial) {
    into_.begin(into_.session(from_.name(from_.session_of(t))), from_.name(t));
    for (const Op op : from_.operations_of(t)) operation(op, is_initial);
    into_.end(from_.status(t), from_.start(t), from_.end(t));
  }
  void transaction(Txn t) {
    transaction(t, [this](Version v) { return from_.is_initial(v); });
  }

  // One operation, into the open transaction.
  template <class IsInitial>
  void operation(Op op, IsInitial is_initial) {
    switch (const OpKind kind = from_.kind(op); kind) {
      case OpKind::list_read:
        return list_read(op);
      case OpKind::predicate_read:
      case OpKind::range_read:
        return query(op);
      default: {
        const Version v = from_.version(op);
        const Atom key = from_.name(from_.key_of(v));
        if (is_initial(v)) return kind == OpKind::erase ? into_.erase(key) : into_.read_initial(key);
        const Atom value = from_.value(v);
        switch (kind) {
          case OpKind::write:
            return into_.write(key, value);
          case OpKind::insert:
            return into_.insert(key, value);
          case OpKind::erase:
            return into_.erase(key, value);
          case OpKind::append:
            return into_.append(key, value);
          default:
            return into_.read(key, value);
        }
      }
    }
  }

 private:
  void list_read(Op op);
  void query(Op op);

  const History& from_;
  HistoryBuilder& into_;
  std::vector<Atom> elements_;
  std::vector<Row> rows_;
};

}  // namespace assay
