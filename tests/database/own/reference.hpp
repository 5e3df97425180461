// A slow, direct reading of the levels (Biswas and Enea 2019, section 2) for small histories with unique
// values, to judge what the generator makes. It shares nothing with the checkers: the weak levels collect the
// commit-order edges that their axioms force and look for a cycle; the strong ones try to run the history,
// begin by begin and commit by commit, remembering the states they have been in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::database::reference {

using Content =
    std::vector<Version>;  // of a register: one version, or none before the first write; of a list: all

struct ExternalRead {
  Key key;
  Content seen;
};

struct Transaction {
  Session session{};
  std::vector<ExternalRead> reads;  // in program order
  std::map<Key, Content> writes;    // register: the last version; list: its elements
  std::optional<std::int64_t> start, end;
};

class Reference {
 public:
  explicit Reference(const History& history) : history_(history) { extract(); }

  bool satisfies(Level level) const {
    if (bad_) return false;
    switch (level) {
      case Level::read_committed:
      case Level::read_atomic:
      case Level::causal:
        return forced_edges_are_acyclic(level);
      default:
        return can_be_run(level);
    }
  }

 private:
  static constexpr std::uint32_t kInitial = 0xFFFFFFFFU;

  bool list_key(Key k) const { return list_keys_.count(k) != 0; }

  void extract() {
    std::vector<bool> counts(history_.transactions());
    for (const Txn t : history_.all_transactions())
      counts[index(t)] = history_.status(t) == Status::committed;
    for (std::uint32_t op = 0; op < history_.operations(); ++op) {
      if (history_.kind(Op{op}) == OpKind::append) list_keys_.insert(history_.key(Op{op}));
    }
    // An unknown transaction counts if a committed one read from it: its own reads are no evidence, so one
    // pass does.
    std::set<Version> seen;
    for (const Txn t : history_.all_transactions()) {
      if (!counts[index(t)]) continue;
      for (const Op op : history_.operations_of(t)) {
        switch (history_.kind(op)) {
          case OpKind::read:
            seen.insert(history_.version(op));
            break;
          case OpKind::list_read:
            for (const Version v : history_.list(op).elements) seen.insert(v);
            break;
          case OpKind::range_read:
          case OpKind::rows_read:
            for (const Version v : history_.query(op).results) seen.insert(v);
            break;
          default:
            break;
        }
      }
    }
    for (const Txn t : history_.all_transactions()) {
      if (history_.status(t) != Status::unknown) continue;
      for (const Op op : history_.operations_of(t)) {
        if (writes(history_.kind(op)) && seen.count(history_.version(op)) != 0) counts[index(t)] = true;
      }
    }
    for (const Txn t : history_.all_transactions()) {
      if (counts[index(t)]) add(t);
    }
    for (std::uint32_t t = 0; t < transactions_.size(); ++t) {
      for (const auto& [key, content] : transactions_[t].writes) {
        writers_[content.back()] = t;
        for (const Version v : content) element_writers_[v] = t;
      }
    }
    for (const Transaction& txn : transactions_) {
      for (const ExternalRead& read : txn.reads) {
        // Only the last write of a committed transaction may be seen.
        if (!read.seen.empty() && writers_.count(read.seen.back()) == 0) bad_ = true;
        for (const Version v : read.seen) bad_ = bad_ || element_writers_.count(v) == 0;
        if (list_key(read.key)) {
          Content& longest = longest_[read.key];
          const std::size_t shared = std::min(longest.size(), read.seen.size());
          if (!std::equal(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(shared),
                          read.seen.begin())) {
            bad_ = true;
          }
          if (read.seen.size() > longest.size()) longest = read.seen;
        }
      }
    }
  }

  void add(Txn t) {
    Transaction txn;
    txn.session = history_.session_of(t);
    txn.start = history_.start(t);
    txn.end = history_.end(t);
    const bool evidence = history_.status(t) == Status::committed;
    const auto read = [&](Key key, Content seen) {
      const auto own = txn.writes.find(key);
      if (own != txn.writes.end() && !list_key(key)) {
        bad_ = bad_ || (evidence && seen != own->second);
      } else if (own != txn.writes.end()) {
        const Content& mine = own->second;
        if (seen.size() < mine.size() || !std::equal(mine.rbegin(), mine.rend(), seen.rbegin())) {
          bad_ = true;
        } else {
          seen.resize(seen.size() - mine.size());
          if (evidence) txn.reads.push_back({key, std::move(seen)});
        }
      } else if (evidence) {
        txn.reads.push_back({key, std::move(seen)});
      }
    };
    const auto of_version = [&](Version v) { return history_.is_initial(v) ? Content{} : Content{v}; };
    for (const Op op : history_.operations_of(t)) {
      switch (history_.kind(op)) {
        case OpKind::read:
          read(history_.key(op), of_version(history_.version(op)));
          break;
        case OpKind::list_read: {
          const ListRead list = history_.list(op);
          read(list.key, Content(list.elements.begin(), list.elements.end()));
          break;
        }
        case OpKind::range_read: {
          // A read of every key in the range; a key that is not in the result was not there. (Erased rows
          // would make "not there" ambiguous: histories with both are not given to this reference.)
          const Query query = history_.query(op);
          std::map<Key, Version> rows;
          for (const Version v : query.results) rows.emplace(history_.key_of(v), v);
          for (std::uint32_t k = 0; k < history_.keys(); ++k) {
            const auto name = static_cast<std::int64_t>(history_.name(Key{k}).bits);
            if (list_key(Key{k}) || name < static_cast<std::int64_t>(query.low->bits) ||
                name > static_cast<std::int64_t>(query.high->bits)) {
              continue;
            }
            const auto row = rows.find(Key{k});
            read(Key{k}, row == rows.end() ? Content{} : Content{row->second});
          }
          break;
        }
        case OpKind::append:
          txn.writes[history_.key(op)].push_back(history_.version(op));
          break;
        case OpKind::write:
        case OpKind::insert:
        case OpKind::erase:
          txn.writes[history_.key(op)] = {history_.version(op)};
          break;
        case OpKind::rows_read:
          for (const Version v : history_.query(op).results) read(history_.key_of(v), Content{v});
          break;
        case OpKind::predicate_read:
          bad_ = true;
          break;
      }
    }
    transactions_.push_back(std::move(txn));
  }

  std::uint32_t source(const ExternalRead& read) const {
    return read.seen.empty() ? kInitial : writers_.at(read.seen.back());
  }

  bool forced_edges_are_acyclic(Level level) const {
    const std::size_t n = transactions_.size();
    std::vector<std::vector<bool>> known(n, std::vector<bool>(n, false));  // so and wr
    for (std::uint32_t t = 0; t < n; ++t) {
      for (std::uint32_t u = t + 1; u < n; ++u)
        known[t][u] = transactions_[t].session == transactions_[u].session;
      for (const ExternalRead& read : transactions_[t].reads) {
        const std::uint32_t w = source(read);
        if (w == t) return false;
        if (w != kInitial) known[w][t] = true;
      }
    }
    std::vector<std::vector<bool>> visible = known;
    if (level == Level::causal) close(visible);
    std::vector<std::vector<bool>> order = known;
    for (const auto& [key, longest] : longest_) {
      for (std::size_t i = 0; i + 1 < longest.size(); ++i) {
        const std::uint32_t a = element_writers_.at(longest[i]);
        const std::uint32_t b = element_writers_.at(longest[i + 1]);
        if (a != b) order[a][b] = true;
      }
      for (std::uint32_t t = 0; t < n && !longest.empty(); ++t) {
        const auto own = transactions_[t].writes.find(key);
        const std::uint32_t last = element_writers_.at(longest.back());
        if (own == transactions_[t].writes.end() || t == last) continue;
        if (std::find(longest.begin(), longest.end(), own->second.front()) == longest.end())
          order[last][t] = true;
      }
    }
    for (std::uint32_t t3 = 0; t3 < n; ++t3) {
      const auto& reads = transactions_[t3].reads;
      for (std::size_t i = 0; i < reads.size(); ++i) {
        const std::uint32_t t1 = source(reads[i]);
        for (std::uint32_t t2 = 0; t2 < n; ++t2) {
          if (t2 == t1 || t2 == t3 || transactions_[t2].writes.count(reads[i].key) == 0) continue;
          bool sees = visible[t2][t3];
          if (level == Level::read_committed) {
            sees = std::any_of(reads.begin(), reads.begin() + static_cast<std::ptrdiff_t>(i),
                               [&](const ExternalRead& earlier) { return source(earlier) == t2; });
          }
          if (!sees) continue;
          if (t1 == kInitial) return false;
          order[t2][t1] = true;
        }
      }
    }
    close(order);
    for (std::uint32_t t = 0; t < n; ++t) {
      if (order[t][t]) return false;
    }
    return true;
  }

  static void close(std::vector<std::vector<bool>>& relation) {
    const std::size_t n = relation.size();
    for (std::size_t via = 0; via < n; ++via) {
      for (std::size_t from = 0; from < n; ++from) {
        if (!relation[from][via]) continue;
        for (std::size_t to = 0; to < n; ++to) {
          if (relation[via][to]) relation[from][to] = true;
        }
      }
    }
  }

  // A state of the run: how far each session is, which transactions have begun and not committed, what keys
  // hold.
  struct State {
    std::vector<std::uint32_t> next;
    std::vector<bool> begun;
    std::map<Key, Content> content;
    std::string fingerprint() const {
      std::string bytes;
      for (const std::uint32_t n : next) bytes += std::to_string(n) + ",";
      for (const bool b : begun) bytes += b ? '1' : '0';
      for (const auto& [key, versions] : content) {
        bytes += ";" + std::to_string(index(key));
        for (const Version v : versions) bytes += "." + std::to_string(index(v));
      }
      return bytes;
    }
  };

  bool can_be_run(Level level) const {
    std::vector<std::vector<std::uint32_t>> sessions(history_.sessions());
    for (std::uint32_t t = 0; t < transactions_.size(); ++t) {
      sessions[index(transactions_[t].session)].push_back(t);
    }
    const bool one_event = level == Level::serializable || level == Level::strict_serializable;
    const bool first_committer =
        level == Level::snapshot_isolation || level == Level::strong_snapshot_isolation;
    const bool real_time = info(level).real_time;
    std::unordered_set<std::string> visited;
    std::vector<State> stack{
        {std::vector<std::uint32_t>(sessions.size(), 0), std::vector<bool>(sessions.size(), false), {}}};
    while (!stack.empty()) {
      const State state = std::move(stack.back());
      stack.pop_back();
      if (!visited.insert(state.fingerprint()).second) continue;
      bool done = true;
      for (std::size_t s = 0; s < sessions.size(); ++s) {
        if (state.next[s] == sessions[s].size()) continue;
        done = false;
        const Transaction& txn = transactions_[sessions[s][state.next[s]]];
        if (!state.begun[s]) {
          if (!reads_match(txn, state)) continue;
          if (real_time && someone_ended_before(txn, sessions, state)) continue;
          if (first_committer && writes_locked(txn, sessions, state)) continue;
        }
        State then = state;
        if (one_event || state.begun[s]) {
          for (const auto& [key, versions] : txn.writes) {
            if (list_key(key)) {
              then.content[key].insert(then.content[key].end(), versions.begin(), versions.end());
            } else {
              then.content[key] = versions;
            }
          }
          ++then.next[s];
          then.begun[s] = false;
        } else {
          then.begun[s] = true;
        }
        stack.push_back(std::move(then));
      }
      if (done) return true;
    }
    return false;
  }

  static bool reads_match(const Transaction& txn, const State& state) {
    return std::all_of(txn.reads.begin(), txn.reads.end(), [&](const ExternalRead& read) {
      const auto held = state.content.find(read.key);
      return held == state.content.end() ? read.seen.empty() : held->second == read.seen;
    });
  }

  bool someone_ended_before(const Transaction& txn, const std::vector<std::vector<std::uint32_t>>& sessions,
                            const State& state) const {
    for (std::size_t s = 0; s < sessions.size(); ++s) {
      for (std::size_t i = state.next[s]; i < sessions[s].size(); ++i) {
        const Transaction& other = transactions_[sessions[s][i]];
        if (other.end && txn.start && *other.end < *txn.start) return true;
      }
    }
    return false;
  }

  bool writes_locked(const Transaction& txn, const std::vector<std::vector<std::uint32_t>>& sessions,
                     const State& state) const {
    for (std::size_t s = 0; s < sessions.size(); ++s) {
      if (!state.begun[s]) continue;
      const Transaction& other = transactions_[sessions[s][state.next[s]]];
      for (const auto& write : txn.writes) {
        if (other.writes.count(write.first) != 0) return true;
      }
    }
    return false;
  }

  const History& history_;
  std::vector<Transaction> transactions_;  // those that count, session by session
  std::set<Key> list_keys_;
  std::map<Version, std::uint32_t> writers_, element_writers_;
  std::map<Key, Content> longest_;  // the longest list read of each list
  bool bad_ = false;
};

inline bool satisfies(const History& history, Level level) {
  return Reference(history).satisfies(level);
}

}  // namespace assay::database::reference
