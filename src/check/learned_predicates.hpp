// Predicates that are known only by their identity (history/predicate.hpp). Such a predicate matches the rows
// that some execution of it returned, and no others are known to match: a meaning that matches more would only
// forbid more (docs/levels.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/history.hpp"

namespace assay::check {

class LearnedPredicates {
 public:
  using Number = std::uint32_t;

  // Linear in the history, but for sorting what learned predicates returned.
  explicit LearnedPredicates(const History& history);

  Number count() const { return static_cast<Number>(matching_.size()); }
  // Of a query of a committed transaction; nothing if it has no such predicate.
  std::optional<Number> number_of(const Query& query) const;
  // In increasing order, so key by key.
  std::span<const Version> matching(Number predicate) const { return matching_[predicate]; }
  bool matches(Number predicate, Version v) const;
  // The predicates that are known to match a version.
  std::span<const Number> that_match(Version v) const;

 private:
  std::map<std::string, Number, std::less<>> numbers_;  // by the text of the predicate
  std::vector<std::vector<Version>> matching_;
  std::vector<std::uint32_t> first_;  // version -> its first in by_version_; one more than versions
  std::vector<Number> by_version_;
};

}  // namespace assay::check
