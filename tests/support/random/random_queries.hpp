// Tiny random histories with inserts, deletes and queries of every kind, as drafts that can be made
// smaller piece by piece.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "history/history.hpp"
#include "support/random/random_history.hpp"

namespace assay {

struct QueryDraft {
  // No value: the initial state.
  using Value = std::optional<std::int64_t>;
  struct Operation {
    OpKind kind = OpKind::read;
    std::int64_t key = 0;
    Value value;
    Value low, high;        // range reads
    std::string predicate;  // predicate reads
    std::map<std::int64_t, Value> rows;
  };
  struct Transaction {
    std::uint32_t session = 0;
    Status status = Status::committed;
    std::vector<Operation> operations;
    std::optional<std::int64_t> start{}, end{};
  };
  std::vector<Transaction> transactions;  // in session order
  bool columns = false;                   // a value stands for a row with columns (random_predicates.hpp)
  bool named = false;                     // keys are texts, in two tables

  History build() const;
  std::string text() const;
};

// A run of a store (serial, with snapshots, or statement by statement), in half of the cases with one result
// changed.
// `learned`: the share of the predicates that are known by their identity alone.
QueryDraft random_query_draft(Rng& rng, std::uint32_t most_transactions, double learned = 0.25);

// Gives all transactions times, by which sessions run side by side.
void draw_times(Rng& rng, QueryDraft& draft);

// Removes transactions, operations and rows while the predicate stays true. REQUIRES: still_fails(draft).
QueryDraft shrink(QueryDraft draft, const std::function<bool(const QueryDraft&)>& still_fails);

}  // namespace assay
