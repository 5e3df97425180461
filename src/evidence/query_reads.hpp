// What a query says, as the verifier understands it and without asking the checker: a read of every key that
// it asked for, all at one moment. Of a returned row it saw that version; of any other key it saw the absence
// of a row or, if it has a predicate, a row that does not match.
#pragma once

#include <optional>
#include <vector>

#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::evidence {

inline bool has_queries(const History& history) {
  return history.has(OpKind::predicate_read) || history.has(OpKind::range_read);
}

struct QueryReads {
  History history;             // without queries; its left_out() says what of them is missing
  std::vector<Op> operations;  // -> of the original; increasing

  // The read of a key that an operation of the original made.
  std::optional<Op> read_of(Op original, Key k) const;
  // What has become of an operation of the original that is no query.
  Op only(Op original) const;
};

// A history without queries stays what it is. At repeatable read what was not returned says nothing.
QueryReads take_queries_apart(const History& history, Level level);

}  // namespace assay::evidence
