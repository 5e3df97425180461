#include "report/words/read_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "history/query.hpp"
#include "report/printable.hpp"
#include "report/words/deed_words.hpp"
#include "report/words/query_words.hpp"
#include "report/words/value_words.hpp"

namespace assay::report {

namespace {

bool appends(const History& h, Txn t, Version v) {
  for (const Op op : h.operations_of(t)) {
    if (h.kind(op) == OpKind::append && h.version(op) == v) return true;
  }
  return false;
}

// The version that a transaction leaves of a register for others to see.
std::optional<Version> left_by(const History& h, Txn t, Key k) {
  std::optional<Version> last;
  for (const Op op : h.operations_of(t)) {
    if (writes(h.kind(op)) && h.key(op) == k) last = h.version(op);
  }
  return last;
}

// What the operation saw of a register or a row, if it is a read of it.
std::optional<Version> seen(const History& h, Op op, Key k) {
  if (is_query(h, op)) {
    for (const Version row : h.query(op).results) {
      if (h.key_of(row) == k) return row;
    }
    return std::nullopt;
  }
  if (h.kind(op) != OpKind::read || h.key(op) != k) return std::nullopt;
  return h.version(op);
}

}  // namespace

Op find_read(const History& h, Txn reader, Key key, Txn writer) {
  bool own = false;
  for (const Op op : h.operations_of(reader)) {
    if (h.kind(op) == OpKind::list_read) {
      if (h.list(op).key != key) continue;
      const auto list = h.list(op).elements;
      if (writer == kInitialTxn ||
          std::any_of(list.begin(), list.end(), [&](Version v) { return appends(h, writer, v); })) {
        return op;
      }
    } else if (writes(h.kind(op))) {
      own = own || h.key(op) == key;
    } else if (const auto version = seen(h, op, key); version && !own) {
      const Version left = writer == kInitialTxn ? h.initial_version(key)
                                                 : left_by(h, writer, key).value_or(h.initial_version(key));
      if (h.covers(*version, left)) return op;
    }
  }
  return check::kNoOp;
}

Op find_list_read(const History& h, Txn reader, Key key, Txn a, Txn b) {
  for (const Op op : h.operations_of(reader)) {
    if (h.kind(op) != OpKind::list_read || h.list(op).key != key) continue;
    bool seen_a = false;
    bool before = true;
    for (const Version v : h.list(op).elements) {
      if (appends(h, b, v)) before = before && seen_a;
      seen_a = seen_a || appends(h, a, v);
    }
    if (seen_a && before) return op;
  }
  return check::kNoOp;
}

bool ReadWords::is_list_of(Txn writer) const {
  if (h_.kind(read_) == OpKind::list_read) return true;
  if (writer == kInitialTxn) return false;
  for (const Op op : h_.operations_of(writer)) {
    if (h_.kind(op) == OpKind::append && h_.key(op) == key_) return true;
  }
  return false;
}

std::span<const Version> ReadWords::list() const {
  return h_.kind(read_) == OpKind::list_read ? h_.list(read_).elements : std::span<const Version>{};
}

std::string ReadWords::what() const {
  const std::string reader = naming_(h_.transaction_of(read_));
  const std::string key = printable(h_.name(key_));
  if (h_.kind(read_) == OpKind::list_read)
    return fmt::format("{} read {} of key {}", reader, elements(h_, list(), false), key);
  const auto version = seen(h_, read_, key_);
  if (!version) return reader + " " + did_not_see(h_, read_, key_);
  return fmt::format("{} read {} of key {}", reader, value_of(h_, *version), key);
}

std::string ReadWords::the_last_of(Txn writer) const {
  const auto all = list();
  for (std::size_t i = all.size(); i-- > 0;) {
    if (appends(h_, writer, all[i])) return value_told(h_, all[i]);
  }
  return "";
}

std::string ReadWords::the_missing_of(Txn writer) const {
  const auto all = list();
  for (const Op op : h_.operations_of(writer)) {
    if (h_.kind(op) != OpKind::append || h_.key(op) != key_) continue;
    if (std::find(all.begin(), all.end(), h_.version(op)) == all.end()) return value_told(h_, h_.version(op));
  }
  return "";
}

std::string ReadWords::from(Txn writer) const {
  if (writer == kInitialTxn) return what();
  if (is_list_of(writer))
    return fmt::format("{}, with the {} that {} appended", what(), the_last_of(writer), naming_(writer));
  const std::string_view did = did_to(h_, writer, key_);
  if (is_query(h_, read_) && !returned(h_, read_, key_))
    return fmt::format("{} because {} {} it", what(), naming_(writer), did);
  if (did == "deleted") return fmt::format("{}, which {} left by a delete", what(), naming_(writer));
  return fmt::format("{}, which {} {}", what(), naming_(writer), did);
}

std::string ReadWords::without(Txn writer) const {
  return fmt::format("{}, without the {} that {} appended", what(), the_missing_of(writer), naming_(writer));
}

std::string ReadWords::missing(Txn writer) const {
  if (is_list_of(writer)) return without(writer);
  const std::string_view did = did_to(h_, writer, key_);
  if (is_query(h_, read_) && !returned(h_, read_, key_))
    return fmt::format("{}, which {} {}", what(), naming_(writer), did);
  return fmt::format("{}, which {} {}", what(), naming_(writer), did == "deleted" ? did : "overwrote");
}

std::string ReadWords::from_and_without(Txn one, Txn other) const {
  const std::string missing = the_missing_of(other);
  if (missing.empty()) {
    return fmt::format("{}, with the {} that {} appended before the {} that {} did", what(), the_last_of(one),
                       naming_(one), the_last_of(other), naming_(other));
  }
  return fmt::format("{}, with the {} that {} appended and without the {} that {} did", what(),
                     the_last_of(one), naming_(one), missing, naming_(other));
}

}  // namespace assay::report
