#include "check/strong/saturate.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace assay::check {

namespace {
constexpr std::uint32_t kNone = 0xFFFFFFFFU;
}  // namespace

Saturation::Saturation(const Problem& problem, const SaturationOptions& options, Limits& limits)
    : Forced(problem), reads_(problem.reads), options_(options), limits_(limits) {
  for (std::uint32_t w = 0; w < reads_.writes(); ++w) {
    for (const Txn r : p_.readers(Write{w})) known_reads_.push_back({r, Write{w}});
  }
  cover_by_chains();
  group_writers();
}

// Sessions are chains where session order counts. Elsewhere a transaction continues the chain of one that it
// read from, if nobody did so before.
void Saturation::cover_by_chains() {
  const std::uint32_t n = reads_.transactions();
  chain_.assign(n, kNone);
  place_.assign(n, 0);
  if (p_.keep_sessions) {
    for (std::uint32_t t = 0; t < n; ++t) {
      chain_[t] = index(p_.history.session_of(Txn{t}));
      place_[t] = p_.history.position_in_session(Txn{t});
    }
    chains_ = p_.history.sessions();
    return;
  }
  std::vector<bool> continued(n, false);
  // In an order in which writers come before their readers; a transaction in a cycle stays alone.
  std::vector<std::uint32_t> missing(n, 0), queue;
  for (std::uint32_t t = 0; t < n; ++t) {
    for (const Node u : p_.before()[p_.begin_of(Txn{t})]) missing[t] += p_.is_event(u) ? 1 : 0;
    if (missing[t] == 0) queue.push_back(t);
  }
  const auto place = [&](std::uint32_t t) {
    for (const Node u : p_.before()[p_.begin_of(Txn{t})]) {
      if (!p_.is_event(u)) continue;
      const std::uint32_t before = index(p_.txn_of(u));
      if (continued[before] || chain_[before] == kNone || before == t) continue;
      continued[before] = true;
      chain_[t] = chain_[before];
      place_[t] = place_[before] + 1;
      return;
    }
    chain_[t] = chains_++;
  };
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Txn t{queue[i]};
    place(index(t));
    for (const Node v : p_.after()[p_.commit_of(t)]) {
      if (p_.is_event(v) && p_.is_begin(v) && --missing[index(p_.txn_of(v))] == 0)
        queue.push_back(index(p_.txn_of(v)));
    }
  }
  for (std::uint32_t t = 0; t < n; ++t) {
    if (chain_[t] == kNone) chain_[t] = chains_++;
  }
}

void Saturation::group_writers() {
  groups_begin_.push_back(0);
  for (std::uint32_t k = 0; k < reads_.keys(); ++k) {
    const std::size_t first = grouped_.size();
    for (const Write w : reads_.writes_of(Key{k})) {
      if (!reads_.is_initial(w)) grouped_.push_back(w);
    }
    const auto where = [&](Write w) {
      const std::uint32_t t = index(reads_.writer(w));
      return std::pair(chain_[t], place_[t]);
    };
    std::sort(grouped_.begin() + static_cast<std::ptrdiff_t>(first), grouped_.end(),
              [&](Write a, Write b) { return where(a) < where(b); });
    for (std::size_t i = first; i < grouped_.size(); ++i) {
      const std::uint32_t chain = where(grouped_[i]).first;
      if (i == first || groups_.back().chain != chain) {
        groups_.push_back({chain, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)});
      }
      ++groups_.back().end;
    }
    groups_begin_.push_back(static_cast<std::uint32_t>(groups_.size()));
  }
}

std::uint32_t Saturation::place_of(Node u) const {
  const std::uint32_t place = place_[index(p_.txn_of(u))];
  return p_.level.two_events ? 2 * place + (p_.is_commit(u) ? 1 : 0) : place;
}

void Saturation::force(Node from, Node to, Rule rule, Key key, Txn witness) {
  add({from, to, rule, key, witness, round_});
  ++added_in_batch_;
}

void Saturation::assume_order(Txn before, Txn after, Key key) {
  force(p_.commit_of(before), p_.overwrites(after), Rule::decision, key, kInitialTxn);
}

void Saturation::assume_choice(const Problem::AmbiguousRead& read, Write choice) {
  known_reads_.push_back({read.reader, choice});
  if (!reads_.is_initial(choice)) {
    force(p_.commit_of(reads_.writer(choice)), p_.begin_of(read.reader), Rule::decision, reads_.key(choice),
          read.reader);
  }
}

Saturation::Result Saturation::run() {
  while (true) {
    if (!sort_topologically()) return Result::cycle;
    if (std::size_t{p_.nodes()} * chains_ * sizeof(clocks_[0]) > options_.most_bytes) return Result::gave_up;
    set_clocks();
    if (limits_.exceeded_now()) return Result::gave_up;
    ++round_;
    added_in_batch_ = 0;
    apply_rules();
    if (added_in_batch_ == 0) return Result::fixpoint;
    if (limits_.exceeded_now()) return Result::gave_up;
  }
}

// False if there is a cycle.
bool Saturation::sort_topologically() {
  const std::uint32_t n = p_.nodes();
  std::vector<std::uint32_t> missing(n, 0);
  for (Node u = 0; u < n; ++u) {
    for_each_successor(u, kNone, [&](Node v, std::uint32_t) { ++missing[v]; });
  }
  topological_.clear();
  for (Node u = 0; u < n; ++u) {
    if (missing[u] == 0) topological_.push_back(u);
  }
  for (std::size_t i = 0; i < topological_.size(); ++i) {
    for_each_successor(topological_[i], kNone, [&](Node v, std::uint32_t) {
      if (--missing[v] == 0) topological_.push_back(v);
    });
  }
  if (topological_.size() == n) return true;
  find_cycle(missing);
  return false;
}

void Saturation::set_clocks() {
  clocks_.assign(std::size_t{p_.nodes()} * chains_, 0);
  for (const Node u : topological_) {
    std::uint32_t* own = clocks_.data() + std::size_t{u} * chains_;
    if (p_.is_event(u)) own[chain_of(u)] = std::max(own[chain_of(u)], place_of(u) + 1);
    for_each_successor(u, kNone, [&](Node v, std::uint32_t) {
      std::uint32_t* next = clocks_.data() + std::size_t{v} * chains_;
      for (std::uint32_t c = 0; c < chains_; ++c) next[c] = std::max(next[c], own[c]);
    });
  }
}

bool Saturation::precedes(Node u, Node v) const {
  assert(p_.is_event(u) && p_.is_event(v));
  return u != v && clock(v, chain_of(u)) > place_of(u);
}

void Saturation::apply_rules() {
  for (const Read& read : known_reads_) {
    if (added_in_batch_ >= options_.batch) return;
    apply_read_rules(read);
    if (limits_.exceeded()) return;
  }
  if (!p_.level.writers_exclude || !options_.first_committer) return;
  for (const Write a : grouped_) {
    if (added_in_batch_ >= options_.batch) return;
    apply_first_committer(a);
    if (limits_.exceeded()) return;
  }
}

void Saturation::apply_read_rules(const Read& read) {
  const Key k = reads_.key(read.source);
  const bool initial = reads_.is_initial(read.source);
  const Txn w = reads_.writer(read.source), r = read.reader;
  const Node reader = p_.begin_of(r);
  for (std::uint32_t g = groups_begin_[index(k)]; g < groups_begin_[index(k) + 1]; ++g) {
    const Group& group = groups_[g];
    const std::span<const Write> writers{grouped_.data() + group.begin, grouped_.data() + group.end};
    if (options_.overwritten) {
      // The last writer of this chain that precedes the reader. The reader itself does not.
      const std::uint32_t reached =
          group.chain == chain_of(reader) ? place_of(reader) : clock(reader, group.chain);
      const auto after = std::partition_point(writers.begin(), writers.end(), [&](Write v) {
        return place_of(p_.commit_of(reads_.writer(v))) < reached;
      });
      // (v before the initial state is impossible; the anti-dependency below turns that into a cycle.)
      if (after != writers.begin() && !initial) {
        const Txn v = reads_.writer(*(after - 1));
        if (v != w && !precedes(p_.commit_of(v), p_.overwrites(w))) {
          force(p_.commit_of(v), p_.overwrites(w), Rule::overwritten, k, r);
        }
      }
    }
    if (options_.anti_dependency) {
      // The first writer of this chain that overwrites what was read.
      const Node from = initial ? 0 : (p_.level.writers_exclude ? p_.begin_of(w) : p_.commit_of(w));
      const auto first =
          initial ? writers.begin() : std::partition_point(writers.begin(), writers.end(), [&](Write v) {
            return !precedes(from, p_.commit_of(reads_.writer(v)));
          });
      // Not the writer itself, whose begin precedes its own commit, nor the reader: the next in the chain.
      auto it = first;
      while (it != writers.end() && (reads_.writer(*it) == w || reads_.writer(*it) == r)) ++it;
      if (it != writers.end() && !precedes(reader, p_.commit_of(reads_.writer(*it)))) {
        force(reader, p_.commit_of(reads_.writer(*it)), initial ? Rule::initial : Rule::anti_dependency, k,
              w);
      }
    }
  }
}

void Saturation::apply_first_committer(Write a) {
  const Key k = reads_.key(a);
  const Txn first = reads_.writer(a);
  for (std::uint32_t g = groups_begin_[index(k)]; g < groups_begin_[index(k) + 1]; ++g) {
    const std::span<const Write> writers{grouped_.data() + groups_[g].begin,
                                         grouped_.data() + groups_[g].end};
    auto it = std::partition_point(writers.begin(), writers.end(), [&](Write b) {
      return !precedes(p_.begin_of(first), p_.commit_of(reads_.writer(b)));
    });
    while (it != writers.end() && reads_.writer(*it) == first) ++it;
    if (it == writers.end()) continue;
    const Txn b = reads_.writer(*it);
    if (!precedes(p_.commit_of(first), p_.begin_of(b))) {
      force(p_.commit_of(first), p_.begin_of(b), Rule::first_committer, k, kInitialTxn);
    }
  }
}

}  // namespace assay::check
