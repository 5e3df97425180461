// A history: what the clients of a database sent and saw. Sessions of transactions of operations, plus what
// was known about each transaction's fate. Immutable once built (see builder.hpp), columnar, at most 24 bytes
// per operation.
//
// Numbering, on which every checker relies:
//   * transactions are numbered session by session, in session order: t and t+1 of one session follow each
//     other;
//   * operations are numbered transaction by transaction, in program order;
//   * versions are numbered key by key; the first version of each key is its initial version (what was there,
//     or was not, before the first transaction).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/atom.hpp"
#include "history/ids.hpp"
#include "memory/runs.hpp"

namespace assay {

enum class Status : std::uint8_t {
  committed,
  aborted,
  unknown,  // the client never learned; committed if and only if something that counts read from it
};

enum class OpKind : std::uint8_t {
  read,            // returned version(op); the initial version stands for "nothing written yet"
  write,           // blind or not: a history cannot tell and a checker must not care
  insert,          // a write that creates the key
  erase,           // a delete: writes the initial (absent) version, or a tombstone version of its own
  append,          // adds one element to the list at a key
  list_read,       // returned the whole list: see list(op)
  predicate_read,  // returned every row that matched: see query(op)
  range_read,      // the same for keys between two bounds
  rows_read,       // returned these rows, and says nothing of others: see query(op)
};
inline constexpr std::size_t kOpKinds = 9;

constexpr bool writes(OpKind kind) {
  return kind == OpKind::write || kind == OpKind::insert || kind == OpKind::erase || kind == OpKind::append;
}

// Whether it read rows of several keys at one moment.
constexpr bool is_query(OpKind kind) {
  return kind == OpKind::predicate_read || kind == OpKind::range_read || kind == OpKind::rows_read;
}

// Where the times of transactions come from; decides the default clock drift of the strict levels.
enum class Clocks : std::uint8_t { one, several };

// The result of a list read: the elements in list order, each the version that an append of it writes.
struct ListRead {
  Key key;
  std::span<const Version> elements;
};

// A predicate or range read: the predicate as text or id, or the bounds (absent means open), and the full
// result. A read of rows has neither, only the rows.
struct Query {
  std::optional<Atom> predicate;
  std::optional<Atom> low, high;
  std::span<const Version> results;
};

class History {
 public:
  std::uint32_t sessions() const { return static_cast<std::uint32_t>(session_names_.size()); }
  std::uint32_t transactions() const { return static_cast<std::uint32_t>(statuses_.size()); }
  std::uint32_t operations() const { return static_cast<std::uint32_t>(kinds_.size()); }
  std::uint32_t keys() const { return static_cast<std::uint32_t>(key_names_.size()); }
  std::uint32_t versions() const { return key_versions_[key_versions_.size()]; }

  IdRange<Txn> all_transactions() const { return {0, transactions()}; }
  IdRange<Txn> transactions_of(Session s) const {
    return {session_begin_[index(s)], session_begin_[index(s) + 1]};
  }
  Session session_of(Txn t) const { return Session{txn_sessions_[index(t)]}; }
  // 0 for the first transaction of a session.
  std::uint32_t position_in_session(Txn t) const {
    return index(t) - session_begin_[txn_sessions_[index(t)]];
  }

  Status status(Txn t) const { return statuses_[index(t)]; }
  bool has_times() const { return !starts_.empty(); }
  Clocks clocks() const { return clocks_; }
  // Nanoseconds, or nullopt where the input has no time for this transaction. A committed transaction was
  // certainly running at some moment between the two.
  std::optional<std::int64_t> start(Txn t) const { return time(starts_, t); }
  std::optional<std::int64_t> end(Txn t) const { return time(ends_, t); }

  IdRange<Op> operations_of(Txn t) const { return {op_begin_[index(t)], op_begin_[index(t) + 1]}; }
  Txn transaction_of(Op op) const;  // a binary search; for reports, not for loops
  OpKind kind(Op op) const { return kinds_[index(op)]; }

  // REQUIRES: kind(op) is read, write, insert, erase or append.
  Version version(Op op) const { return Version{payloads_[index(op)]}; }
  Key key(Op op) const { return key_of(version(op)); }
  // REQUIRES: kind(op) == OpKind::list_read.
  ListRead list(Op op) const;
  // REQUIRES: is_query(kind(op)).
  Query query(Op op) const;

  Key key_of(Version v) const { return Key{key_versions_.run_of(index(v))}; }
  Version initial_version(Key k) const { return Version{key_versions_[index(k)]}; }
  bool is_initial(Version v) const { return initial_version(key_of(v)) == v; }
  // The initial version first.
  IdRange<Version> versions_of(Key k) const { return {key_versions_[index(k)], key_versions_[index(k) + 1]}; }

  Atom name(Session s) const { return session_names_.get(index(s), texts_); }
  Atom name(Txn t) const { return txn_names_.get(index(t), texts_); }
  Atom name(Key k) const { return key_names_.get(index(k), texts_); }
  // REQUIRES: !is_initial(v).
  Atom value(Version v) const { return values_.get(index(v), texts_); }

  // A history whose queries were taken apart (check/expand.hpp) has more than a client can log.
  // A read may say no more than that it saw one of several versions of its key: a row that a query did not
  // return was absent, or was there and did not match. Such a set is numbered among the versions of its key;
  // nobody writes it.
  bool is_set(Version v) const { return !sets_.empty() && find_set(v) != nullptr; }
  // In increasing order. REQUIRES: is_set(v).
  std::span<const Version> members(Version v) const;
  // Whether a read that returned `seen` can have seen `written`.
  bool covers(Version seen, Version written) const {
    return seen == written || (!sets_.empty() && is_member(seen, written));
  }
  // Whether this operation saw the database at the same moment as the one before it: both are of one query.
  bool same_moment(Op op) const { return !same_moment_.empty() && same_moment_[index(op)]; }
  bool has_moments() const { return !same_moment_.empty(); }
  // Not empty: something that its clients saw is not in here, and what.
  const std::string& left_out() const { return left_out_; }

  // Whether the initial version is known to be a row (one that was loaded), and not the absence of one.
  bool initial_is_row(Key k) const { return !initial_rows_.empty() && initial_rows_[index(k)]; }

  // Which kinds of operations occur at all, so that a checker can refuse what it does not understand.
  bool has(OpKind kind) const { return kind_counts_[static_cast<std::size_t>(kind)] != 0; }
  bool has_queries() const {
    return has(OpKind::predicate_read) || has(OpKind::range_read) || has(OpKind::rows_read);
  }
  std::uint32_t count(OpKind kind) const { return kind_counts_[static_cast<std::size_t>(kind)]; }

  // Where it came from and what its reader had to assume: shown to the user, never interpreted.
  const std::string& path() const { return path_; }
  const std::string& format() const { return format_; }
  std::span<const std::string> notes() const { return notes_; }

  std::size_t resident_bytes() const;

 private:
  friend class HistoryBuilder;
  friend class PackedCodec;  // format/packed.cpp: moves whole columns to and from disk

  struct ListSpan {
    std::uint32_t key;
    std::uint64_t begin, end;  // in elements_
  };
  struct QuerySpan {
    std::uint64_t begin, end;  // in elements_
    // Indices into query_atoms_, or kNone.
    std::uint32_t predicate, low, high;
  };
  struct VersionSet {
    std::uint32_t version;
    std::uint64_t begin, end;  // in elements_
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::int64_t kNoTime = INT64_MIN;

  static std::optional<std::int64_t> time(const std::vector<std::int64_t>& column, Txn t) {
    if (column.empty() || column[index(t)] == kNoTime) return std::nullopt;
    return column[index(t)];
  }

  const VersionSet* find_set(Version v) const;
  bool is_member(Version set, Version written) const;

  // Per session.
  std::vector<std::uint32_t> session_begin_{0};  // first transaction; one more entry than sessions
  AtomColumn session_names_;
  // Per transaction.
  std::vector<std::uint32_t> op_begin_{0};  // first operation; one more entry than transactions
  std::vector<std::uint32_t> txn_sessions_;
  std::vector<Status> statuses_;
  AtomColumn txn_names_;
  std::vector<std::int64_t> starts_, ends_;  // both empty if no transaction has a time
  // Per operation.
  std::vector<OpKind> kinds_;
  std::vector<std::uint32_t> payloads_;  // a version, or an index into lists_ or queries_
  // Per key and version.
  AtomColumn key_names_;
  Runs key_versions_;
  AtomColumn values_;  // meaningless for initial versions
  // The few that need more than one version.
  std::vector<ListSpan> lists_;
  std::vector<QuerySpan> queries_;
  std::vector<std::uint32_t> elements_;
  AtomColumn query_atoms_;
  std::vector<VersionSet> sets_;    // by version
  std::vector<bool> same_moment_;   // per operation; empty if no query was taken apart
  std::vector<bool> initial_rows_;  // per key; empty if none is known to be a row

  TextPool texts_;
  std::uint32_t kind_counts_[kOpKinds] = {};
  Clocks clocks_ = Clocks::one;
  std::string path_, format_, left_out_;
  std::vector<std::string> notes_;
};

}  // namespace assay
