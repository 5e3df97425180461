#include "check/opinion/polygraph.hpp"

#include <algorithm>
#include <unordered_map>

#include "memory/keyed_hash.hpp"

namespace assay::check {

namespace {

class PolygraphBuilder {
 public:
  PolygraphBuilder(const History& h, const Reads& reads, const EventRules& rules, std::size_t most_edges)
      : h_(h), reads_(reads), rules_(rules), most_edges_(most_edges) {}

  std::optional<Polygraph> build() {
    g_.one_event = rules_.one_event;
    g_.nodes = h_.transactions() * (rules_.one_event ? 1 : 2);
    g_.counts.assign(h_.transactions(), 0);
    for (const Txn t : h_.all_transactions()) {
      if (reads_.presence(t) == Presence::conditional) g_.counts[index(t)] = ++g_.variables;
      if (!rules_.one_event) edge(g_.begin_of(t), g_.commit_of(t));
    }
    if (rules_.keep_session) sessions();
    if (rules_.real_time) real_time();
    version_orders();
    for (std::uint32_t k = 0; k < reads_.keys(); ++k) {
      if (!order_writers(Key{k})) return std::nullopt;
    }
    for (const Txn t : h_.all_transactions()) {
      if (!attribute_reads(t)) return std::nullopt;
    }
    return std::move(g_);
  }

 private:
  void edge(std::uint32_t from, std::uint32_t to, std::array<Literal, 4> conditions = {}) {
    g_.edges.push_back({from, to, conditions});
  }
  Literal counts(Txn t) const { return g_.counts[index(t)]; }

  // Session order is transitive, so an absent transaction in between does no harm.
  void sessions() {
    for (std::uint32_t t = 1; t < h_.transactions(); ++t) {
      const Txn a{t - 1}, b{t};
      if (h_.session_of(a) == h_.session_of(b)) edge(g_.commit_of(a), g_.begin_of(b));
    }
  }

  // A chain of nodes for the times at which transactions ended, instead of an edge for every pair.
  void real_time() {
    std::vector<std::int64_t> ends;
    for (const Txn t : h_.all_transactions()) {
      if (const auto end = finished(h_, t)) ends.push_back(*end);
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    const std::uint32_t first = g_.nodes;
    g_.nodes += static_cast<std::uint32_t>(ends.size());
    for (std::uint32_t i = first + 1; i < g_.nodes; ++i) edge(i - 1, i);
    for (const Txn t : h_.all_transactions()) {
      if (const auto end = finished(h_, t)) {
        const auto at = std::lower_bound(ends.begin(), ends.end(), *end) - ends.begin();
        edge(g_.commit_of(t), first + static_cast<std::uint32_t>(at));
      }
      const auto start = h_.start(t);
      if (!start || reads_.presence(t) == Presence::absent) continue;
      const auto before = std::partition_point(ends.begin(), ends.end(), [&](std::int64_t end) {
        return certainly_before(end, *start, rules_.drift);
      });
      if (before == ends.begin()) continue;
      edge(first + static_cast<std::uint32_t>(before - ends.begin()) - 1, g_.begin_of(t), {counts(t)});
    }
  }

  void version_orders() {
    for (const Reads::VersionOrder& o : reads_.version_orders()) {
      edge(g_.commit_of(o.before), overwrites(o.after), {counts(o.before), counts(o.after)});
    }
  }
  std::uint32_t overwrites(Txn t) const { return rules_.disjoint ? g_.begin_of(t) : g_.commit_of(t); }

  // One variable per pair, and the write-write edge for each of its values.
  bool order_writers(Key k) {
    const auto writes = reads_.writes_of(k);
    for (std::uint32_t i = 1; i < writes.size(); ++i) {
      for (std::uint32_t j = i + 1; j < writes.size(); ++j) {
        const Txn a = reads_.writer(writes[i]), b = reads_.writer(writes[j]);
        const Literal order = ++g_.variables;
        order_[pair(writes[i], writes[j])] = order;
        edge(g_.commit_of(a), overwrites(b), {order, counts(a), counts(b)});
        edge(g_.commit_of(b), overwrites(a), {-order, counts(a), counts(b)});
      }
      if (g_.edges.size() > most_edges_) return false;
    }
    return true;
  }
  static std::uint64_t pair(Write a, Write b) { return std::uint64_t{index(a)} << 32 | index(b); }
  // True iff `a` is overwritten by `b`.
  Literal before(Write a, Write b) const {
    if (reads_.is_initial(a)) return 0;
    return a < b ? order_.at(pair(a, b)) : -order_.at(pair(b, a));
  }

  bool attribute_reads(Txn t) {
    // All reads of a transaction happen at once, so equal ones have one choice of writer.
    const auto all = reads_.reads_of(t);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Source r = all[i];
      if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), r) !=
          all.begin() + static_cast<std::ptrdiff_t>(i)) {
        continue;
      }
      if (!r.is_ambiguous()) {
        read_from(t, r.write(), 0);
      } else {
        std::vector<Literal> some;
        for (const Write w : reads_.candidates(r.set())) {
          const Literal choice = ++g_.variables;
          some.push_back(choice);
          if (!reads_.is_initial(w) && counts(reads_.writer(w)) != 0) {
            g_.clauses.push_back({-choice, counts(reads_.writer(w))});
          }
          read_from(t, w, choice);
          if (g_.edges.size() > most_edges_) return false;
        }
        g_.clauses.push_back(std::move(some));
      }
      if (g_.edges.size() > most_edges_) return false;
    }
    return true;
  }

  void read_from(Txn reader, Write w, Literal choice) {
    if (!reads_.is_initial(w)) edge(g_.commit_of(reads_.writer(w)), g_.begin_of(reader), {choice});
    for (const Write other : reads_.writes_of(reads_.key(w))) {
      if (other == w || reads_.is_initial(other) || reads_.writer(other) == reader) continue;
      edge(g_.begin_of(reader), g_.commit_of(reads_.writer(other)),
           {choice, before(w, other), counts(reads_.writer(other))});
    }
  }

  const History& h_;
  const Reads& reads_;
  const EventRules& rules_;
  std::size_t most_edges_;
  Polygraph g_;
  std::unordered_map<std::uint64_t, Literal, KeyedWordHash> order_;
};

}  // namespace

std::optional<Polygraph> build_polygraph(const History& history, const Reads& reads, const EventRules& rules,
                                         std::size_t most_edges) {
  return PolygraphBuilder(history, reads, rules, most_edges).build();
}

}  // namespace assay::check
