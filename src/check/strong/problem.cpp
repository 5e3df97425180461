#include "check/strong/problem.hpp"

#include <algorithm>
#include <cassert>

#include "memory/prefetch.hpp"

namespace assay::check {

namespace {

// How many lookups ahead one is announced: where it leads to is asked for soon, what tells that before.
constexpr std::size_t kSoon = 12, kLater = 2 * kSoon;

}  // namespace

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

// What each transaction read, each source once, in increasing order: sorted once, and then looked up elsewhere
// without waiting, since a flat table tells early what will be asked for.
struct Problem::Distinct {
  std::vector<std::uint32_t> begin{0};  // by transaction
  LargeVector<Source> sources;

  explicit Distinct(const Reads& reads) {
    const std::uint32_t n = reads.transactions();
    begin.reserve(n + std::size_t{1});
    std::size_t most = 0;
    for (std::uint32_t i = 0; i < n; ++i) most += reads.reads_of(Txn{i}).size();
    sources.reserve(most);
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto all = reads.reads_of(Txn{i});
      const auto first = sources.insert(sources.end(), all.begin(), all.end());
      std::sort(first, sources.end());
      sources.erase(std::unique(first, sources.end()), sources.end());
      begin.push_back(static_cast<std::uint32_t>(sources.size()));
    }
  }
  // Calls visit(transaction, source); and later(source), then soon(source), for what will come.
  template <class Visit, class Later, class Soon>
  void for_each(Visit visit, Later later, Soon soon) const {
    for (std::uint32_t i = 0, at = 0; i + std::size_t{1} < begin.size(); ++i) {
      for (; at < begin[i + 1]; ++at) {
        if (at + kLater < sources.size()) later(sources[at + kLater]);
        if (at + kSoon < sources.size()) soon(sources[at + kSoon]);
        visit(Txn{i}, sources[at]);
      }
    }
  }
};

Problem::Problem(const Question& question, std::span<const Edge> forced)
    : Question(question),
      shift_(level.two_events ? 1 : 0),
      nodes_(reads.transactions() << shift_),
      further_edges_(forced.begin(), forced.end()) {
  for (const Precedence& pair : known) {
    further_edges_.push_back({node_of(pair.before), node_of(pair.after)});
  }
  if (level.real_time) place_time_points();
  const Adjacency writers = [&] {
    const Distinct distinct(reads);
    collect_readers(distinct);
    return writers_read(distinct);
  }();
  build_known_order(writers);
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

void Problem::collect_readers(const Distinct& distinct) {
  readers_begin_.assign(reads.writes() + std::size_t{2}, 0);
  // The readers of w are counted two places further on; so the sums before them are where to put the next one,
  // and in the end where those of w end.
  std::uint32_t* const next = readers_begin_.data() + 1;
  const auto ask_where = [&](Source source) {
    if (!source.is_ambiguous()) prefetch(next + index(source.write()));
  };
  const auto ask_there = [&](Source source) {
    if (!source.is_ambiguous()) prefetch(readers_.data() + next[index(source.write())]);
  };
  distinct.for_each(
      [&](Txn t, Source source) {
        if (source.is_ambiguous()) {
          ambiguous_.push_back({t, source.set()});
        } else {
          ++next[index(source.write()) + std::size_t{1}];
        }
      },
      ask_where, [](Source) {});
  for (std::size_t w = 0; w < reads.writes(); ++w) next[w + 1] += next[w];
  readers_.resize(readers_begin_.back());
  distinct.for_each(
      [&](Txn t, Source source) {
        if (!source.is_ambiguous()) readers_[next[index(source.write())]++] = t;
      },
      ask_where, ask_there);
}

// Several versions read from one transaction give one edge; what session order gives anyway gives none.
Adjacency Problem::writers_read(const Distinct& distinct) const {
  Adjacency writers;
  const std::uint32_t n = reads.transactions();
  writers.begin.reserve(n + std::size_t{1});
  writers.targets.reserve(distinct.sources.size());
  for (std::uint32_t i = 0, at = 0; i < n; ++i) {
    const Txn t{i};
    const Txn first_of_session = *history.transactions_of(history.session_of(t)).begin();
    const std::size_t before = writers.targets.size();
    for (; at < distinct.begin[i + std::size_t{1}]; ++at) {
      if (at + kSoon < distinct.sources.size()) {
        const Source later = distinct.sources[at + kSoon];
        if (!later.is_ambiguous()) reads.prefetch_writer(later.write());
      }
      const Source source = distinct.sources[at];
      if (source.is_ambiguous() || reads.is_initial(source.write())) continue;
      const Txn writer = reads.writer(source.write());
      if (keep_sessions && writer < t && writer >= first_of_session) continue;
      writers.targets.push_back(index(writer));
    }
    const auto first = writers.targets.begin() + static_cast<std::ptrdiff_t>(before);
    std::sort(first, writers.targets.end());
    writers.targets.erase(std::unique(first, writers.targets.end()), writers.targets.end());
    writers.begin.push_back(static_cast<std::uint32_t>(writers.targets.size()));
  }
  return writers;
}

// Calls edge(from, to); and later(from), then soon(from), for what will come.
template <class Visit, class Later, class Soon>
void Problem::for_each_known_edge(const Adjacency& writers, Visit edge, Later later, Soon soon) const {
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
  for (std::uint32_t t = 0, at = 0; t < n; ++t) {
    for (; at < writers.begin[t + std::size_t{1}]; ++at) {
      if (at + kLater < writers.targets.size()) later(commit_of(Txn{writers.targets[at + kLater]}));
      if (at + kSoon < writers.targets.size()) soon(commit_of(Txn{writers.targets[at + kSoon]}));
      edge(commit_of(Txn{writers.targets[at]}), begin_of(Txn{t}));
    }
  }
  for (const Edge& further : further_edges_) edge(further.from, further.to);
  for (const Reads::VersionOrder& shown : reads.version_orders())
    edge(commit_of(shown.before), overwrites(shown.after));
}

void Problem::build_known_order(const Adjacency& writers) {
  after_.begin.assign(nodes_ + std::size_t{1}, 0);
  before_.begin.assign(nodes_ + std::size_t{1}, 0);
  for_each_known_edge(
      writers,
      [&](Node u, Node v) {
        ++after_.begin[u + 1];
        ++before_.begin[v + 1];
      },
      [&](Node u) { prefetch(&after_.begin[u + 1]); }, [](Node) {});
  for (Node u = 0; u < nodes_; ++u) {
    after_.begin[u + 1] += after_.begin[u];
    before_.begin[u + 1] += before_.begin[u];
  }
  after_.targets.resize(after_.begin.back());
  before_.targets.resize(before_.begin.back());
  std::vector<std::uint32_t> next_after(after_.begin.begin(), after_.begin.end() - 1);
  std::vector<std::uint32_t> next_before(before_.begin.begin(), before_.begin.end() - 1);
  for_each_known_edge(
      writers,
      [&](Node u, Node v) {
        after_.targets[next_after[u]++] = v;
        before_.targets[next_before[v]++] = u;
      },
      [&](Node u) { prefetch(&next_after[u]); },
      [&](Node u) { prefetch(after_.targets.data() + next_after[u]); });
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
