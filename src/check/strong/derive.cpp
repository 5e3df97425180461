#include "check/strong/derive.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "check/derivation.hpp"
#include "check/expand.hpp"
#include "check/strong/saturate.hpp"

namespace assay::check {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

// Turns the cycle that forced edges ended in into steps, each with the steps that it rests on.
class Telling {
 public:
  Telling(const Problem& problem, const Forced& forced)
      : p_(problem), s_(forced), told_(s_.edges().size(), kNone) {}

  Derivation tell() {
    std::vector<Hop> hops;
    const std::span<const Node> cycle = s_.cycle();
    // Start where the walk along a session does not cross the seam.
    for (std::size_t i = 0; i < cycle.size(); ++i)
      hops.push_back(hop(cycle[i], cycle[(i + 1) % cycle.size()], kNone));
    std::size_t start = 0;
    while (start + 1 < hops.size() && !p_.is_event(hops[start].from)) ++start;
    for (std::size_t i = 0; i < hops.size(); ++i) {
      const std::size_t before = (i + hops.size() - 1) % hops.size();
      if (hops[before].edge != Forced::kKnown && p_.is_event(hops[i].from)) {
        start = i;
        break;
      }
    }
    std::rotate(hops.begin(), hops.begin() + static_cast<std::ptrdiff_t>(start), hops.end());
    derivation_.cycle = tell_path(hops);
    return std::move(derivation_);
  }

 private:
  struct Hop {
    Node from, to;
    std::uint32_t edge;
  };

  // The edge u -> v that was there first.
  Hop hop(Node u, Node v, std::uint32_t before_round) const {
    Hop best{u, v, Forced::kKnown};
    std::uint32_t round = kNone;
    bool known = false;
    s_.for_each_successor(u, before_round, [&](Node to, std::uint32_t e) {
      if (to != v) return;
      if (e == Forced::kKnown) {
        known = true;
      } else if (s_.edges()[e].round < round) {
        round = s_.edges()[e].round;
        best.edge = e;
      }
    });
    if (known) best.edge = Forced::kKnown;
    return best;
  }

  // A shortest path of edges that were there before a round.
  std::vector<Hop> path(Node from, Node to, std::uint32_t before_round) const {
    std::vector<Node> parent(p_.nodes(), kNone), queue{from};
    parent[from] = from;
    for (std::size_t i = 0; i < queue.size() && parent[to] == kNone; ++i) {
      s_.for_each_successor(queue[i], before_round, [&](Node v, std::uint32_t) {
        if (parent[v] != kNone) return;
        parent[v] = queue[i];
        queue.push_back(v);
      });
    }
    std::vector<Hop> hops;
    for (Node v = to; v != from; v = parent[v]) hops.push_back(hop(parent[v], v, before_round));
    std::reverse(hops.begin(), hops.end());
    return hops;
  }

  Event event(Node u) const {
    return {p_.txn_of(u), p_.is_commit(u) ? Event::Side::commit : Event::Side::begin};
  }

  std::uint32_t say(Step step) {
    derivation_.steps.push_back(std::move(step));
    return static_cast<std::uint32_t>(derivation_.steps.size() - 1);
  }

  bool along_session(const Hop& h) const {
    if (h.edge != Forced::kKnown || !p_.is_event(h.from) || !p_.is_event(h.to)) return false;
    const Txn a = p_.txn_of(h.from), b = p_.txn_of(h.to);
    if (a == b) return true;
    return p_.keep_sessions && index(b) == index(a) + 1 &&
           p_.history.session_of(a) == p_.history.session_of(b);
  }

  // Steps for a walk: runs along a session, and through points in time, become one step each.
  std::vector<std::uint32_t> tell_path(std::span<const Hop> hops) {
    std::vector<std::uint32_t> steps;
    for (std::size_t i = 0; i < hops.size();) {
      std::size_t end = i + 1;
      if (along_session(hops[i])) {
        while (end < hops.size() && along_session(hops[end])) ++end;
        const bool same = p_.txn_of(hops[i].from) == p_.txn_of(hops[end - 1].to);
        steps.push_back(say_known(hops[i].from, hops[end - 1].to, same ? Rule::program : Rule::session, {}));
      } else if (!p_.is_event(hops[i].to)) {
        while (end < hops.size() && !p_.is_event(hops[end - 1].to)) ++end;
        steps.push_back(say_known(hops[i].from, hops[end - 1].to, Rule::real_time, {}));
      } else if (hops[i].edge == Forced::kKnown) {
        steps.push_back(tell_known(hops[i].from, hops[i].to));
      } else {
        steps.push_back(tell_added(hops[i].edge));
      }
      i = end;
    }
    return steps;
  }

  std::uint32_t say_known(Node from, Node to, Rule rule, Key key, Txn witness = kInitialTxn) {
    const auto [at, fresh] = known_.try_emplace({from, to, rule}, 0);
    if (fresh) at->second = say({event(from), event(to), rule, key, witness, {}});
    return at->second;
  }

  std::uint32_t tell_known(Node from, Node to) {
    const Txn a = p_.txn_of(from), b = p_.txn_of(to);
    for (const Source source : p_.reads.reads_of(b)) {
      if (!source.is_ambiguous() && p_.reads.writer(source.write()) == a && p_.is_begin(to)) {
        return say_known(from, to, Rule::reads_from, p_.reads.key(source.write()));
      }
    }
    if (const Reads::VersionOrder* known = p_.reads.version_order(a, b)) {
      return say_known(from, to, Rule::version_order, known->key, known->shown_by);
    }
    return say_known(from, to, Rule::session, {});
  }

  std::uint32_t tell_added(std::uint32_t e) {
    if (told_[e] != kNone) return told_[e];
    const Forced::Edge edge = s_.edges()[e];
    std::vector<Hop> premise;
    const Txn from = p_.txn_of(edge.from), to = p_.txn_of(edge.to);
    switch (edge.rule) {
      case Rule::overwritten:
        premise = path(p_.commit_of(from), p_.begin_of(edge.witness), edge.round);
        break;
      case Rule::anti_dependency:
        premise = path(p_.level.writers_exclude ? p_.begin_of(edge.witness) : p_.commit_of(edge.witness),
                       p_.commit_of(to), edge.round);
        break;
      case Rule::first_committer:
        premise = path(p_.begin_of(from), p_.commit_of(to), edge.round);
        break;
      default:
        break;
    }
    Step step{event(edge.from), event(edge.to), edge.rule, edge.key, edge.witness, {}};
    step.premises = tell_path(premise);
    told_[e] = say(std::move(step));
    return told_[e];
  }

  const Problem& p_;
  const Forced& s_;
  Derivation derivation_;
  std::vector<std::uint32_t> told_;
  std::map<std::tuple<Node, Node, Rule>, std::uint32_t> known_;
};

// What is assumed in a case.
struct Assumption {
  Txn before, after;  // an order of two writers of `key` ...
  Key key;
  std::optional<std::uint32_t> read;  // ... or that this ambiguous read saw `choice`
  Write choice;
};

class Splitter {
 public:
  Splitter(const Problem& problem, Limits& limits)
      : p_(problem), limits_(limits), most_cases_(kWork / (std::uint64_t{p_.nodes()} * p_.nodes() + 1)) {}

  std::optional<Derivation> derive() {
    Saturation saturation(p_, {}, limits_);
    for (const Assumption& a : assumptions_) {
      if (a.read) {
        saturation.assume_choice(p_.ambiguous_reads()[*a.read], a.choice);
      } else {
        saturation.assume_order(a.before, a.after, a.key);
      }
    }
    switch (saturation.run()) {
      case Saturation::Result::gave_up:
        return std::nullopt;
      case Saturation::Result::cycle:
        return Telling(p_, saturation).tell();
      case Saturation::Result::fixpoint:
        break;
    }
    const std::vector<Assumption> cases = split(saturation);
    if (cases.empty()) return std::nullopt;  // nothing is open: there is no contradiction
    Derivation derivation;
    for (const Assumption& assumption : cases) {
      if (++cases_ > std::min<std::uint64_t>(kMostCases, most_cases_)) return std::nullopt;
      assumptions_.push_back(assumption);
      std::optional<Derivation> inner = derive();
      assumptions_.pop_back();
      if (!inner) return std::nullopt;
      derivation.cases.push_back({step(assumption), std::move(*inner)});
    }
    return derivation;
  }

 private:
  // More than anybody would read.
  static constexpr std::uint64_t kMostCases = 256;
  // A case costs about the square of the number of events; all of them together about as much as a second's
  // work.
  static constexpr std::uint64_t kWork = 20'000'000;

  Step step(const Assumption& a) const {
    if (!a.read) {
      const Event::Side side = p_.level.writers_exclude ? Event::Side::begin : Event::Side::commit;
      return {{a.before, Event::Side::commit}, {a.after, side}, Rule::decision, a.key, kInitialTxn, {}};
    }
    const Txn reader = p_.ambiguous_reads()[*a.read].reader;
    const Event::Side side = p_.level.two_events ? Event::Side::begin : Event::Side::commit;
    return {
        {p_.reads.writer(a.choice), Event::Side::commit}, {reader, side}, Rule::decision, a.key, reader, {}};
  }

  // The alternatives of something that is open: a read with several candidates, or the order of two writers
  // that matters to a reader (at snapshot isolation: of any two writers of a key).
  std::vector<Assumption> split(const Saturation& saturation) const {
    const Reads& reads = p_.reads;
    for (std::uint32_t q = 0; q < p_.ambiguous_reads().size(); ++q) {
      if (std::any_of(assumptions_.begin(), assumptions_.end(),
                      [&](const Assumption& a) { return a.read == q; })) {
        continue;
      }
      std::vector<Assumption> cases;
      for (const Write w : reads.candidates(p_.ambiguous_reads()[q].set))
        cases.push_back({{}, {}, reads.key(w), q, w});
      return cases;
    }
    for (std::uint32_t k = 0; k < reads.keys(); ++k) {
      for (const Write w : reads.writes_of(Key{k})) {
        if (reads.is_initial(w)) continue;
        const bool matters = p_.level.writers_exclude || !p_.readers(w).empty() || chosen(w);
        if (!matters) continue;
        for (const Write v : reads.writes_of(Key{k})) {
          if (reads.is_initial(v) || v == w) continue;
          const Txn a = reads.writer(w), b = reads.writer(v);
          if (saturation.precedes(p_.commit_of(a), p_.overwrites(b))) continue;
          if (saturation.precedes(p_.commit_of(b), p_.overwrites(a))) continue;
          return {{a, b, Key{k}, std::nullopt, {}}, {b, a, Key{k}, std::nullopt, {}}};
        }
      }
    }
    return {};
  }

  bool chosen(Write w) const {
    return std::any_of(assumptions_.begin(), assumptions_.end(),
                       [&](const Assumption& a) { return a.read && a.choice == w; });
  }

  const Problem& p_;
  Limits& limits_;
  std::vector<Assumption> assumptions_;
  std::uint64_t cases_ = 0, most_cases_;
};

}  // namespace

Derivation tell_cycle(const Problem& problem, const Forced& forced) {
  return Telling(problem, forced).tell();
}

std::optional<Derivation> derive_contradiction(const Question& question, std::span<const Txn> core,
                                               Limits& limits) {
  // What queries say of these few, and nothing more, is taken apart.
  std::optional<Expanded> expanded;
  if (question.history.has_queries()) expanded = expand_queries_among(question.history, core);
  const SubHistory part = sub_history(expanded ? expanded->history : question.history, core,
                                      ListPart::of_members, PrivateWrites::are_left_out);
  // Whoever takes part in the whole takes part here, even if the read that told so was left out.
  std::vector<Presence> fates;
  for (const Txn t : part.transactions) fates.push_back(question.reads.presence(t));
  const Reads reads = resolve_reads(part.history, fates);
  if (!reads.bad_reads().empty()) return std::nullopt;
  const Problem small({part.history, reads, question.level, question.keep_sessions, question.drift});
  std::optional<Derivation> derivation = Splitter(small, limits).derive();
  if (derivation) speak_of_the_whole(*derivation, part);
  return derivation;
}

}  // namespace assay::check
