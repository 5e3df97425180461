// What the queries of a history ask for, in numbers that a replay can count with. All keys that a query can
// speak of stand in one order (key_order.hpp), and every version has a code: the rank of the number that it
// shows, then rows without a number, then rows of which no predicate can be sure, then the absence of a row.
// A query, range or predicate, is a rectangle: some places in a row, and some codes in a row. It returned as
// many rows as it should have iff the current codes at its places count as `expected`. A query by a learned
// predicate is no rectangle: it counts the current versions that the predicate is known to match.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check/learned_predicates.hpp"
#include "history/history.hpp"
#include "history/predicate.hpp"

namespace assay::check {

class QueryPlan {
 public:
  using Place = std::uint32_t;  // of a key
  using Code = std::uint32_t;   // of a version
  static constexpr Place kNoPlace = 0xFFFFFFFFU;

  struct Asked {
    Op query;
    Place first, last;                                 // from, and to before
    Code low, high;                                    // from, and to before
    std::uint32_t expected;                            // rows of its result that it counts
    std::optional<LearnedPredicates::Number> learned;  // then nothing is at its places
    bool counts(Code code) const { return low <= code && code < high; }
  };

  // `history` must outlive this object. Linear in it but for sorting, and bisection for each query.
  explicit QueryPlan(const History& history);

  // By operation; those of committed transactions that say something of what they did not return.
  std::span<const Asked> asked() const { return asked_; }
  std::span<const Asked> asked_by(Txn t) const;

  Place places() const { return static_cast<Place>(keys_.size()); }
  Place place_of(Key k) const { return place_[index(k)]; }
  Key key_at(Place place) const { return keys_[place]; }
  Code codes() const { return absent_ + 1; }
  Code code_of(Version v) const { return code_[index(v)]; }

  const LearnedPredicates& learned() const { return learned_; }

  // Not empty: why what queries returned, or did not, does not say all that it could.
  const std::string& left_out() const { return left_out_; }

 private:
  void learn_versions();
  void rank_numbers();
  void sort_keys();
  void take(Op op);
  std::pair<Place, Place> places_of(const Query& query, const std::optional<Predicate>& predicate) const;
  void leave_out(const std::string& why) {
    if (left_out_.empty()) left_out_ = why;
  }
  std::string name_of(Key k) const { return "key " + to_string(h_.name(k)); }

  const History& h_;
  const LearnedPredicates learned_;
  std::string left_out_;
  std::vector<bool> is_list_, is_loaded_;     // per key; loaded: there was a row before the first transaction
  std::vector<Key> keys_;                     // by place
  std::vector<Place> place_;                  // per key
  std::vector<std::uint32_t> loaded_before_;  // place -> how many loaded keys stand before it
  std::vector<std::int64_t> numbers_;         // by rank
  Code no_number_ = 0, unsure_ = 0, absent_ = 0;
  std::vector<Code> code_;  // per version
  std::vector<Asked> asked_;
  std::vector<std::uint32_t> last_query_;  // key -> the last query (+ 1) that returned it
};

}  // namespace assay::check
