#include "check/strong/settle.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <utility>

namespace assay::check {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// Versions of a key that live long are compared over long distances. Memory is the square of this in bits.
std::uint32_t suitable_window(std::uint32_t nodes) {
  return std::clamp(nodes / 12, 4096U, 16384U);
}

}  // namespace

Settling::Settling(const Problem& problem, const SettlingOptions& options, Limits& limits)
    : Forced(problem),
      reads_(problem.reads),
      options_(options),
      limits_(limits),
      reach_(std::min(options.window != 0 ? options.window : suitable_window(p_.nodes()), p_.nodes() + 1)),
      position_(p_.nodes()),
      time_(p_.nodes(), 0) {
  after_ = p_.after();
  writes_begin_.assign(reads_.keys() + std::size_t{1}, 0);
  reads_begin_.assign(reads_.keys() + std::size_t{1}, 0);
  for (std::uint32_t w = 0; w < reads_.writes(); ++w) {
    const std::uint32_t k = index(reads_.key(Write{w}));
    if (!reads_.is_initial(Write{w})) ++writes_begin_[k + 1];
    reads_begin_[k + 1] += static_cast<std::uint32_t>(p_.readers(Write{w}).size());
  }
  for (std::uint32_t k = 0; k < reads_.keys(); ++k) {
    writes_begin_[k + 1] += writes_begin_[k];
    reads_begin_[k + 1] += reads_begin_[k];
  }
  key_writes_.resize(writes_begin_.back());
  key_reads_.resize(reads_begin_.back());
}

Settling::Result Settling::run() {
  for (std::uint32_t round = 0;; ++round) {
    if (!sort_events()) return Result::cycle;
    if (limits_.exceeded_now()) return Result::gave_up;
    const bool little = against_the_order_ <= p_.nodes() / 1000;
    if (round > 0 && (options_.to_the_end ? fresh_.empty() : little)) return Result::settled;
    if (round == options_.rounds) return Result::settled;
    sort_keys();
    sweep();
    if (limits_.exceeded()) return Result::gave_up;
    link_fresh_edges();
  }
}

// A topological order of all that is known, by estimated time. False if there is a cycle.
bool Settling::sort_events() {
  const std::uint32_t n = p_.nodes();
  std::vector<std::uint32_t> missing(n, 0), still_missing;
  for (const Node v : after_.targets) ++missing[v];
  still_missing = missing;
  order_.clear();
  for (Node u = 0; u < n; ++u) {
    if (missing[u] == 0) order_.push_back(u);
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    for (const Node v : after_[order_[i]]) {
      if (--missing[v] == 0) order_.push_back(v);
    }
  }
  if (order_.size() != n) {
    find_cycle(missing);
    order_.clear();
    return false;
  }
  estimate_times();
  using Due = std::pair<float, Node>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> ready;
  for (Node u = 0; u < n; ++u) {
    if (still_missing[u] == 0) ready.emplace(time_[u], u);
  }
  order_.clear();
  while (!ready.empty()) {
    const Node u = ready.top().second;
    ready.pop();
    position_[u] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(u);
    for (const Node v : after_[u]) {
      if (--still_missing[v] == 0) ready.emplace(time_[v], v);
    }
  }
  return true;
}

// From the longest ways from the beginning to a node and from it to the end. REQUIRES: order_ is topological.
void Settling::estimate_times() {
  std::vector<std::uint32_t> from_begin(p_.nodes(), 0), to_end(p_.nodes(), 0);
  for (const Node u : order_) {
    for (const Node v : after_[u]) from_begin[v] = std::max(from_begin[v], from_begin[u] + 1);
  }
  for (std::size_t i = order_.size(); i-- > 0;) {
    const Node u = order_[i];
    for (const Node v : after_[u]) to_end[u] = std::max(to_end[u], to_end[v] + 1);
    const auto before = static_cast<float>(from_begin[u]), behind = static_cast<float>(to_end[u]);
    time_[u] = (before + 0.5F) / (before + behind + 1.0F);
  }
}

void Settling::sort_keys() {
  std::vector<std::uint32_t> next_write(writes_begin_.begin(), writes_begin_.end() - 1);
  std::vector<std::uint32_t> next_read(reads_begin_.begin(), reads_begin_.end() - 1);
  std::vector<Source> sources;
  for (const Node u : order_) {
    if (!p_.is_event(u)) continue;
    const Txn t = p_.txn_of(u);
    if (p_.is_commit(u)) {
      for (const Write w : reads_.writes_of(t)) key_writes_[next_write[index(reads_.key(w))]++] = w;
    }
    if (!p_.is_begin(u)) continue;
    sources.assign(reads_.reads_of(t).begin(), reads_.reads_of(t).end());
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    for (const Source source : sources) {
      if (source.is_ambiguous()) continue;
      key_reads_[next_read[index(reads_.key(source.write()))]++] = {t, source.write()};
    }
  }
}

// Last events first: the row of an event is complete but for what its own rules add, when they are asked.
void Settling::sweep() {
  fresh_.clear();
  against_the_order_ = 0;
  for (std::size_t i = order_.size(); i-- > 0;) {
    const Node u = order_[i];
    reach_.open(position_[u]);
    join_successors(u);
    if (!p_.is_event(u)) continue;
    if (p_.is_commit(u)) {
      for (const Write v : reads_.writes_of(p_.txn_of(u))) settle_overwritten(u, v);
    }
    // Where writers exclude each other, whatever commits after the begin of a writer comes after the writer.
    if (p_.level.writers_exclude ? p_.is_begin(u) : p_.is_commit(u)) {
      for (const Write w : reads_.writes_of(p_.txn_of(u))) settle_followers(u, w);
    }
    if (p_.is_begin(u)) settle_initial_reads(u);
    if (limits_.exceeded()) return;
  }
}

// Nearest first: what others already reach need not be looked at, nor kept.
void Settling::join_successors(Node u) {
  Node* const begin = after_.targets.data() + after_.begin[u];
  Node* const end = after_.targets.data() + after_.begin[u + 1];
  std::sort(begin, end, [&](Node a, Node b) { return position_[a] < position_[b]; });
  for (Node* v = begin; v != end; ++v) {
    if (!reach_.sees(position_[u], position_[*v])) continue;
    if (precedes(u, *v)) {
      *v = kNone;
    } else {
      reach_.join(position_[u], position_[*v]);
    }
  }
}

void Settling::force(Node from, Node to, Rule rule, Key key, Txn witness) {
  add({from, to, rule, key, witness, static_cast<std::uint32_t>(edges().size())});
  fresh_.push_back({from, to});
  if (position_[from] > position_[to]) {
    ++against_the_order_;
  } else {
    reach_.join(position_[from], position_[to]);
  }
}

// R1: v, whose commit is u, precedes a reader of another version: it precedes that version.
void Settling::settle_overwritten(Node u, Write v) {
  const Key k = reads_.key(v);
  const std::span<const KeyRead> reads{key_reads_.data() + reads_begin_[index(k)],
                                       key_reads_.data() + reads_begin_[index(k) + 1]};
  auto read = std::partition_point(reads.begin(), reads.end(), [&](const KeyRead& r) {
    return position_[p_.begin_of(r.reader)] <= position_[u];
  });
  Write last = v;
  for (std::uint32_t n = 0; read != reads.end() && n < options_.neighbours; ++read, ++n) {
    const auto [reader, w] = *read;
    if (!reach_.sees(position_[u], position_[p_.begin_of(reader)])) break;
    if (w == v || w == last || reads_.is_initial(w) || !precedes(u, p_.begin_of(reader))) continue;
    const Node overwritten = p_.overwrites(reads_.writer(w));
    if (far_behind(u, overwritten) || precedes(u, overwritten)) continue;
    force(u, overwritten, Rule::overwritten, k, reader);
    last = w;
  }
}

// R2: u, the commit of w (where writers exclude each other: its begin), precedes the commit of another writer of the key: so do the
// readers of w. And W: then w commits before the other begins.
void Settling::settle_followers(Node u, Write w) {
  const Key k = reads_.key(w);
  const Txn writer = reads_.writer(w);
  const std::span<const Txn> readers = p_.readers(w);
  if (readers.empty() && !p_.level.writers_exclude) return;
  const std::span<const Write> writes{key_writes_.data() + writes_begin_[index(k)],
                                      key_writes_.data() + writes_begin_[index(k) + 1]};
  auto next = std::partition_point(writes.begin(), writes.end(), [&](Write v) {
    return position_[p_.commit_of(reads_.writer(v))] <= position_[u];
  });
  for (std::uint32_t n = 0; next != writes.end() && n < options_.neighbours; ++next, ++n) {
    const Txn other = reads_.writer(*next);
    const Node commit = p_.commit_of(other);
    if (!reach_.sees(position_[u], position_[commit])) break;
    if (other == writer || !precedes(u, commit)) continue;
    if (p_.level.writers_exclude) {
      const Node end = p_.commit_of(writer), begin = p_.begin_of(other);
      if (!far_behind(end, begin) && !precedes(end, begin)) {
        force(end, begin, Rule::first_committer, k, kInitialTxn);
      }
    }
    for (const Txn r : readers.first(std::min<std::size_t>(readers.size(), options_.neighbours))) {
      if (r == other) continue;
      const Node reader = p_.begin_of(r);
      if (!precedes(reader, commit)) force(reader, commit, Rule::anti_dependency, k, writer);
    }
  }
}

void Settling::settle_initial_reads(Node u) {
  const Txn reader = p_.txn_of(u);
  for (const Source source : reads_.reads_of(reader)) {
    if (source.is_ambiguous() || !reads_.is_initial(source.write())) continue;
    const Key k = reads_.key(source.write());
    const std::uint32_t end =
        writes_begin_[index(k)] +
        std::min(options_.neighbours, writes_begin_[index(k) + 1] - writes_begin_[index(k)]);
    for (std::uint32_t i = writes_begin_[index(k)]; i < end; ++i) {
      const Txn v = reads_.writer(key_writes_[i]);
      const Node commit = p_.commit_of(v);
      if (v == reader || far_behind(u, commit) || precedes(u, commit)) continue;
      force(u, commit, Rule::initial, k, kInitialTxn);
    }
  }
}

// Puts the edges of this round to the others, and drops those that were found to be implied.
void Settling::link_fresh_edges() {
  order::Adjacency all;
  all.begin.assign(p_.nodes() + std::size_t{1}, 0);
  for (Node u = 0; u < p_.nodes(); ++u) {
    for (const Node v : after_[u]) all.begin[u + 1] += v != kNone ? 1 : 0;
  }
  for (const Problem::Edge& edge : fresh_) ++all.begin[edge.from + 1];
  for (Node u = 0; u < p_.nodes(); ++u) all.begin[u + 1] += all.begin[u];
  all.targets.resize(all.begin.back());
  std::vector<std::uint32_t> next(all.begin.begin(), all.begin.end() - 1);
  for (Node u = 0; u < p_.nodes(); ++u) {
    for (const Node v : after_[u]) {
      if (v != kNone) all.targets[next[u]++] = v;
    }
  }
  for (const Problem::Edge& edge : fresh_) all.targets[next[edge.from]++] = edge.to;
  after_ = std::move(all);
}

std::vector<Problem::Edge> Settling::essential_edges() const {
  std::vector<Problem::Edge> essential;
  for (Node u = 0; u < p_.nodes(); ++u) {
    for (const Node v : after_[u]) essential.push_back({u, v});
  }
  return essential;
}

}  // namespace assay::check
