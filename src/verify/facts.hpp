// What the operations of a history say, whatever the level.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.hpp"
#include "level/level.hpp"
#include "verify/lines.hpp"
#include "verify/queries.hpp"

namespace assay::verify {

// A read of one key by a committed transaction.
struct Read {
  Op op;
  Txn reader;
  Key key;
  bool is_list;
  bool after_own;                 // the transaction had written the key itself
  bool fits_own;                  // and the read shows that
  Seen seen;                      // of a register
  std::span<const Version> list;  // of a list: what stands before the transaction's own appends
};

// The begin or the commit of a transaction. Levels that do not tell them apart know only commits.
struct Event {
  Txn txn;
  bool begins;
  bool operator==(const Event&) const = default;
};
constexpr Event kInit{kInitialTxn, false};

// Transactions by what they wrote, each group in increasing order.
class Groups {
 public:
  Groups() = default;
  // `for_each(visit)` calls visit(group, transaction), in order of transactions.
  template <class ForEach>
  Groups(std::size_t groups, ForEach for_each) : begin_(groups + 1, 0) {
    for_each([&](auto group, Txn) { ++begin_[index(group) + 1]; });
    for (std::size_t i = 1; i <= groups; ++i) begin_[i] += begin_[i - 1];
    members_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for_each([&](auto group, Txn t) { members_[next[index(group)]++] = t; });
  }
  template <class Id>
  std::span<const Txn> operator[](Id group) const {
    return {members_.data() + begin_[index(group)], members_.data() + begin_[index(group) + 1]};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<Txn> members_;
};

// How to show a name of the input, for which nobody vouches, to a person.
using Show = std::string (*)(const Atom&);

class Facts {
 public:
  Facts(const History& history, Level level, Show show);

  const History& h;

  // A list that is a register too, or whose elements do not tell who appended them: proves nothing.
  bool is_muddled(Key k) const { return muddled_[index(k)]; }
  // "Holds" is said of all that the clients saw, or not at all.
  void require_understood() const;

  // The reads of a committed transaction in program order, of queries those of every key or those of the rows
  // that they returned. Valid until the next call.
  const std::vector<Read>& reads_of(Txn t, Queries::Of queries = Queries::Of::every_key);
  const Queries& queries() const { return *queries_; }
  bool covers(Seen seen, Version written) const { return queries_->covers(seen, written); }
  bool is_set(Seen seen) const { return queries_->is_set(seen); }
  template <class Visit>
  void for_each_version(Seen seen, Visit visit) const {
    queries_->for_each_version(seen, visit);
  }
  // All that a read of a list returned; reading nothing is reading the empty list.
  std::span<const Version> elements(Op op) const {
    return h.kind(op) == OpKind::list_read ? h.list(op).elements : std::span<const Version>{};
  }

  // The operations by which these transactions write: one transaction after the other, each by key and then
  // in program order.
  std::span<const Op> writes_of(IdRange<Txn> transactions) const;
  std::span<const Op> writes_of(Txn t) const { return writes_of(IdRange<Txn>{index(t), index(t) + 1}); }
  std::span<const Op> writes_of(Txn t, Key k) const;
  bool writes_key(Txn t, Key k) const { return !writes_of(t, k).empty(); }
  // visit(op, whether it is the transaction's last write of the key).
  template <class Visit>
  void for_each_write(Txn t, Visit visit) const {
    const std::span<const Op> all = writes_of(t);
    for (std::size_t i = 0; i < all.size(); ++i) {
      visit(all[i], i + 1 == all.size() || h.key(all[i + 1]) != h.key(all[i]));
    }
  }
  // What follows asks who wrote what.
  void find_writers();
  // The transactions that did not abort and whose last write of its key is this version; for an element of a
  // list, that appended it.
  std::span<const Txn> writers(Version v) const { return writers_[v]; }
  // Whoever can have written what a read of a register saw, kInitialTxn for the initial state. Ends where
  // visit(t) is false.
  template <class Visit>
  void for_each_candidate(const Read& read, Visit visit) const {
    queries_->for_each_version(read.seen, [&](Version v) {
      if (h.is_initial(v) && !visit(kInitialTxn)) return false;
      for (const Txn t : writers(v)) {
        if (t != read.reader && !visit(t)) return false;
      }
      return true;
    });
  }
  bool is_candidate(const Read& read, Txn t) const;
  // The one who can have written it, if there are not several.
  std::optional<Txn> only_candidate(const Read& read) const;
  // Whether a list shows something else than, transaction by transaction, all that others appended, once.
  bool is_torn(const Read& read) const;

  // --- what words speak of ---

  Txn transaction(std::string_view word) const;
  Txn writer(std::string_view word) const { return word == "init" ? kInitialTxn : transaction(word); }
  Event event(std::string_view word) const;
  Key key(std::uint64_t number) const;
  // "7.2" is the third operation of transaction 7; of a query "7.2/5" is what it says of key 5.
  Read read(std::string_view word) const;
  void require_of(bool condition, Txn t, const char* otherwise) const;
  void require_of(bool condition, Txn reader, Key k, const char* otherwise) const;

 private:
  Key key(Op op) const { return h.kind(op) == OpKind::list_read ? h.list(op).key : h.key(op); }

  void find_lists();

  void find_own_writes();
  // What t had written to the key before that operation.
  std::span<const Op> own_writes(Txn t, Op before, Key k) const;
  Read register_read(Txn t, Op op, Key k, Seen seen) const;
  Read list_read(Txn t, Op op) const;
  Read plain_read(Txn t, Op op) const;

  Show show_;
  std::vector<bool> is_list_, muddled_;  // per key
  std::optional<Queries> queries_;
  std::vector<Op> writes_;                   // transaction by transaction, each by key
  std::vector<std::uint32_t> writes_begin_;  // per transaction, in writes_
  std::vector<Read> reads_;
  Groups writers_;
};

// Whether one transaction ended before another started, by more than the clocks may disagree. One of unknown
// fate ended, for its client, when that gave up: nobody knows when it took effect.
bool ended_before(const History& h, Txn first, Txn second, std::chrono::nanoseconds drift);

// The rest of the lines: visit(event) for each event of an order.
template <class Visit>
void for_each_event(Lines& lines, const Facts& facts, Visit visit) {
  while (lines.more_lines()) {
    lines.next("order");
    do {
      const Event e = facts.event(lines.word());
      require(e != kInit, "the initial state is in the order");
      visit(e);
    } while (lines.more());
  }
}

}  // namespace assay::verify
