// What a query says: key by key where a proof or an axiom speaks of one, and all at once, by
// the places of its keys and what a column of its rows holds, where an order is replayed (row_counts.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "history/history.hpp"
#include "history/predicate.hpp"
#include "level/level.hpp"

namespace assay::verify {

// What a read returned: a version; or, numbered behind all versions, a set of versions of which it saw one.
enum class Seen : std::uint32_t {};

// A query is a read of every key that it asked for, all at one moment. Of a returned row it saw that version;
// of any other key it saw the absence of a row or, if it has a predicate, a row that does not match. A read of rows
// asks for those that it returned. A predicate that is known by its identity alone matches the rows that it
// returned anywhere (committed transactions count), and asks for the keys of these. What is
// not clear (see below) keeps "holds" from being said; a violation only needs sets that are large enough.
class Queries {
 public:
  struct Answer {
    Key key;
    Seen seen;
  };
  // The keys that a query asks for follow each other, but for those of a learned predicate.
  struct Asked {
    Op query;
    std::uint32_t first, last;  // places of keys: from, and to before
    std::uint32_t predicate;    // its number; 0: a range, or a read of rows
    bool says_all;              // else what it did not return says nothing
  };
  enum class Of : std::uint8_t { every_key, returned_rows };

  // At repeatable read what was not returned says nothing.
  Queries(const History& history, Level level, const std::vector<bool>& is_list);

  const std::string& unclear() const { return unclear_; }
  // By key.
  std::vector<Answer> answers(Op query, Of what) const;
  // What it says of one key, if it says anything.
  std::optional<Seen> answer(Op query, Key k) const;
  // Ends where visit(version) is false.
  template <class Visit>
  void for_each_version(Seen seen, Visit visit) const {
    if (!is_set(seen)) {
      visit(Version{index(seen)});
      return;
    }
    for (const Version v : sets_[index(seen) - h_.versions()]) {
      if (!visit(v)) return;
    }
  }
  bool is_set(Seen seen) const { return index(seen) >= h_.versions(); }
  bool covers(Seen seen, Version written) const {
    if (!is_set(seen)) return index(seen) == index(written);
    const std::vector<Version>& set = sets_[index(seen) - h_.versions()];
    return std::binary_search(set.begin(), set.end(), written);
  }

  // Of committed transactions, by operation.
  std::span<const Asked> all() const { return asked_; }
  // Keys of registers, by place.
  std::span<const Key> keys() const { return keys_; }
  // Whether the query would have returned this version of a key that it asks for, for certain.
  bool returns(const Asked& asked, Version v) const {
    return !is_gone_[index(v)] && (asked.predicate == 0 || matches_for_certain(asked.predicate, v));
  }
  // What the predicate of a query is known to match, in increasing order; nothing if it was not learned.
  const std::vector<Version>* learned(std::uint32_t predicate) const {
    const auto found = learned_.find(predicate);
    return found == learned_.end() ? nullptr : &found->second;
  }
  const std::map<std::uint32_t, std::vector<Version>>& learned() const { return learned_; }
  // REQUIRES: it has a predicate that was not learned, and says all.
  const Predicate& meaning(const Asked& asked) const { return *meanings_[asked.predicate - std::size_t{1}]; }
  bool is_gone(Version v) const { return is_gone_[index(v)]; }
  // Whether it is a row that a predicate can be asked about.
  bool is_known_row(Version v) const { return is_row_[index(v)] && !is_gone_[index(v)] && !h_.is_initial(v); }

 private:
  void unclear(const char* why);
  // Which versions are rows and which the absence of one, and the keys of registers.
  void look_at_versions();
  void learn(Op op);
  void take(Op op);
  void look_at_results(const Asked& asked, const Query& query);
  std::uint32_t number_of(const Atom& predicate);
  std::pair<std::uint32_t, std::uint32_t> places(const Query& query, std::uint32_t predicate) const;
  const Asked* find(Op query) const;
  bool is_asked_for(const Asked& asked, Key k) const {
    if (const auto* const known = learned(asked.predicate)) {
      const auto at = std::lower_bound(known->begin(), known->end(), h_.initial_version(k));
      return at != known->end() && h_.key_of(*at) == k;
    }
    return asked.first <= place_[index(k)] && place_[index(k)] < asked.last;
  }
  bool is_loaded(Version v) const { return h_.is_initial(v) && is_row_[index(v)]; }
  bool may_match(std::uint32_t predicate, Version v) const {
    if (const auto* const known = learned(predicate)) {
      return std::binary_search(known->begin(), known->end(), v);
    }
    const Predicate& meaning = *meanings_[predicate - std::size_t{1}];
    return is_row_[index(v)] && (h_.is_initial(v) || meaning.matches(h_.name(h_.key_of(v)), h_.value(v)));
  }
  bool matches_for_certain(std::uint32_t predicate, Version v) const {
    return (learned(predicate) != nullptr || !is_loaded(v)) && may_match(predicate, v);
  }
  Seen not_returned(const Asked& asked, Key k) const;

  static constexpr std::uint32_t kNoPlace = 0xFFFFFFFFU;

  const History& h_;
  bool misses_count_;
  const std::vector<bool>& is_list_;  // per key
  std::string unclear_;
  std::vector<bool> is_row_, is_gone_;        // per version
  std::vector<Key> keys_;                     // of registers, in the order of ranges
  std::vector<std::uint32_t> place_;          // per key
  std::vector<std::uint32_t> loaded_before_;  // place -> how many keys before it had a row from the beginning
  std::vector<Asked> asked_;
  std::map<std::string, std::uint32_t> predicates_;  // numbered from 1
  std::vector<std::optional<Predicate>> meanings_;
  std::map<std::uint32_t, std::vector<Version>> learned_;  // by the number of the predicate
  // Sets that were asked for, made when they are.
  mutable std::vector<std::vector<Version>> sets_;
  mutable std::map<std::pair<std::uint32_t, Key>, Seen> not_returned_;
};

}  // namespace assay::verify
