#include "support/judge/weak_evidence_check.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace assay {

namespace {

using check::Derivation;
using check::Outcome;
using check::Presence;
using check::Reads;
using check::Rule;
using check::SessionOrder;
using check::Source;
using check::Step;
using check::Write;

struct Read {
  Txn source;
  Key key;
};

bool writes_key(const Reads& reads, Txn t, Key k) {
  const auto writes = reads.writes_of(t);
  return std::any_of(writes.begin(), writes.end(), [&](Write w) { return reads.key(w) == k; });
}

// All that an axiom can speak of, given an attribution.
class Relations {
 public:
  Relations(const Reads& reads, const History& h, const Outcome& outcome, SessionOrder sessions)
      : reads_(reads), h_(h), keep_(sessions == SessionOrder::keep), of_(h.transactions()) {
    std::size_t next = 0;
    for (const Txn t : h.all_transactions()) {
      for (const Source s : reads.reads_of(t)) {
        const Write w = s.is_ambiguous() ? reads.candidates(s.set())[outcome.choices.at(next++)] : s.write();
        of_[index(t)].push_back({reads.writer(w), reads.key(w)});
        if (!reads.is_initial(w)) read_from_.push_back(reads.writer(w));
      }
    }
  }

  bool counts(Txn t) const {
    return reads_.presence(t) == Presence::present ||
           std::find(read_from_.begin(), read_from_.end(), t) != read_from_.end();
  }
  const std::vector<Read>& reads_of(Txn t) const { return of_[index(t)]; }
  bool so(Txn a, Txn b) const {
    return keep_ && counts(a) && counts(b) && a < b && h_.session_of(a) == h_.session_of(b);
  }
  bool wr(Txn a, Txn b) const {
    return std::any_of(of_[index(b)].begin(), of_[index(b)].end(),
                       [&](const Read& r) { return r.source == a; });
  }
  template <class Holds>
  bool some(Holds holds) const {
    for (const Txn t : h_.all_transactions()) {
      if (counts(t) && holds(t)) return true;
    }
    return false;
  }
  bool causal(Txn a, Txn b) const {
    std::vector<Txn> reached{a};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const Txn t : h_.all_transactions()) {
        if (!(so(reached[i], t) || wr(reached[i], t))) continue;
        if (t == b) return true;
        if (std::find(reached.begin(), reached.end(), t) == reached.end()) reached.push_back(t);
      }
    }
    return false;
  }

  bool visible(Level level, Txn t2, Txn t3, std::size_t read) const {
    const std::vector<Read>& mine = of_[index(t3)];
    switch (level) {
      case Level::read_committed:
      case Level::monotonic_atomic_view:
        return std::any_of(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(read),
                           [&](const Read& r) { return r.source == t2; });
      case Level::repeatable_read:
        return std::any_of(mine.begin(), mine.end(),
                           [&](const Read& r) { return r.source == t2 && r.key == mine[read].key; });
      case Level::read_atomic:
        return so(t2, t3) || wr(t2, t3);
      case Level::causal:
        return causal(t2, t3);
      case Level::read_your_writes:
        return so(t2, t3);
      case Level::monotonic_reads:
        return some([&](Txn t) { return wr(t2, t) && so(t, t3); });
      case Level::monotonic_writes:
        return some([&](Txn t) { return so(t2, t) && wr(t, t3); });
      default:
        return some([&](Txn t) {
          return wr(t, t3) && some([&](Txn u) { return wr(t2, u) && (u == t || so(u, t)); });
        });
    }
  }

 private:
  const Reads& reads_;
  const History& h_;
  bool keep_;
  std::vector<std::vector<Read>> of_;
  std::vector<Txn> read_from_;
};

std::string say(Txn a, const char* what, Txn b) {
  return std::to_string(index(a)) + what + std::to_string(index(b));
}

}  // namespace

std::string fault_in_order(const Reads& reads, const History& h, const Outcome& outcome,
                           SessionOrder sessions) {
  const Relations relations(reads, h, outcome, sessions);
  std::map<Txn, std::size_t> place;
  for (const check::Event& event : outcome.order) {
    if (!relations.counts(event.txn)) return "contains a transaction that does not count";
    if (!place.emplace(event.txn, place.size() + 1).second) return "contains a transaction twice";
  }
  place[kInitialTxn] = 0;
  for (const Txn t : h.all_transactions()) {
    if (relations.counts(t) && !place.contains(t)) return "lacks a transaction";
  }
  const auto before = [&](Txn a, Txn b) { return place.at(a) < place.at(b); };
  for (const Reads::VersionOrder& known : reads.version_orders()) {
    if (relations.counts(known.before) && relations.counts(known.after) &&
        !before(known.before, known.after)) {
      return say(known.before, " is not before by version order ", known.after);
    }
  }
  for (const Txn t3 : h.all_transactions()) {
    for (const Txn t : h.all_transactions()) {
      if (relations.so(t, t3) && !before(t, t3)) return say(t, " is not before by session ", t3);
    }
    const auto& mine = relations.reads_of(t3);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (!before(mine[i].source, t3)) return say(mine[i].source, " is not before its reader ", t3);
      for (const Txn t2 : h.all_transactions()) {
        if (!relations.counts(t2) || t2 == mine[i].source || !writes_key(reads, t2, mine[i].key)) continue;
        if (relations.visible(outcome.level, t2, t3, i) && !before(t2, mine[i].source)) {
          return say(t2, " is visible but not before ", mine[i].source);
        }
      }
    }
  }
  return {};
}

namespace {

class DerivationCheck {
 public:
  DerivationCheck(const Reads& reads, const History& h, const Outcome& outcome, SessionOrder sessions)
      : reads_(reads),
        h_(h),
        level_(outcome.level),
        d_(outcome.derivation),
        keep_(sessions == SessionOrder::keep) {}

  std::string fault() const {
    if (d_.cycle.empty()) return "no cycle";
    for (std::size_t i = 0; i < d_.cycle.size(); ++i) {
      if (d_.cycle[i] >= d_.steps.size()) return "cycle of unknown steps";
      const Step& next = d_.steps.at(d_.cycle[(i + 1) % d_.cycle.size()]);
      if (d_.steps[d_.cycle[i]].to != next.from) return "cycle does not close";
    }
    for (std::size_t i = 0; i < d_.steps.size(); ++i) {
      const Step& step = d_.steps[i];
      for (const std::uint32_t premise : step.premises) {
        if (premise >= i) return "premise is not earlier";
      }
      if (step.from.txn != kInitialTxn && reads_.presence(step.from.txn) == Presence::absent) return "absent";
      if (!sound(step)) return "step " + std::to_string(i) + " is not sound";
    }
    return {};
  }

 private:
  bool could_see(Txn reader, std::size_t read, Txn source, Key key, bool chosen) const {
    const Source s = reads_.reads_of(reader)[read];
    if (s.is_ambiguous() != chosen || reads_.key(s) != key) return false;
    if (!chosen) return reads_.writer(s.write()) == source;
    const auto candidates = reads_.candidates(s.set());
    return std::any_of(candidates.begin(), candidates.end(),
                       [&](Write w) { return reads_.writer(w) == source; });
  }
  bool some_read(const Step& step) const {
    for (std::size_t i = 0; i < reads_.reads_of(step.to.txn).size(); ++i) {
      if (could_see(step.to.txn, i, step.from.txn, step.key, step.rule == Rule::decision)) return true;
    }
    return false;
  }

  bool sound(const Step& step) const {
    switch (step.rule) {
      case Rule::session:
        return keep_ && step.from.txn < step.to.txn &&
               h_.session_of(step.from.txn) == h_.session_of(step.to.txn);
      case Rule::reads_from:
      case Rule::decision:
        return some_read(step);
      case Rule::initial:
        return step.from.txn == kInitialTxn;
      case Rule::version_order:
        return std::any_of(reads_.version_orders().begin(), reads_.version_orders().end(),
                           [&](const Reads::VersionOrder& k) {
                             return k.before == step.from.txn && k.after == step.to.txn && k.key == step.key;
                           });
      case Rule::axiom:
        return axiom(step);
      default:
        return false;
    }
  }

  // The premises are a path by which `from` is visible to the witness, then the witness's read.
  bool axiom(const Step& step) const {
    if (step.premises.size() < 2 || !writes_key(reads_, step.from.txn, step.key)) return false;
    if (step.from.txn == step.to.txn) return false;
    const Step& read = d_.steps[step.premises.back()];
    const auto is_read = [](const Step& s) { return s.rule == Rule::reads_from || s.rule == Rule::decision; };
    if (!is_read(read) || read.from != step.to || read.to.txn != step.witness || read.key != step.key) {
      return false;
    }
    std::string path;
    Txn at = step.from.txn;
    for (std::size_t i = 0; i + 1 < step.premises.size(); ++i) {
      const Step& s = d_.steps[step.premises[i]];
      if (s.from.txn != at) return false;
      at = s.to.txn;
      path += is_read(s) ? 'r' : s.rule == Rule::session ? 's' : '?';
    }
    if (at != step.witness || path.find('?') != std::string::npos) return false;
    const Step& seen = d_.steps[step.premises[0]];
    const bool one_read = path == "r";
    const bool same_key = one_read && seen.key == read.key;
    const bool in_order = one_read && in_program_order(seen, read);
    switch (level_) {
      case Level::read_committed:
      case Level::monotonic_atomic_view:
        return in_order;
      case Level::repeatable_read:
        return same_key;
      case Level::read_your_writes:
        return path == "s";
      case Level::monotonic_reads:
        return path == "rs";
      case Level::monotonic_writes:
        return path == "sr";
      case Level::writes_follow_reads:
        return path == "rr" || path == "rsr";
      case Level::read_atomic:
        return path.size() == 1;
      default:
        return true;
    }
  }

  bool in_program_order(const Step& first, const Step& second) const {
    const std::size_t n = reads_.reads_of(first.to.txn).size();
    for (std::size_t i = 0; i < n; ++i) {
      if (!could_see(first.to.txn, i, first.from.txn, first.key, first.rule == Rule::decision)) continue;
      for (std::size_t j = i + 1; j < n; ++j) {
        if (could_see(first.to.txn, j, second.from.txn, second.key, second.rule == Rule::decision))
          return true;
      }
    }
    return false;
  }

  const Reads& reads_;
  const History& h_;
  Level level_;
  const Derivation& d_;
  bool keep_;
};

}  // namespace

std::string fault_in_derivation(const Reads& reads, const History& h, const Outcome& outcome,
                                SessionOrder sessions) {
  return DerivationCheck(reads, h, outcome, sessions).fault();
}

}  // namespace assay
