#include "check/weak/attributed.hpp"

#include <algorithm>
#include <cassert>

#include "order/topological.hpp"

namespace assay::check {

namespace {

constexpr std::uint32_t kAhead = 6;  // transactions between a prefetch and its use

}  // namespace

AttributedHistory::AttributedHistory(const History& history, const Reads& reads, SessionOrder sessions,
                                     std::span<const std::uint32_t> choice)
    : history_(&history), reads_(&reads), keep_sessions_(sessions == SessionOrder::keep) {
  attribute(choice);
  link_sessions();
  link_readers();
  if (history.has_moments()) find_moments();
  const std::vector<std::uint32_t> nodes = order::topological_order(
      transactions(), [&](std::uint32_t node) { return present(Txn{node}); },
      [&](std::uint32_t node, const auto& visit) {
        if (next_[node] != kNobody) visit(index(next_[node]));
        for (const std::uint32_t reader : readers_.successors(node)) visit(reader);
      });
  causal_order_.reserve(nodes.size());
  for (const std::uint32_t node : nodes) causal_order_.push_back(Txn{node});
}

void AttributedHistory::attribute(std::span<const std::uint32_t> choice) {
  const std::uint32_t n = transactions();
  read_begin_.reserve(std::size_t{n} + 1);
  read_begin_.push_back(0);
  bool all_present = true;
  for (std::uint32_t t = 0; t < n; ++t) {
    read_begin_.push_back(read_begin_.back() + static_cast<std::uint32_t>(reads_->reads_of(Txn{t}).size()));
    all_present &= reads_->presence(Txn{t}) == Presence::present;
  }
  const std::uint32_t count = read_begin_.back();
  source_.resize(count);
  key_.resize(count);
  std::size_t next_choice = 0;
  for (std::uint32_t t = 0, read = 0; t < n; ++t) {
    if (t + kAhead < n) {
      for (const Source source : reads_->reads_of(Txn{t + kAhead})) {
        if (!source.is_ambiguous()) reads_->prefetch_writer(source.write());
      }
    }
    for (const Source source : reads_->reads_of(Txn{t})) {
      const Write w =
          source.is_ambiguous() ? reads_->candidates(source.set())[choice[next_choice++]] : source.write();
      source_[read] = reads_->writer(w);
      key_[read] = reads_->key(w);
      ++read;
    }
  }
  assert(next_choice == choice.size());
  present_count_ = n;
  if (all_present) return;
  present_.assign(n, 0);
  for (std::uint32_t t = 0; t < n; ++t) present_[t] = reads_->presence(Txn{t}) == Presence::present;
  for (const Txn writer : source_) {
    if (writer != kNobody) present_[index(writer)] = 1;
  }
  present_count_ = static_cast<std::uint32_t>(std::count(present_.begin(), present_.end(), 1));
}

void AttributedHistory::link_sessions() {
  next_.assign(transactions(), kNobody);
  previous_.assign(transactions(), kNobody);
  if (!keep_sessions_) return;
  for (std::uint32_t s = 0; s < history_->sessions(); ++s) {
    Txn last = kNobody;
    for (const Txn t : history_->transactions_of(Session{s})) {
      if (!present(t)) continue;
      previous_[index(t)] = last;
      if (last != kNobody) next_[index(last)] = t;
      last = t;
    }
  }
}

void AttributedHistory::link_readers() {
  const std::uint32_t n = transactions();
  std::vector<order::Edge> edges;
  edges.reserve(source_.size());
  for (const Txn t : all_transactions()) {
    for (std::uint32_t read = first_read(t); read < last_read(t); ++read) {
      if (source_[read] != kNobody) edges.push_back({index(source_[read]), index(t)});
    }
  }
  readers_ = order::Graph(n, edges);
  edges.clear();
  for (const Reads::VersionOrder& known : reads_->version_orders()) {
    if (present(known.before) && present(known.after)) {
      edges.push_back({index(known.before), index(known.after)});
    }
  }
  version_orders_ = order::Graph(n, edges);
}

void AttributedHistory::find_moments() {
  moments_.reserve(reads_count());
  for (const Txn t : all_transactions()) {
    const std::uint32_t count = last_read(t) - first_read(t);
    if (count == 0) continue;
    Op moment{};
    std::vector<Key> written;  // sorted
    for (const Op op : history_->operations_of(t)) {
      if (!history_->same_moment(op)) moment = op;
      const bool list = history_->kind(op) == OpKind::list_read;
      const Key k = list ? history_->list(op).key : history_->key(op);
      const auto at = std::lower_bound(written.begin(), written.end(), k);
      const bool own = at != written.end() && *at == k;
      if (writes(history_->kind(op))) {
        if (!own) written.insert(at, k);
      } else if (list || !own) {
        moments_.push_back(index(moment));
      }
    }
  }
  // Lists that are not understood have no reads. Then no read is taken to be before another: that only
  // removes constraints, and such a history is not said to hold anything.
  if (moments_.size() != reads_count()) moments_.assign(reads_count(), 0);
}

bool AttributedHistory::writes_key(Txn t, Key key) const {
  const IdRange<Write> block = reads_->writes_of(key);
  const auto writes = writes_of(t);
  const auto at = std::lower_bound(writes.begin(), writes.end(), block[0]);
  return at != writes.end() && index(*at) < index(block[0]) + block.size();
}

}  // namespace assay::check
