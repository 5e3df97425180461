#include "evidence/prove.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "history/builder.hpp"

namespace assay::evidence {

using check::Derivation;
using check::Event;
using check::Outcome;
using check::Rule;
using check::Step;

namespace {

constexpr std::uint32_t kMostCases = 2000;

Key key_of(const History& h, Op op) {
  return h.kind(op) == OpKind::list_read ? h.list(op).key : h.key(op);
}

// A read of a register that others answered, and who can have.
struct OpenRead {
  Op op;
  Txn reader;
  Version version;
  std::vector<Txn> candidates;  // kInitialTxn for the initial state
};

using Choices = std::map<Op, Txn>;

// Who wrote what last, and which reads others answered: for histories of a few transactions.
class Facts {
 public:
  explicit Facts(const History& history) : h_(history) {
    for (const Op op : IdRange<Op>{0, h_.operations()}) {
      if (h_.kind(op) == OpKind::append) lists_.push_back(h_.key(op));
      if (h_.kind(op) == OpKind::list_read) lists_.push_back(h_.list(op).key);
    }
    std::sort(lists_.begin(), lists_.end());
    for (const Txn t : h_.all_transactions()) {
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op))) last_writes_.push_back({h_.key(op), t, op});
      }
    }
    std::sort(last_writes_.begin(), last_writes_.end());
    const auto overwritten =
        std::unique(last_writes_.rbegin(), last_writes_.rend(),
                    [](const LastWrite& a, const LastWrite& b) { return a.key == b.key && a.txn == b.txn; });
    last_writes_.erase(last_writes_.begin(), overwritten.base());
  }

  bool is_list(Key k) const { return std::binary_search(lists_.begin(), lists_.end(), k); }

  std::optional<Op> last_write(Txn t, Key k) const {
    const auto at = std::lower_bound(last_writes_.begin(), last_writes_.end(), LastWrite{k, t, Op{0}});
    if (at == last_writes_.end() || at->key != k || at->txn != t) return std::nullopt;
    return at->op;
  }
  bool wrote_before(Txn t, Op op, Key k) const {
    for (const Op other : h_.operations_of(t)) {
      if (other == op) return false;
      if (writes(h_.kind(other)) && h_.key(other) == k) return true;
    }
    return false;
  }
  std::vector<Txn> possible_writers(Version v, Txn reader) const {
    std::vector<Txn> found;
    if (h_.covers(v, h_.initial_version(h_.key_of(v)))) found.push_back(kInitialTxn);
    const Key k = h_.key_of(v);
    auto at = std::lower_bound(last_writes_.begin(), last_writes_.end(), LastWrite{k, Txn{0}, Op{0}});
    for (; at != last_writes_.end() && at->key == k; ++at) {
      if (at->txn == reader || h_.status(at->txn) == Status::aborted) continue;
      if (h_.covers(v, h_.version(at->op))) found.push_back(at->txn);
    }
    return found;
  }
  // What a read of `v` saw if it saw this writer. REQUIRES: the writer is a possible one.
  Version version_from(Txn writer, Version v) const {
    if (!h_.is_set(v)) return v;
    const Key k = h_.key_of(v);
    return writer == kInitialTxn ? h_.initial_version(k) : h_.version(*last_write(writer, k));
  }
  // What a list read shows of others, and the last transaction among them.
  Txn source_of_list(Txn reader, Op op) const {
    const ListRead list = h_.list(op);
    Txn source = kInitialTxn;
    for (const Version v : list.elements) {
      const Txn t = appender(v);
      if (t != kInitialTxn && t != reader) source = t;
    }
    return source;
  }
  Txn appender(Version v) const {
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::aborted) continue;
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) == OpKind::append && h_.version(op) == v) return t;
      }
    }
    return kInitialTxn;
  }

  // Whether this operation is a read of `key` that saw `writer`. REQUIRES: no read is ambiguous.
  bool saw(Txn reader, Op op, Key key, Txn writer) const {
    if (h_.kind(op) == OpKind::list_read)
      return h_.list(op).key == key && source_of_list(reader, op) == writer;
    if (h_.kind(op) != OpKind::read || h_.key(op) != key) return false;
    if (is_list(key)) return writer == kInitialTxn;
    if (wrote_before(reader, op, key)) return false;
    const std::vector<Txn> writers = possible_writers(h_.version(op), reader);
    return writers.size() == 1 && writers[0] == writer;
  }

  // Whether a list read shows that `a` appended before `b` did.
  bool shows_order(Op op, Key key, Txn a, Txn b) const {
    if (h_.kind(op) != OpKind::list_read || h_.list(op).key != key) return false;
    bool seen_a = false;
    for (const Version v : h_.list(op).elements) {
      const Txn t = appender(v);
      if (t == b) return seen_a;
      seen_a = seen_a || t == a;
    }
    return seen_a;
  }

 private:
  struct LastWrite {
    Key key;
    Txn txn;
    Op op;
    auto operator<=>(const LastWrite&) const = default;
  };

  const History& h_;
  std::vector<Key> lists_;
  std::vector<LastWrite> last_writes_;  // one for each transaction and key, sorted
};

std::vector<OpenRead> open_reads(const History& h, const Facts& facts) {
  std::vector<OpenRead> found;
  for (const Txn t : h.all_transactions()) {
    if (h.status(t) != Status::committed) continue;
    for (const Op op : h.operations_of(t)) {
      if (h.kind(op) != OpKind::read || facts.is_list(h.key(op)) || facts.wrote_before(t, op, h.key(op)))
        continue;
      std::vector<Txn> candidates = facts.possible_writers(h.version(op), t);
      if (candidates.size() > 1) found.push_back({op, t, h.version(op), std::move(candidates)});
    }
  }
  return found;
}

// The history in which the chosen reads saw what was chosen for them, and each value has one writer. Reads
// that are still open are left out, and so are a transaction's reads of its own writes.
struct Resolved {
  History history;
  std::vector<Key> keys;       // -> of the original
  std::vector<Op> operations;  // -> of the original
};

class Resolver {
 public:
  Resolver(const History& h, const Facts& facts, const std::vector<OpenRead>& open, const Choices& choices)
      : h_(h), facts_(facts), open_(open), choices_(choices) {
    for (const OpenRead& read : open) {
      ambiguous_.push_back(read.version);
      if (!h_.is_set(read.version)) continue;
      const std::span<const Version> members = h_.members(read.version);
      ambiguous_.insert(ambiguous_.end(), members.begin(), members.end());
    }
    std::sort(ambiguous_.begin(), ambiguous_.end());
  }

  Resolved resolve() {
    build_.clocks(h_.clocks());
    for (const Txn t : h_.all_transactions()) {
      build_.begin(build_.session(h_.name(h_.session_of(t))), h_.name(t));
      Op moment{};
      for (const Op op : h_.operations_of(t)) {
        if (!h_.same_moment(op)) moment = op;
        if (!add(t, op)) continue;
        const bool first = made_.operations.empty() || made_.operations.back() < h_.operations_of(t)[0];
        if (!first && made_.operations.back() >= moment) build_.same_moment();
        made_.operations.push_back(op);
      }
      build_.end(h_.status(t), h_.start(t), h_.end(t));
    }
    made_.history = build_.finish();
    made_.keys.resize(made_.history.keys());
    for (std::uint32_t i = 0; i < made_.operations.size(); ++i) {
      made_.keys[index(key_of(made_.history, Op{i}))] = key_of(h_, made_.operations[i]);
    }
    return std::move(made_);
  }

 private:
  Atom name(Key k) const { return h_.name(k); }
  // Not the text of any JSON value, so no value of the input is like it.
  std::string value_of(Txn writer, Version v) const {
    return "value " + std::to_string(index(v)) + " of " + std::to_string(index(writer));
  }

  bool add(Txn t, Op op) {
    switch (const OpKind kind = h_.kind(op); kind) {
      case OpKind::predicate_read:
      case OpKind::range_read:
      case OpKind::rows_read:
        return false;
      case OpKind::list_read: {
        std::vector<Atom> elements;
        for (const Version v : h_.list(op).elements) elements.push_back(h_.value(v));
        build_.list_read(name(h_.list(op).key), elements);
        return true;
      }
      case OpKind::append:
        build_.append(name(h_.key(op)), h_.value(h_.version(op)));
        return true;
      case OpKind::read:
        return add_read(t, op);
      default:
        add_write(t, op);
        return true;
    }
  }

  bool add_read(Txn t, Op op) {
    const Version v = h_.version(op);
    const Key k = h_.key_of(v);
    if (facts_.wrote_before(t, op, k) && !facts_.is_list(k)) return false;
    const auto choice = choices_.find(op);
    const bool is_open =
        std::any_of(open_.begin(), open_.end(), [&](const OpenRead& read) { return read.op == op; });
    if (choice == choices_.end()) {
      if (is_open) return false;
      // Its only possible writer may have had its value renamed for the sake of others.
      const std::vector<Txn> writers =
          facts_.is_list(k) ? std::vector<Txn>{kInitialTxn} : facts_.possible_writers(v, t);
      if (writers.empty() && h_.is_set(v)) return false;
      const Txn writer = writers.size() == 1 ? writers[0] : kInitialTxn;
      add_read_of(facts_.version_from(writer, v), k, writer);
    } else {
      add_read_of(facts_.version_from(choice->second, v), k, choice->second);
    }
    return true;
  }
  void add_read_of(Version v, Key k, Txn writer) {
    const bool renamed = std::binary_search(ambiguous_.begin(), ambiguous_.end(), v);
    if (renamed && writer != kInitialTxn) {
      const std::string value = value_of(writer, v);
      build_.read(name(k), Atom::json(value));
    } else {
      h_.is_initial(v) ? build_.read_initial(name(k)) : build_.read(name(k), h_.value(v));
    }
  }

  void add_write(Txn t, Op op) {
    const Version v = h_.version(op);
    const Key k = h_.key_of(v);
    const bool erases = h_.kind(op) == OpKind::erase;
    if (std::binary_search(ambiguous_.begin(), ambiguous_.end(), v) && facts_.last_write(t, k) == op) {
      const std::string value = value_of(t, v);
      erases ? build_.erase(name(k), Atom::json(value)) : build_.write(name(k), Atom::json(value));
    } else if (h_.is_initial(v)) {
      build_.erase(name(k));
    } else {
      erases ? build_.erase(name(k), h_.value(v)) : build_.write(name(k), h_.value(v));
    }
  }

  const History& h_;
  const Facts& facts_;
  const std::vector<OpenRead>& open_;
  const Choices& choices_;
  std::vector<Version> ambiguous_;
  HistoryBuilder build_;
  Resolved made_;
};

// Gives each step its read.
class Namer {
 public:
  explicit Namer(const Resolved& resolved) : resolved_(resolved), h_(resolved.history), facts_(h_) {}

  void name_reads(Derivation& derivation) const {
    for (Step& step : derivation.steps) name_read(step, derivation.steps);
    for (Derivation::Case& one : derivation.cases) {
      translate(one.assumption);
      name_reads(one.derivation);
    }
    for (Step& step : derivation.steps) translate(step);
  }

 private:
  Op first_read(Txn reader, Key key, Txn writer) const {
    for (const Op op : h_.operations_of(reader)) {
      if (facts_.saw(reader, op, key, writer)) return op;
    }
    return check::kNoOp;
  }
  Op last_read(Txn reader, Key key, Txn writer) const {
    Op found = check::kNoOp;
    for (const Op op : h_.operations_of(reader)) {
      if (facts_.saw(reader, op, key, writer)) found = op;
    }
    return found;
  }

  void name_read(Step& step, std::vector<Step>& steps) const {
    switch (step.rule) {
      case Rule::reads_from:
        step.read = first_read(step.to.txn, step.key, step.from.txn);
        break;
      case Rule::initial:
        if (step.from.txn != kInitialTxn) step.read = first_read(step.from.txn, step.key, kInitialTxn);
        break;
      case Rule::overwritten:
        step.read = first_read(step.witness, step.key, step.to.txn);
        break;
      case Rule::anti_dependency:
        step.read = first_read(step.from.txn, step.key, step.witness);
        break;
      case Rule::axiom:
        // What was visible was seen before, where a level cares.
        step.read = last_read(step.witness, step.key, step.to.txn);
        steps[step.premises.back()].read = step.read;
        break;
      case Rule::version_order:
        for (const Txn t : h_.all_transactions()) {
          if (h_.status(t) != Status::committed) continue;
          for (const Op op : h_.operations_of(t)) {
            if (facts_.shows_order(op, step.key, step.from.txn, step.to.txn)) step.read = op;
          }
        }
        break;
      case Rule::program:
      case Rule::session:
      case Rule::real_time:
      case Rule::first_committer:
      case Rule::decision:
        break;
    }
  }

  void translate(Step& step) const {
    if (step.read != check::kNoOp) step.read = resolved_.operations[index(step.read)];
    if (step.rule != Rule::program && step.rule != Rule::session && step.rule != Rule::real_time &&
        index(step.key) < resolved_.keys.size()) {
      step.key = resolved_.keys[index(step.key)];
    }
  }

  const Resolved& resolved_;
  const History& h_;
  const Facts facts_;
};

class Prover {
 public:
  Prover(const History& history, Level level, const check::Options& options)
      : h_(history), level_(level), options_(options), facts_(history), open_(open_reads(history, facts_)) {}

  std::optional<Derivation> prove() {
    const Resolved resolved = Resolver(h_, facts_, open_, choices_).resolve();
    const std::array<Level, 1> levels{level_};
    Outcome outcome = std::move(check::check(resolved.history, levels, options_)[0]);
    if (outcome.verdict == check::Verdict::violated) {
      if (outcome.derivation.empty()) return std::nullopt;
      Namer(resolved).name_reads(outcome.derivation);
      return std::move(outcome.derivation);
    }
    for (const OpenRead& read : open_) {
      if (!choices_.contains(read.op)) return split(read);
    }
    return std::nullopt;
  }

 private:
  std::optional<Derivation> split(const OpenRead& read) {
    Derivation derivation;
    for (const Txn writer : read.candidates) {
      if (++cases_ > kMostCases) return std::nullopt;
      choose(read, writer);
      std::optional<Derivation> inner = prove();
      unchoose(read);
      if (!inner) return std::nullopt;
      const bool two_events = implies(level_, Level::prefix) && !implies(level_, Level::serializable);
      const Step assumption{{writer, Event::Side::commit},
                            {read.reader, two_events ? Event::Side::begin : Event::Side::commit},
                            Rule::decision,
                            h_.key_of(read.version),
                            read.reader,
                            {},
                            read.op};
      derivation.cases.push_back({assumption, std::move(*inner)});
    }
    return derivation;
  }

  // Under a snapshot two reads of one version by one transaction saw the same write.
  bool goes_with(const OpenRead& read, const OpenRead& other) const {
    if (read.op == other.op) return true;
    return implies(level_, Level::prefix) && read.reader == other.reader && read.version == other.version;
  }
  void choose(const OpenRead& read, Txn writer) {
    for (const OpenRead& other : open_) {
      if (goes_with(read, other)) choices_[other.op] = writer;
    }
  }
  void unchoose(const OpenRead& read) {
    for (const OpenRead& other : open_) {
      if (goes_with(read, other)) choices_.erase(other.op);
    }
  }

  const History& h_;
  const Level level_;
  const check::Options& options_;
  const Facts facts_;
  const std::vector<OpenRead> open_;
  Choices choices_;
  std::uint32_t cases_ = 0;
};

}  // namespace

std::optional<Derivation> prove_violation(const History& history, Level level,
                                          const check::Options& options) {
  return Prover(history, level, options).prove();
}

}  // namespace assay::evidence
