#include "check/strong/problem.hpp"

#include <algorithm>
#include <cassert>

namespace assay::check {

StrongLevel strong_level(Level level) {
  assert(implies(level, Level::prefix));
  switch (level) {
    case Level::prefix:
      return {level, true, false, false};
    case Level::snapshot_isolation:
      return {level, true, true, false};
    case Level::strong_snapshot_isolation:
      return {level, true, true, true};
    case Level::strict_serializable:
      return {level, false, false, true};
    default:
      return {level, false, false, false};
  }
}

std::chrono::nanoseconds clock_drift(const History& history, const Options& options) {
  if (options.clock_drift) return *options.clock_drift;
  return history.clocks() == Clocks::one ? std::chrono::nanoseconds(0) : std::chrono::milliseconds(100);
}

Problem::Problem(const Question& question, std::span<const Edge> forced)
    : Question(question),
      shift_(level.two_events ? 1 : 0),
      nodes_(reads.transactions() << shift_),
      further_edges_(forced.begin(), forced.end()) {
  for (const Precedence& pair : known) {
    further_edges_.push_back({node_of(pair.before), node_of(pair.after)});
  }
  if (level.real_time) place_time_points();
  collect_readers();
  build_known_order();
}

void Problem::place_time_points() {
  struct Mark {
    std::int64_t time;
    Txn txn;
  };
  std::vector<Mark> ends;
  for (const Txn t : history.all_transactions()) {
    // The moment at which a transaction of unknown fate took effect has no upper bound.
    if (history.status(t) != Status::committed) continue;
    if (const auto end = history.end(t)) ends.push_back({*end, t});
  }
  std::sort(ends.begin(), ends.end(),
            [](const Mark& a, const Mark& b) { return a.time != b.time ? a.time < b.time : a.txn < b.txn; });
  std::vector<std::int64_t> points;
  for (const Mark& mark : ends) {
    if (points.empty() || points.back() != mark.time) {
      if (!points.empty()) further_edges_.push_back({nodes_ - 1, nodes_});
      points.push_back(mark.time);
      ++nodes_;
    }
    further_edges_.push_back({commit_of(mark.txn), nodes_ - 1});
  }
  const Node first = nodes_ - static_cast<Node>(points.size());
  for (const Txn t : history.all_transactions()) {
    const auto start = history.start(t);
    if (!start || reads.presence(t) == Presence::absent) continue;
    // Times come from untrusted files: the unsigned difference of two ordered ones cannot overflow.
    const auto before = std::partition_point(points.begin(), points.end(), [&](std::int64_t end) {
      const std::uint64_t apart = static_cast<std::uint64_t>(*start) - static_cast<std::uint64_t>(end);
      return end < *start && apart > static_cast<std::uint64_t>(drift.count());
    });
    if (before == points.begin()) continue;
    further_edges_.push_back({first + static_cast<Node>(before - points.begin()) - 1, begin_of(t)});
  }
}

void Problem::collect_readers() {
  readers_begin_.assign(reads.writes() + std::size_t{1}, 0);
  const auto for_each_read = [&](auto visit) {
    std::vector<Source> seen;
    for (const Txn t : history.all_transactions()) {
      const auto sources = reads.reads_of(t);
      seen.assign(sources.begin(), sources.end());
      std::sort(seen.begin(), seen.end());
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      for (const Source source : seen) visit(t, source);
    }
  };
  for_each_read([&](Txn, Source source) {
    if (!source.is_ambiguous()) ++readers_begin_[index(source.write()) + 1];
  });
  for (std::size_t w = 0; w < reads.writes(); ++w) readers_begin_[w + 1] += readers_begin_[w];
  readers_.resize(readers_begin_.back());
  std::vector<std::uint32_t> next(readers_begin_.begin(), readers_begin_.end() - 1);
  for_each_read([&](Txn t, Source source) {
    if (source.is_ambiguous()) {
      ambiguous_.push_back({t, source.set()});
    } else {
      readers_[next[index(source.write())]++] = t;
    }
  });
}

template <class Visit>
void Problem::for_each_known_edge(Visit edge) const {
  const std::uint32_t n = reads.transactions();
  if (shift_ == 1) {
    for (std::uint32_t t = 0; t < n; ++t) edge(begin_of(Txn{t}), commit_of(Txn{t}));
  }
  if (keep_sessions) {
    for (std::uint32_t t = 0; t + 1 < n; ++t) {
      if (history.session_of(Txn{t}) == history.session_of(Txn{t + 1}))
        edge(commit_of(Txn{t}), begin_of(Txn{t + 1}));
    }
  }
  // Several versions read from one transaction give one edge; what session order gives anyway gives none.
  std::vector<Txn> sources;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Txn t{i};
    sources.clear();
    for (const Source source : reads.reads_of(t)) {
      if (source.is_ambiguous() || reads.is_initial(source.write())) continue;
      const Txn writer = reads.writer(source.write());
      if (keep_sessions && writer < t && history.session_of(writer) == history.session_of(t)) continue;
      sources.push_back(writer);
    }
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    for (const Txn writer : sources) edge(commit_of(writer), begin_of(t));
  }
  for (const Edge& further : further_edges_) edge(further.from, further.to);
  for (const Reads::VersionOrder& shown : reads.version_orders())
    edge(commit_of(shown.before), overwrites(shown.after));
}

void Problem::build_known_order() {
  after_.begin.assign(nodes_ + std::size_t{1}, 0);
  before_.begin.assign(nodes_ + std::size_t{1}, 0);
  for_each_known_edge([&](Node u, Node v) {
    ++after_.begin[u + 1];
    ++before_.begin[v + 1];
  });
  for (Node u = 0; u < nodes_; ++u) {
    after_.begin[u + 1] += after_.begin[u];
    before_.begin[u + 1] += before_.begin[u];
  }
  after_.targets.resize(after_.begin.back());
  before_.targets.resize(before_.begin.back());
  std::vector<std::uint32_t> next_after(after_.begin.begin(), after_.begin.end() - 1);
  std::vector<std::uint32_t> next_before(before_.begin.begin(), before_.begin.end() - 1);
  for_each_known_edge([&](Node u, Node v) {
    after_.targets[next_after[u]++] = v;
    before_.targets[next_before[v]++] = u;
  });
}

void Problem::add_read(Txn reader, std::span<const Write> candidates) {
  assert(!candidates.empty());
  const auto set = static_cast<std::uint32_t>(reads.ambiguous_sets() + added_begin_.size() - 1);
  added_.insert(added_.end(), candidates.begin(), candidates.end());
  added_begin_.push_back(added_.size());
  ambiguous_.push_back({reader, set});
}

std::size_t Problem::resident_bytes() const {
  return after_.resident_bytes() + before_.resident_bytes() +
         readers_begin_.capacity() * sizeof(std::uint32_t) + readers_.capacity() * sizeof(Txn) +
         ambiguous_.capacity() * sizeof(AmbiguousRead) + added_.capacity() * sizeof(Write) +
         further_edges_.capacity() * sizeof(Edge);
}

}  // namespace assay::check
