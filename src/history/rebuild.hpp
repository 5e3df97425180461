// Feeds transactions of a finished history to a builder again: to merge histories, or to make one that
// differs a bit.
#pragma once

#include <vector>

#include "history/builder.hpp"
#include "history/history.hpp"

namespace assay {

class Rebuild {
 public:
  Rebuild(const History& from, HistoryBuilder& into)
      : from_(from), into_(into), keys_(from.keys(), kUnknown) {}

  // Looks up all keys at once, which is quicker than one by one as operations need them.
  void all_keys();

  // The whole transaction, into the session of the same name. A single-version operation on a version for
  // which is_initial(version) holds becomes one on the initial version. REQUIRES: no write, insert or append,
  // and no element of a list, names such a version, and no row of a query one that is not initial already.
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
      case OpKind::rows_read:
        return query(op);
      default: {
        const Version v = from_.version(op);
        const Key key = there(from_.key_of(v));
        if (is_initial(v)) return into_.operation(kind, key);
        return into_.operation(kind, key, from_.value(v));
      }
    }
  }

 private:
  static constexpr Key kUnknown{0xFFFFFFFFU};

  // The key of the same name in the builder.
  Key there(Key key) {
    Key& known = keys_[index(key)];
    if (known == kUnknown) known = into_.key(from_.name(key));
    return known;
  }
  void list_read(Op op);
  void query(Op op);

  const History& from_;
  HistoryBuilder& into_;
  std::vector<Key> keys_;  // of from_ -> of into_
  std::vector<Atom> elements_;
  std::vector<Row> rows_;
};

}  // namespace assay
