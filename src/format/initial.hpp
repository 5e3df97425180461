// The state before the first transaction, where an input shows it in its own way: as a transaction that wrote
// it, or as values that nobody wrote. Both are turned into what a History calls the initial version of a key.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "format/read_options.hpp"
#include "history/builder.hpp"
#include "history/history.hpp"

namespace assay::format {

// Feeds a builder with values that may be null, or 0, as ReadOptions::initial wants them understood: null is
// the initial state except with `none`, where it is a value like any other; 0 is the initial state only with
// `zero`.
class InitialValues {
 public:
  InitialValues(HistoryBuilder& build, Initial initial) : build_(build), initial_(initial) {}

  // No value: the input has null (or whatever it writes instead).
  void read(const Atom& key, const std::optional<Atom>& value) {
    const std::optional<Atom> seen = meaning(value);
    seen ? build_.read(key, *seen) : build_.read_initial(key);
  }
  // A write of what counts as the initial value is a delete: the one operation that brings the initial
  // version back. REQUIRES: kind is write or insert with a value, or erase with or without its tombstone.
  void write(OpKind kind, const Atom& key, const std::optional<Atom>& value);
  // The value of a row, or none for the initial one.
  std::optional<Atom> meaning(const std::optional<Atom>& value) const {
    if (!value) return initial_ == Initial::none ? std::optional(Atom::json("null")) : std::nullopt;
    if (initial_ == Initial::zero && *value == Atom::integer(0)) return std::nullopt;
    return value;
  }
  // Tells the user if a write had to be shown as a delete. Call before HistoryBuilder::finish().
  void add_notes();

 private:
  HistoryBuilder& build_;
  Initial initial_;
  bool rewrote_initial_ = false;
};

// The same history without transaction `writer`, whose writes become the initial versions: who read them
// reads the initial state. Throws InputError if `writer` cannot be that: it did not commit, it reads, or it
// appends to lists.
History fold_initial_transaction(const History& history, Txn writer);

// The same history with other initial versions and without some transactions (in increasing order). `initial`
// has one entry per key; where it names a version,
//   * that version is the key's initial version from now on, so a read of it is a read of the initial state,
//     and a write of it by somebody else becomes a delete: the one operation that brings the initial version
//     back;
//   * what was the initial version before ("there is no such row") becomes the ordinary value null: nobody
//     can have seen it, except after a delete.
// To a query these are rows that were there, but for the value 0 where the format says that it is no row.
// `note`, if not empty, joins the notes of the history.
enum class Zero : std::uint8_t { is_a_row, is_no_row };
History with_initial_versions(const History& history, std::span<const std::optional<Version>> initial,
                              std::span<const Txn> without, Zero zero, const std::string& note = {});

}  // namespace assay::format
