// Queries taken apart. A range or predicate read says something of every key that it asks for: of a row in
// its result, which version it saw; of a key without a row there, that it saw none, or one that does not
// match. So it is a read of each of these keys, all at one moment, where what was not returned is a read that
// saw one of several versions (History::is_set). The result has no queries, and all that decides and explains
// plain histories decides and explains it. A read of rows is a read of each row, all at one moment, and no more.
// Transactions and keys keep their numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::check {

// Repeatable read promises that rows once read stay as they were, and leaves open which others come and go.
enum class NotReturned : std::uint8_t { is_read, says_nothing };
constexpr NotReturned what_is_not_returned(Level level) {
  return level == Level::repeatable_read ? NotReturned::says_nothing : NotReturned::is_read;
}

struct Expanded {
  History history;              // its left_out() says which queries were not understood
  std::vector<Op> operations;   // -> of the original
  std::vector<bool> of_absent;  // per operation: a read of a key that a query did not return
};

// How many reads and members of version sets queries may come to, by what memory there is.
std::uint64_t most_expanded_reads(std::size_t memory_bytes);
inline constexpr std::uint64_t kMostExpandedReads = 30'000'000;

// About linear in the history and the pairs of a query and a key that it asks for. Where these are more than
// `most`, only the rows that queries returned become reads.
Expanded expand_queries(const History& history, NotReturned not_returned,
                        std::uint64_t most = kMostExpandedReads);

// For evidence about a few transactions, at prefix and stronger: of queries only theirs, and of what these did
// not return only keys of which one of them, or the initial state, has a version that would have been returned
// (any other says nothing among them), and `also`. What the others wrote and read by key stays.
Expanded expand_queries_among(const History& history, std::span<const Txn> transactions,
                              std::optional<Key> also = std::nullopt);

// What is said of an operation of the expanded history, said of the original one.
void speak_of_the_original(BadRead& bad, const Expanded& expanded);

}  // namespace assay::check
