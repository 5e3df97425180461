#include "report/words/bad_read_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "evidence/bad_read.hpp"
#include "history/query.hpp"
#include "report/printable.hpp"
#include "report/words/deed_words.hpp"
#include "report/words/naming.hpp"
#include "report/words/query_words.hpp"
#include "report/words/value_words.hpp"

namespace assay::report {

using check::BadRead;

namespace {

class BadReadWords {
 public:
  BadReadWords(const History& history, const BadRead& bad)
      : h_(history), bad_(bad), reader_(full_name(history, bad.txn)), key_(key_of(history, bad)) {
    if (bad.write == bad.read) return;
    writer_ = full_name(history, history.transaction_of(bad.write));
    wrote_ = operation(history, bad.write);
  }

  std::string sentence() const { return h_.kind(bad_.read) == OpKind::list_read ? of_list() : of_register(); }

 private:
  std::string saw() const {
    if (h_.kind(bad_.read) == OpKind::list_read) {
      return fmt::format("{} read {} of key {}", reader_, elements(h_, list(), false),
                         printable(h_.name(*key_)));
    }
    if (!is_query(h_, bad_.read)) {
      return fmt::format("{} read {} of key {}", reader_, value_of(h_, h_.version(bad_.read)),
                         printable(h_.name(*key_)));
    }
    if (!returned(h_, bad_.read, *key_)) return reader_ + " " + did_not_see(h_, bad_.read, *key_);
    return fmt::format("{} {} and saw row {} as {}", reader_, asked_for(h_, bad_.read),
                       printable(h_.name(*key_)), value_of(h_, rows().front()));
  }

  std::string of_register() const {
    switch (bad_.kind) {
      case BadRead::Kind::internal:
        if (evidence::anomaly_of(h_, bad_) == Anomaly::duplicate_row) return of_row_twice();
        if (wrote_.empty()) break;
        return fmt::format("{}, although it had itself done {} before and should have seen that.", saw(),
                           wrote_);
      case BadRead::Kind::aborted:
        if (wrote_.empty()) return saw() + ", which only an aborted transaction wrote.";
        return fmt::format("{}, but that was written by {} ({}), which aborted.", saw(), writer_, wrote_);
      case BadRead::Kind::intermediate:
        if (wrote_.empty()) return saw() + ", which its writer overwrote before it committed.";
        return fmt::format(
            "{}, but {} overwrote that ({}) itself before it committed: nobody else may see it.", saw(),
            writer_, wrote_);
      case BadRead::Kind::future:
        return fmt::format("{}, which only this transaction itself writes, and only later.", saw());
      case BadRead::Kind::thin_air:
        if (is_query(h_, bad_.read) && !returned(h_, bad_.read, *key_))
          return saw() + ", although it was there from the beginning and nobody took it away.";
        return fmt::format("{}, but nobody ever wrote that.", saw());
      case BadRead::Kind::incompatible_order:
        return fmt::format("{}, but {} saw {}: no list can have been both.", saw(), writer_, wrote_);
    }
    return saw() + ", which contradicts what it had itself read or written before.";
  }

  // The versions of its row that a query returned.
  std::vector<Version> rows() const {
    std::vector<Version> found;
    if (!is_query(h_, bad_.read) || !key_) return found;
    for (const Version v : h_.query(bad_.read).results) {
      if (h_.key_of(v) == *key_ && std::find(found.begin(), found.end(), v) == found.end())
        found.push_back(v);
    }
    return found;
  }
  std::string of_row_twice() const {
    const std::vector<Version> both = rows();
    const Version own = h_.version(bad_.write);
    const auto other = std::find_if(both.begin(), both.end(), [&](Version v) { return v != own; });
    return fmt::format(
        "{} {} and was returned row {} twice: the version of its snapshot, {}, and its own, {}.", reader_,
        asked_for(h_, bad_.read), printable(h_.name(*key_)), value_of(h_, *other), value_of(h_, own));
  }

  std::span<const Version> list() const { return h_.list(bad_.read).elements; }
  std::string element() const { return value_told(h_, h_.version(bad_.write)); }

  std::string of_list() const {
    if (const auto twice = evidence::repeated_element(h_, bad_); twice && is_repeated()) {
      return fmt::format("{}, with the {} twice: nobody appended it twice.", saw(), value_told(h_, *twice));
    }
    switch (bad_.kind) {
      case BadRead::Kind::internal:
        return fmt::format("{}, although it had itself appended {} before: the list must end with that.",
                           saw(), own_appends());
      case BadRead::Kind::aborted:
        return fmt::format("{}, with the {} that {} appended, which aborted.", saw(), element(), writer_);
      case BadRead::Kind::intermediate:
      case BadRead::Kind::incompatible_order:
        if (bad_.write != bad_.read && h_.kind(bad_.write) == OpKind::append) return in_pieces();
        return fmt::format("{}, but {} read {} of that key: no list can have been both.", saw(), writer_,
                           elements(h_, h_.list(bad_.write).elements, false));
      case BadRead::Kind::future:
        return fmt::format("{}, with the {} that it appended itself only later.", saw(), element());
      case BadRead::Kind::thin_air:
        return fmt::format("{}, with the {} that nobody ever appended.", saw(), from_nowhere());
    }
    return "";
  }

  // "1", "1 and 2".
  std::string own_appends() const {
    std::vector<std::string> all;
    for (const Op op : h_.operations_of(bad_.txn)) {
      if (op == bad_.read) break;
      if (h_.kind(op) == OpKind::append && h_.key(op) == *key_) all.push_back(value_told(h_, h_.version(op)));
    }
    std::string out;
    for (std::size_t i = 0; i < all.size(); ++i)
      out += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i];
    return out;
  }

  // Of what a transaction appends to a list nobody else sees a part, or something in between.
  std::string in_pieces() const {
    const Txn writer = h_.transaction_of(bad_.write);
    std::string before, after;
    bool past = false;
    for (const Op op : h_.operations_of(writer)) {
      if (h_.kind(op) != OpKind::append || h_.key(op) != *key_) continue;
      past = past || op == bad_.write;
      if (op == bad_.write) continue;
      const std::string value = value_told(h_, h_.version(op));
      if (!past) before = value;
      if (past && after.empty()) after = value;
    }
    const bool next = bad_.kind == BadRead::Kind::intermediate;
    return fmt::format(
        "{}, where the {} that {} appended does not stand right {} its {}: nobody else may see that.", saw(),
        element(), writer_, next ? "before" : "after", next ? after : before);
  }

  std::string from_nowhere() const {
    const auto found = evidence::never_appended(h_, bad_);
    return found ? value_told(h_, *found) : "";
  }
  bool is_repeated() const { return evidence::anomaly_of(h_, bad_) == Anomaly::duplicate_elements; }

  const History& h_;
  const BadRead& bad_;
  const std::string reader_;
  const std::optional<Key> key_;
  std::string writer_, wrote_;  // empty where no other operation is to blame
};

}  // namespace

std::optional<Key> key_of(const History& history, const BadRead& bad) {
  switch (history.kind(bad.read)) {
    case OpKind::list_read:
      return history.list(bad.read).key;
    case OpKind::predicate_read:
    case OpKind::range_read:
    case OpKind::rows_read:
      return bad.row;
    default:
      return history.key(bad.read);
  }
}

std::string_view anomaly(const History& history, const BadRead& bad) {
  return info(evidence::anomaly_of(history, bad)).name;
}

std::string sentence(const History& history, const BadRead& bad) {
  return BadReadWords(history, bad).sentence();
}

}  // namespace assay::report
