// What reads alone reveal. Reduces a history to what the levels constrain (for each transaction the last
// write per key and the reads of other transactions' writes, each with the writes it can have seen) and finds
// the reads that no level allows. Every checker starts from the result.
#pragma once

#include <cassert>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "memory/huge_pages.hpp"
#include "memory/prefetch.hpp"
#include "memory/runs.hpp"

namespace assay::check {

// The last write of one transaction to one key: what others can see of it. Numbered key by key; the first of
// each key is the initial write (writer kInitialTxn), the others follow in order of their transactions, so
// session by session. Writes of transactions that do not count are left out.
enum class Write : std::uint32_t {};

// Whether a transaction takes part.
enum class Presence : std::uint8_t {
  present,      // committed, or of unknown fate and the only possible writer of something that was read
  absent,       // aborted, or of unknown fate and nobody can have read from it
  conditional,  // of unknown fate, and one of several possible writers of what was read: counts iff it is
                // chosen
};

// What a read saw: one write, or a set of candidates where several wrote the same value.
class Source {
 public:
  static constexpr Source of(Write write) { return Source(index(write)); }
  static constexpr Source ambiguous(std::uint32_t set) { return Source(set | kAmbiguous); }
  constexpr bool is_ambiguous() const { return (bits_ & kAmbiguous) != 0; }
  // REQUIRES: !is_ambiguous().
  constexpr Write write() const {
    assert(!is_ambiguous());
    return Write{bits_};
  }
  // REQUIRES: is_ambiguous().
  constexpr std::uint32_t set() const {
    assert(is_ambiguous());
    return bits_ & ~kAmbiguous;
  }
  constexpr auto operator<=>(const Source&) const = default;

 private:
  static constexpr std::uint32_t kAmbiguous = 0x80000000U;
  explicit constexpr Source(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

class Reads {
 public:
  std::uint32_t transactions() const { return static_cast<std::uint32_t>(presence_.size()); }
  std::uint32_t keys() const { return key_begin_.size(); }
  std::uint32_t writes() const { return static_cast<std::uint32_t>(writers_.size()); }

  Presence presence(Txn t) const { return presence_[index(t)]; }

  // All writes of a key, the initial one first.
  IdRange<Write> writes_of(Key k) const {
    return {key_begin_[index(k)], key_begin_[index(k) + std::size_t{1}]};
  }
  Write initial_write(Key k) const { return Write{key_begin_[index(k)]}; }
  bool is_initial(Write w) const { return writers_[index(w)] == kInitialTxn; }
  Txn writer(Write w) const { return writers_[index(w)]; }
  Key key(Write w) const { return Key{key_begin_.run_of(index(w))}; }

  // The writes of a transaction; empty if it is absent. Sorted by key.
  std::span<const Write> writes_of(Txn t) const {
    return {txn_writes_.data() + txn_write_begin_[index(t)],
            txn_writes_.data() + txn_write_begin_[index(t) + 1]};
  }
  // The reads of a committed transaction that others answered, in program order, repetitions included: the
  // reads of keys that it had not written itself before. Empty for every other status: such reads are not
  // evidence.
  std::span<const Source> reads_of(Txn t) const {
    return {sources_.data() + txn_read_begin_[index(t)], sources_.data() + txn_read_begin_[index(t) + 1]};
  }
  // These come at random; a loop that knows early what it will ask for can say so.
  void prefetch_writer(Write w) const { prefetch(writers_.data() + index(w)); }
  void prefetch_where_writes_begin(Txn t) const { prefetch(txn_write_begin_.data() + index(t)); }

  // Two or more writes of one key, in increasing order.
  std::span<const Write> candidates(std::uint32_t set) const {
    return {candidates_.data() + set_begin_[set], candidates_.data() + set_begin_[set + 1]};
  }
  std::uint32_t ambiguous_sets() const { return static_cast<std::uint32_t>(set_begin_.size() - 1); }
  Key key(Source s) const { return key(s.is_ambiguous() ? candidates(s.set())[0] : s.write()); }

  // From list reads: pairs of transactions whose writes of a key are in known order (a chain per key, then an
  // edge from its end to each writer whose element nobody saw).
  struct VersionOrder {
    Txn before, after;
    Key key;
    Txn shown_by;  // whose list read shows it
  };
  // Sorted by `before`, then `after`.
  std::span<const VersionOrder> version_orders() const { return version_orders_; }

  // The known order of these two, or nullptr.
  const VersionOrder* version_order(Txn before, Txn after) const;

  // Reads that violate every level, in order of transactions.
  std::span<const BadRead> bad_reads() const { return bad_reads_; }
  // Not empty: why "holds" cannot be said of this history at any level, whatever the checkers find ("it has
  // predicate reads"). "Violated" still can: leaving a read out only removes constraints.
  const std::string& not_understood() const { return not_understood_; }

  // The operation behind the i-th read in reads_of(t); for evidence, not for loops.
  // REQUIRES: bad_reads().empty(), and the history has no queries.
  static Op operation_of_read(const History& history, Txn t, std::uint32_t i);

  std::size_t resident_bytes() const;

 private:
  friend class ReadResolver;
  std::vector<Presence> presence_;
  Runs key_begin_;
  LargeVector<Txn> writers_;
  std::vector<std::uint32_t> txn_write_begin_{0};
  LargeVector<Write> txn_writes_;
  std::vector<std::uint32_t> txn_read_begin_{0};
  LargeVector<Source> sources_;
  std::vector<std::uint32_t> set_begin_{0};
  std::vector<Write> candidates_;
  std::vector<VersionOrder> version_orders_;
  std::vector<BadRead> bad_reads_;
  std::string not_understood_;
};

// Which reads queries are: none, and then "holds" cannot be said; or the rows that they returned, where
// somebody else looks at what they did not return.
enum class QueryReads : std::uint8_t { none, returned_rows };

// Linear in the history. `fates`, if given, says of each transaction whether it takes part (none is
// conditional).
Reads resolve_reads(const History& history, std::span<const Presence> fates = {},
                    QueryReads queries = QueryReads::none);

}  // namespace assay::check
