// Reads in words: what was read, whose it was, and what was not in it. A list is told with its elements, and
// whoever appended to it by the element, so that each sentence can be checked against the input by eye.
#pragma once

#include <span>
#include <string>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "report/words/naming.hpp"

namespace assay::report {

// The read of `key` in which `reader` saw what `writer` wrote, or check::kNoOp.
Op find_read(const History& history, Txn reader, Key key, Txn writer);
// The list read of `reader` that shows an element of `a` and, after it or not at all, those of `b`, or
// check::kNoOp.
Op find_list_read(const History& history, Txn reader, Key key, Txn a, Txn b);

// What one read saw of one key.
class ReadWords {
 public:
  // REQUIRES: the operation reads the key.
  ReadWords(const History& history, Op read, Key key, const Naming& naming)
      : h_(history), read_(read), key_(key), naming_(naming) {}

  // Whether it is a list that `writer` appended to: reading nothing is reading an empty one.
  bool is_list_of(Txn writer) const;

  // Whether something that `writer` appended is not in the list.
  bool lacks(Txn writer) const { return !the_missing_of(writer).empty(); }

  // "T7 read [2,3] of key x".
  std::string what() const;
  // The same, and whose it was: ", which T1 wrote", ", with the 3 that T1 appended".
  std::string from(Txn writer) const;
  // The same, and what is missing from the list: ", without the 8 that T3 appended". REQUIRES: is_list_of(writer).
  std::string without(Txn writer) const;
  // What was read, and that the writer changed it later: ", which T3 overwrote", ", without the 8 that ...".
  std::string missing(Txn writer) const;
  // With what `seen` appended, and without what `other` did, or before that. REQUIRES: is_list_of(other).
  std::string from_and_without(Txn seen, Txn other) const;

 private:
  std::span<const Version> list() const;
  std::string the_last_of(Txn writer) const;
  std::string the_missing_of(Txn writer) const;

  const History& h_;
  const Op read_;
  const Key key_;
  const Naming& naming_;
};

}  // namespace assay::report
