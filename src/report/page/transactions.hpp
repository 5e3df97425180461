// The transactions that the page shows: chosen while stories are written, with the operations that matter, and
// at the end given out together with their neighbours in their sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "history/history.hpp"
#include "report/page/page_limits.hpp"

namespace assay::report {

class PageTransactions {
 public:
  PageTransactions(const History& history, const PageLimits& limits) : history_(history), limits_(limits) {}

  // Whether there was room for it.
  bool involve(Txn txn);
  // Operations of it on this key, or this operation, are shown before others.
  void matters(Txn txn, Key key);
  void matters(Op op) { operations_.insert(op); }

  nlohmann::ordered_json transactions() const;
  nlohmann::ordered_json sessions() const;

 private:
  nlohmann::ordered_json transaction(Txn txn) const;
  std::vector<Op> choose(IdRange<Op> operations, const std::set<Key>& keys, std::size_t most) const;
  std::optional<Key> key_of_operation(Op op) const;
  nlohmann::ordered_json operation_of(Op op, std::uint32_t position) const;
  std::optional<double> since_first(std::optional<std::int64_t> time) const;

  const History& history_;
  const PageLimits& limits_;
  std::map<Txn, std::set<Key>> involved_;
  std::set<Op> operations_;
  mutable std::optional<std::int64_t> first_;
};

}  // namespace assay::report
