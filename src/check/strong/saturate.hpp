// All that follows by force. From the known order, to a fixpoint, for every read of a key by r from w:
//   R1  another writer v of the key precedes r   =>  v before w   (else r would have to precede v)
//   R2  w precedes another writer v              =>  r before v
//   W   begin of a precedes commit of b,         =>  commit of a before begin of b
//       both write the key (snapshot isolation)
// Reachability is kept as clocks (engine.md): transactions are covered by chains of the known order, and the
// clock of a node holds for each chain how much of it comes before. Of the writers of a key in one chain only
// the last that precedes, or the first that follows, matters.
//
// Every added edge remembers its rule, so that a cycle can be told as a derivation. Nothing is decided here
// that is open: an ambiguous read has no effect until a choice is assumed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "check/limits.hpp"
#include "check/outcome.hpp"
#include "check/strong/forced.hpp"
#include "check/strong/problem.hpp"

namespace assay::check {

struct SaturationOptions {
  bool overwritten = true, anti_dependency = true, first_committer = true;  // R1, R2, W
  std::uint32_t batch = 0xFFFFFFFFU;  // most edges to add before the clocks are brought up to date
  std::size_t most_bytes = std::size_t{1} << 30;  // for the clocks
};

class Saturation : public Forced {
 public:
  Saturation(const Problem& problem, const SaturationOptions& options, Limits& limits);

  enum class Result : std::uint8_t { fixpoint, cycle, gave_up };
  // May be called again after assumptions were added; works from what is there.
  Result run();

  // Adds a decision: `before` precedes `after`, both write a key in common.
  void assume_order(Txn before, Txn after, Key key);
  // Adds a decision: the ambiguous read saw this candidate.
  void assume_choice(const Problem::AmbiguousRead& read, Write choice);

  // Whether the order of two events follows. REQUIRES: run() returned fixpoint.
  bool precedes(Node u, Node v) const;

  // Of each session, how many events precede this one, itself included. REQUIRES: run() returned fixpoint,
  // and session order counts.
  std::span<const std::uint32_t> clock_of(Node u) const {
    return {clocks_.data() + std::size_t{u} * chains_, chains_};
  }

 private:
  struct Read {
    Txn reader;
    Write source;
  };

  void cover_by_chains();
  void group_writers();
  bool sort_topologically();
  void set_clocks();
  void apply_rules();
  void apply_read_rules(const Read& read);
  void apply_first_committer(Write a);
  void force(Node from, Node to, Rule rule, Key key, Txn witness);

  std::uint32_t chain_of(Node u) const { return chain_[index(p_.txn_of(u))]; }
  std::uint32_t place_of(Node u) const;  // in its chain, in events
  std::uint32_t clock(Node u, std::uint32_t chain) const { return clocks_[std::size_t{u} * chains_ + chain]; }

  const Reads& reads_;
  const SaturationOptions options_;
  Limits& limits_;

  std::vector<Read> known_reads_;             // with one source, distinct
  std::vector<std::uint32_t> chain_, place_;  // per transaction
  std::uint32_t chains_ = 0;
  // Per key, its writers (without the initial one) by chain and then by place; groups are runs of one chain.
  struct Group {
    std::uint32_t chain, begin, end;  // in grouped_
  };
  std::vector<Write> grouped_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> groups_begin_;  // per key

  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> clocks_;  // a row per node, a column per chain
  std::vector<Node> topological_;
  std::uint32_t added_in_batch_ = 0;
};

}  // namespace assay::check
