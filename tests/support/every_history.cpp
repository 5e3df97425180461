#include "support/every_history.hpp"

#include <fmt/format.h>

#include <random>
#include <set>
#include <vector>

#include "history/builder.hpp"

namespace assay::testing {

namespace {

class Maker {
 public:
  Maker(std::uint64_t seed, const RandomHistory& options) : random_(seed), options_(options) {
    for (std::size_t i = 0; i < 6; ++i) {
      texts_.push_back(fmt::format("text \"{}\" \xC3\xBC\n{}", i, std::string(i, 'x')));
      other_.push_back(fmt::format("{}.5", i));
    }
  }

  History make() {
    const std::uint64_t sessions = 1 + below(5);
    std::vector<Session> ids;
    for (std::uint64_t s = 0; s < sessions; ++s) {
      ids.push_back(
          build_.session(options_.texts && s % 2 == 1 ? Atom::string(texts_[s]) : Atom::natural(s * 3)));
    }
    const std::uint64_t transactions = below(40) + 1;
    for (std::uint64_t t = 0; t < transactions; ++t) {
      build_.begin(ids[below(sessions)],
                   options_.texts && below(4) == 0 ? some_atom() : Atom::natural(100 + t));
      const std::uint64_t operations = options_.empty_transactions ? below(6) : 1 + below(5);
      for (std::uint64_t i = 0; i < operations; ++i) add_operation();
      finish_transaction(t);
    }
    if (options_.notes) {
      build_.note("a note");
      build_.note("");
    }
    if (options_.times && below(2) == 0) build_.clocks(Clocks::several);
    return build_.finish();
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  Atom some_atom() {
    switch (below(options_.texts ? 5 : 2)) {
      case 0:
        return Atom::natural(1 + below(20));
      case 1:
        return Atom::natural(options_.large_numbers ? UINT64_MAX - below(5) : 1000 + below(5));
      case 2:
        return Atom::integer(-static_cast<std::int64_t>(below(9)) - 1);
      case 3:
        return Atom::string(texts_[below(texts_.size())]);
      default:
        return Atom::json(other_[below(other_.size())]);
    }
  }

  Atom fresh_value() {
    if (options_.repeated_values || options_.texts) return some_atom();
    return Atom::natural(++last_value_);
  }
  Atom seen_value() {
    return options_.repeated_values || options_.texts ? some_atom()
                                                      : Atom::natural(1 + below(last_value_ + 2));
  }

  void add_operation() {
    const Atom key = some_atom();
    switch (below(options_.lists ? 11 : 4)) {
      case 0:
      case 1:
        return build_.write(key, fresh_value());
      case 2:
        return options_.initial_reads ? build_.read_initial(key) : build_.read(key, seen_value());
      case 3:
        return build_.read(key, seen_value());
      case 4:
        return build_.insert(key, fresh_value());
      case 5:
        return below(2) == 0 ? build_.erase(key) : build_.erase(key, fresh_value());
      case 6:
        return build_.append(key, fresh_value());
      case 7: {
        std::vector<Atom> elements(below(4));
        for (Atom& element : elements) element = some_atom();
        return build_.list_read(key, elements);
      }
      case 8:
        return build_.predicate_read(some_atom(), rows());
      case 9:
        return build_.rows_read(rows());
      default: {
        std::optional<Atom> low, high;
        if (below(2) == 0) low = some_atom();
        if (below(2) == 0) high = some_atom();
        return build_.range_read(low, high, rows());
      }
    }
  }

  std::vector<Row> rows() {
    std::vector<Row> all(below(4));
    for (Row& row : all) {
      row = {some_atom(), some_atom()};
      if (options_.initial_reads && below(4) == 0) row.value = std::nullopt;
    }
    return all;
  }

  void finish_transaction(std::uint64_t t) {
    Status status = Status::committed;
    if (options_.aborted && below(4) == 0) status = Status::aborted;
    if (options_.unknown && below(4) == 0) status = Status::unknown;
    std::optional<std::int64_t> start, end;
    if (options_.times && below(5) > 0) start = static_cast<std::int64_t>(t * 1000) - 5000;
    if (options_.times && below(5) > 0) end = static_cast<std::int64_t>(t * 1000 + below(9000));
    if (options_.in_turn) {
      start = static_cast<std::int64_t>(t * 10);
      end = *start + 5;
    }
    build_.end(status, start, end);
  }

  std::mt19937_64 random_;
  const RandomHistory& options_;
  HistoryBuilder build_;
  std::vector<std::string> texts_, other_;
  std::uint64_t last_value_ = 0;
};

}  // namespace

History random_history(std::uint64_t seed, const RandomHistory& options) {
  return Maker(seed, options).make();
}

std::string listing(const History& h) {
  std::string out = h.clocks() == Clocks::one ? "one clock\n" : "several clocks\n";
  const auto atom = [](const Atom& a) { return fmt::format("{}:{}", static_cast<int>(a.kind), to_json(a)); };
  const auto version = [&](Version v) {
    return atom(h.name(h.key_of(v))) + "=" + (h.is_initial(v) ? "initial" : atom(h.value(v)));
  };
  const auto bound = [&](const std::optional<Atom>& a) { return a ? atom(*a) : std::string("open"); };
  const auto time = [](std::optional<std::int64_t> t) { return t ? std::to_string(*t) : std::string("?"); };
  for (std::uint32_t s = 0; s < h.sessions(); ++s) {
    out += "session " + atom(h.name(Session{s})) + "\n";
    for (const Txn t : h.transactions_of(Session{s})) {
      out += fmt::format(" {} status {} from {} to {}\n", atom(h.name(t)), static_cast<int>(h.status(t)),
                         time(h.start(t)), time(h.end(t)));
      for (const Op op : h.operations_of(t)) {
        out += fmt::format("  {}", static_cast<int>(h.kind(op)));
        if (h.kind(op) == OpKind::list_read) {
          out += " " + atom(h.name(h.list(op).key));
          for (const Version v : h.list(op).elements) out += " " + version(v);
        } else if (is_query(h.kind(op))) {
          const Query q = h.query(op);
          out += " " + bound(q.predicate) + " " + bound(q.low) + " " + bound(q.high);
          for (const Version v : q.results) out += " " + version(v);
        } else {
          out += " " + version(h.version(op));
        }
        out += "\n";
      }
    }
  }
  for (const std::string& note : h.notes()) out += "note " + note + "\n";
  return out;
}

std::string broken_promise(const History& h) {
  std::uint32_t txns = 0, ops = 0, versions = 0;
  std::uint32_t kinds[kOpKinds] = {};
  std::set<std::string> names;
  for (std::uint32_t s = 0; s < h.sessions(); ++s) {
    if (!names.insert(to_json(h.name(Session{s}))).second) return "two sessions of one name";
    for (const Txn t : h.transactions_of(Session{s})) {
      if (index(t) != txns++) return "transactions are not numbered session by session";
      if (h.session_of(t) != Session{s}) return "a transaction does not know its session";
      if (h.status(t) > Status::unknown) return "a status that is none";
      for (const Op op : h.operations_of(t)) {
        if (index(op) != ops++) return "operations are not numbered transaction by transaction";
        ++kinds[static_cast<std::size_t>(h.kind(op))];
      }
    }
  }
  if (txns != h.transactions() || ops != h.operations()) return "numbers without an owner";
  for (std::size_t k = 0; k < kOpKinds; ++k) {
    if (kinds[k] != h.count(static_cast<OpKind>(k))) return "the counts of kinds are wrong";
  }
  names.clear();
  for (std::uint32_t k = 0; k < h.keys(); ++k) {
    const Atom name = h.name(Key{k});
    if (!names.insert(fmt::format("{} {}", static_cast<int>(name.kind), to_json(name))).second)
      return "two keys of one name";
    std::set<std::string> values;
    for (const Version v : h.versions_of(Key{k})) {
      if (index(v) != versions++) return "versions are not numbered key by key";
      if (h.key_of(v) != Key{k}) return "a version does not know its key";
      if (h.is_initial(v) != (v == h.initial_version(Key{k}))) return "the initial version is not the first";
      if (h.is_initial(v)) continue;
      const Atom value = h.value(v);
      if (!values.insert(fmt::format("{} {}", static_cast<int>(value.kind), to_json(value))).second)
        return "two versions of one value";
    }
    if (h.versions_of(Key{k}).empty()) return "a key without an initial version";
  }
  if (versions != h.versions()) return "versions without a key";
  for (std::uint32_t i = 0; i < h.operations(); ++i) {
    const Op op{i};
    const auto written = [&](Version v) { return index(v) < h.versions() && !h.is_initial(v); };
    switch (h.kind(op)) {
      case OpKind::read:
      case OpKind::erase:
        if (index(h.version(op)) >= h.versions()) return "an operation on no version";
        break;
      case OpKind::write:
      case OpKind::insert:
      case OpKind::append:
        if (!written(h.version(op))) return "a write of an initial version";
        break;
      case OpKind::list_read:
        if (index(h.list(op).key) >= h.keys()) return "a list of no key";
        for (const Version v : h.list(op).elements) {
          if (!written(v) || h.key_of(v) != h.list(op).key) return "an element of another key";
        }
        break;
      default:
        if (h.query(op).predicate.has_value() != (h.kind(op) == OpKind::predicate_read))
          return "a query of the other kind";
        if (h.kind(op) == OpKind::rows_read && (h.query(op).low || h.query(op).high))
          return "a read of rows with bounds";
        for (const Version v : h.query(op).results) {
          if (index(v) >= h.versions()) return "a result that is no version";
        }
    }
  }
  (void)listing(h);
  return "";
}

}  // namespace assay::testing
