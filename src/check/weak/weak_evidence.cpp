#include "check/weak/weak_evidence.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "memory/keyed_hash.hpp"

namespace assay::check {

namespace {

constexpr std::uint8_t kDead = 0xFF;

// The shapes of paths along which a level's axiom lets one transaction see another, as a small automaton:
// where a step of session order (any distance) and a step of reads-from lead.
struct Visibility {
  struct State {
    std::uint8_t session = kDead, reads_from = kDead;
    bool accepts = false;
  };
  std::array<State, 4> states;
};

Visibility visibility(Level level) {
  switch (level) {
    case Level::read_your_writes:
      return {{{{1, kDead}, {kDead, kDead, true}}}};
    case Level::monotonic_reads:
      return {{{{kDead, 1}, {2, kDead}, {kDead, kDead, true}}}};
    case Level::monotonic_writes:
      return {{{{1, kDead}, {kDead, 2}, {kDead, kDead, true}}}};
    case Level::writes_follow_reads:
      return {{{{kDead, 1}, {2, 3}, {kDead, 3}, {kDead, kDead, true}}}};
    case Level::read_atomic:
      return {{{{1, 1}, {kDead, kDead, true}}}};
    case Level::causal:
      return {{{{1, 1}, {1, 1, true}}}};
    default:  // read committed, monotonic atomic view, repeatable read: what the reader itself read from
      return {{{{kDead, 1}, {kDead, kDead, true}}}};
  }
}

class Explainer {
 public:
  Explainer(const AttributedHistory& history, Level level) : h_(history), level_(level) {}

  std::uint32_t order(Txn from, Txn to) {
    // Repeatable read knows no other order than that of the versions which one transaction saw.
    if (to != kNobody && level_ != Level::repeatable_read) {
      if (h_.session_before(from, to)) return step(from, to, Rule::session);
      if (const auto read = read_between(from, to)) return read_step(to, *read);
      for (const Reads::VersionOrder& known : h_.reads().version_orders()) {
        if (known.before == from && known.after == to) {
          const std::uint32_t made = step(from, to, Rule::version_order);
          result_.derivation.steps[made].key = known.key;
          result_.derivation.steps[made].witness = known.shown_by;
          return made;
        }
      }
    }
    return axiom(from, to);
  }

  std::uint32_t initial(Txn to) { return step(kNobody, to, Rule::initial); }

  Explanation finish(std::vector<std::uint32_t> cycle) {
    result_.derivation.cycle = std::move(cycle);
    return std::move(result_);
  }

 private:
  struct Instance {
    std::uint32_t read;  // of `to`, by the witness
    Txn witness;
    std::vector<Txn> path;   // from `from` to the witness; or, inside a reader, ...
    std::uint32_t seen = 0;  // ... its read of `from`
  };

  std::uint32_t step(Txn from, Txn to, Rule rule) {
    for (const Txn t : {from, to}) {
      if (t == kNobody || h_.reads().presence(t) != Presence::conditional) continue;
      if (std::find(result_.conditional.begin(), result_.conditional.end(), t) == result_.conditional.end()) {
        result_.conditional.push_back(t);
      }
    }
    result_.derivation.steps.push_back({{from}, {to}, rule, {}, kInitialTxn, {}});
    return static_cast<std::uint32_t>(result_.derivation.steps.size() - 1);
  }

  std::uint32_t read_step(Txn reader, std::uint32_t read) {
    const bool chosen = h_.is_ambiguous(read);
    if (chosen) result_.ambiguous_reads.push_back(read);
    const std::uint32_t made = step(h_.source(read), reader, chosen ? Rule::decision : Rule::reads_from);
    result_.derivation.steps[made].key = h_.key(read);
    return made;
  }

  // A read of `to` that saw `from`; one that had no choice if there is any.
  std::optional<std::uint32_t> read_between(Txn from, Txn to) const {
    std::optional<std::uint32_t> found;
    for (std::uint32_t read = h_.first_read(to); read < h_.last_read(to); ++read) {
      if (h_.source(read) != from) continue;
      if (!h_.is_ambiguous(read)) return read;
      if (!found) found = read;
    }
    return found;
  }

  std::uint32_t axiom(Txn from, Txn to) {
    const std::optional<Instance> instance =
        within_transaction() ? instance_inside_a_reader(from, to) : instance_by_path(from, to);
    assert(instance);
    std::vector<std::uint32_t> premises;
    if (within_transaction()) {
      premises.push_back(read_step(instance->witness, instance->seen));
    } else {
      for (std::size_t i = 0; i + 1 < instance->path.size(); ++i) {
        premises.push_back(visible_step(instance->path[i], instance->path[i + 1]));
      }
    }
    premises.push_back(read_step(instance->witness, instance->read));
    const std::uint32_t made = step(from, to, Rule::axiom);
    Step& forced = result_.derivation.steps[made];
    forced.key = h_.key(instance->read);
    forced.witness = instance->witness;
    forced.premises = std::move(premises);
    return made;
  }

  std::uint32_t visible_step(Txn from, Txn to) {
    if (h_.session_before(from, to) && !by_reading_.contains(key_of(from, to))) {
      return step(from, to, Rule::session);
    }
    return read_step(to, *read_between(from, to));
  }
  static std::uint64_t key_of(Txn a, Txn b) { return std::uint64_t{index(a)} << 32 | index(b); }

  bool within_transaction() const {
    return level_ == Level::read_committed || level_ == Level::monotonic_atomic_view ||
           level_ == Level::repeatable_read;
  }

  // The reads that saw `to` on a key that `from` writes, with their transactions.
  using ReadsOf = std::unordered_map<Txn, std::vector<std::uint32_t>>;
  ReadsOf reads_of(Txn from, Txn to) const {
    ReadsOf found;
    const auto look_at = [&](Txn t) {
      for (std::uint32_t read = h_.first_read(t); read < h_.last_read(t); ++read) {
        if (h_.source(read) == to && h_.writes_key(from, h_.key(read))) found[t].push_back(read);
      }
    };
    if (to == kNobody) {
      for (const Txn t : h_.all_transactions()) look_at(t);
    } else {
      std::unordered_set<Txn> readers;
      for (const Txn reader : h_.readers(to)) {
        if (readers.insert(reader).second) look_at(reader);
      }
    }
    return found;
  }

  std::optional<Instance> instance_inside_a_reader(Txn from, Txn to) const {
    const auto targets = reads_of(from, to);
    for (const Txn reader : h_.readers(from)) {
      const auto reads = targets.find(reader);
      if (reads == targets.end()) continue;
      for (std::uint32_t seen = h_.first_read(reader); seen < h_.last_read(reader); ++seen) {
        if (h_.source(seen) != from) continue;
        for (const std::uint32_t read : reads->second) {
          const bool visible =
              level_ == Level::repeatable_read ? h_.key(seen) == h_.key(read) : h_.is_before(seen, read);
          if (visible) return Instance{read, reader, {}, seen};
        }
      }
    }
    return std::nullopt;
  }

  static Txn txn_of(std::uint64_t state) { return Txn{static_cast<std::uint32_t>(state >> 8)}; }

  // Breadth first through the automaton, so the path is a shortest one.
  std::optional<Instance> instance_by_path(Txn from, Txn to) {
    const auto targets = reads_of(from, to);
    const Visibility shape = visibility(level_);
    const auto state_key = [](Txn t, std::uint8_t s) { return std::uint64_t{index(t)} << 8 | s; };
    struct Parent {
      std::uint64_t state;
      bool reading;
    };
    std::unordered_map<std::uint64_t, Parent> parent{{state_key(from, 0), {0, false}}};
    std::unordered_set<std::uint64_t> walked;
    std::vector<std::uint64_t> queue{state_key(from, 0)};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint64_t state = queue[i];
      const Txn t = txn_of(state);
      const Visibility::State& rules = shape.states[state & 0xFF];
      if (rules.accepts) {
        if (const auto reads = targets.find(t); reads != targets.end()) {
          return trace(
              reads->second[0], t, [&](std::uint64_t s) { return parent.at(s); }, state, state_key(from, 0));
        }
      }
      const auto reach = [&](Txn next, std::uint8_t next_state, bool reading) {
        if (parent.emplace(state_key(next, next_state), Parent{state, reading}).second) {
          queue.push_back(state_key(next, next_state));
        }
      };
      if (rules.reads_from != kDead) {
        for (const Txn reader : h_.readers(t)) reach(reader, rules.reads_from, true);
      }
      if (rules.session == kDead) continue;
      for (Txn next = h_.next(t); next != kNobody; next = h_.next(next)) {
        if (!walked.insert(state_key(next, rules.session)).second) break;
        reach(next, rules.session, false);
      }
    }
    return std::nullopt;
  }

  template <class ParentOf>
  Instance trace(std::uint32_t read, Txn witness, const ParentOf& parent_of, std::uint64_t state,
                 std::uint64_t start) {
    Instance instance{read, witness, {}};
    by_reading_.clear();
    while (state != start) {
      const auto parent = parent_of(state);
      const Txn to = txn_of(state);
      const Txn from = txn_of(parent.state);
      instance.path.push_back(to);
      if (parent.reading) by_reading_.insert(key_of(from, to));
      state = parent.state;
    }
    instance.path.push_back(txn_of(start));
    std::reverse(instance.path.begin(), instance.path.end());
    return instance;
  }

  const AttributedHistory& h_;
  Level level_;
  Explanation result_;
  // Pairs on the current path that are joined by a read.
  std::unordered_set<std::uint64_t, KeyedWordHash> by_reading_;
};

}  // namespace

Explanation explain_cycle(const AttributedHistory& history, Level level, std::span<const Txn> cycle) {
  Explainer explainer(history, level);
  std::vector<std::uint32_t> steps;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    steps.push_back(explainer.order(cycle[i], cycle[(i + 1) % cycle.size()]));
  }
  return explainer.finish(std::move(steps));
}

Explanation explain_before_initial(const AttributedHistory& history, Level level, Txn t) {
  Explainer explainer(history, level);
  const std::uint32_t forced = explainer.order(t, kNobody);
  const std::uint32_t initial = explainer.initial(t);
  return explainer.finish({forced, initial});
}

}  // namespace assay::check
