#include "support/random/random_queries.hpp"

#include <algorithm>
#include <deque>
#include <functional>

#include "history/builder.hpp"
#include "support/random/random_predicates.hpp"

namespace assay {

namespace {

using Operation = QueryDraft::Operation;
using Transaction = QueryDraft::Transaction;
using Value = QueryDraft::Value;

constexpr std::int64_t kKeys = 3;

// Of keys that are texts the first two are of one table.
std::string key_text(std::int64_t k) {
  return (k < 3 ? "t:" : "u:") + std::to_string(k);
}

struct Cell {
  Value value;
  bool row = false;
};
using State = std::map<std::int64_t, Cell>;

struct Filter {
  Value low_key, high_key, low, high;  // both included
  bool has_predicate = false;
  std::string condition;  // of columns, with what it says of a key and a value
  std::function<bool(std::int64_t, std::int64_t)> meets;
  std::string text() const {
    std::string made;
    if (meets) return condition;
    if (learned) return R"({"is":)" + std::to_string(*low) + "}";
    const auto add = [&](const char* what, const Value& bound) {
      if (bound) made += (made.empty() ? "" : " and ") + std::string(what) + std::to_string(*bound);
    };
    add("key >= ", low_key);
    add("key <= ", high_key);
    add("value >= ", low);
    add("value <= ", high);
    return made;
  }
  bool learned = false;    // of the predicate only its identity is told
  bool rows_only = false;  // says nothing of what it did not return
  bool asks_for(std::int64_t k) const { return (!low_key || *low_key <= k) && (!high_key || k <= *high_key); }
  bool matches(std::int64_t k, const Cell& cell) const {
    if (meets) return cell.row && meets(k, *cell.value);
    return cell.row && asks_for(k) && (!low || *low <= *cell.value) && (!high || *cell.value <= *high);
  }
};

class Run {
 public:
  Run(Rng& rng, std::uint32_t most, double learned) : rng_(rng), learned_(learned) {
    const std::uint32_t count = rng_.between(2, most);
    const std::uint32_t sessions = rng_.between(1, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Status status = rng_.chance(0.07)   ? Status::unknown
                            : rng_.chance(0.05) ? Status::aborted
                                                : Status::committed;
      draft_.transactions.push_back({rng_.below(sessions), status, {}});
      plans_.push_back(rng_.between(1, 3));
    }
    std::stable_sort(draft_.transactions.begin(), draft_.transactions.end(),
                     [](const Transaction& a, const Transaction& b) { return a.session < b.session; });
    mode_ = rng_.below(3);
    draft_.columns = rng_.chance(0.5);
    draft_.named = draft_.columns && rng_.chance(0.4);
    learned_from_ = rng_.between(1, 3);
  }

  QueryDraft run() {
    const std::size_t n = draft_.transactions.size();
    std::vector<State> own(n), snapshot(n);
    std::vector<std::uint32_t> left = plans_;
    std::vector<bool> begun(n, false), done(n, false);
    std::size_t running = n;  // in mode 0 nobody else moves
    for (std::size_t finished = 0; finished < n;) {
      std::size_t t = running < n ? running : rng_.below(static_cast<std::uint32_t>(n));
      if (done[t]) continue;
      if (!begun[t]) {
        if (t > 0 && draft_.transactions[t - 1].session == draft_.transactions[t].session && !done[t - 1])
          continue;
        begun[t] = true;
        snapshot[t] = state_;
        if (mode_ == 0) running = t;
      }
      if (left[t]-- > 0) {
        const State& base = mode_ == 1 ? snapshot[t] : state_;
        State view = base;
        for (const auto& [k, cell] : own[t]) view[k] = cell;
        step(draft_.transactions[t], view, own[t]);
        if (rng_.chance(0.25)) write_what_was_found(draft_.transactions[t], own[t]);
        continue;
      }
      done[t] = true;
      running = n;
      ++finished;
      if (draft_.transactions[t].status == Status::aborted) continue;
      for (const auto& [k, cell] : own[t]) state_[k] = cell;
    }
    if (rng_.chance(0.5)) change();
    return std::move(draft_);
  }

 private:
  std::int64_t key() { return 1 + static_cast<std::int64_t>(rng_.below(kKeys)); }
  std::int64_t new_value(std::int64_t k) {
    if (!written_[k].empty() && rng_.chance(0.15)) {
      return written_[k][rng_.below(static_cast<std::uint32_t>(written_[k].size()))];
    }
    written_[k].push_back(++last_value_);
    return last_value_;
  }
  Filter filter() {
    Filter made;
    if (rng_.chance(0.8)) made.low_key = key();
    if (rng_.chance(0.8)) made.high_key = key();
    if (made.low_key && made.high_key && *made.high_key < *made.low_key)
      std::swap(made.low_key, made.high_key);
    made.rows_only = rng_.chance(0.25);
    made.has_predicate = !made.rows_only && rng_.chance(0.5);
    if (!made.has_predicate) return made;
    if (rng_.chance(learned_)) {
      made = {};
      made.has_predicate = made.learned = true;
      made.low = learned_from_;
      return made;
    }
    if (draft_.columns) return with_columns();
    if (rng_.chance(0.5)) made.low_key = std::nullopt;
    if (rng_.chance(0.5)) made.high_key = std::nullopt;
    made.low = rng_.between(1, 4);
    if (rng_.chance(0.5)) made.high = *made.low + rng_.below(4);
    return made;
  }

  // Few, so that some run twice.
  Filter with_columns() {
    if (drawn_.size() < 3) drawn_.push_back(random_predicate(rng_));
    const DrawnPredicate predicate = drawn_[rng_.below(static_cast<std::uint32_t>(drawn_.size()))];
    const bool of_table = draft_.named && rng_.chance(0.7), named = draft_.named;
    Filter made;
    made.has_predicate = true;
    made.condition = (of_table ? "t:* where " : "") + predicate.text;
    made.meets = [=](std::int64_t k, std::int64_t value) {
      if (of_table && k == kKeys) return false;
      return predicate.truth(drawn_row(named ? std::nullopt : std::optional(k), value)) ==
             std::optional(true);
    };
    return made;
  }

  void step(Transaction& t, const State& view, State& own) {
    const auto at = [&](std::int64_t k) {
      const auto found = view.find(k);
      return found == view.end() ? Cell{} : found->second;
    };
    Operation op;
    op.key = key();
    if (rng_.chance(0.5)) {
      const bool row = at(op.key).row;
      if (rng_.chance(row ? 0.5 : 0.15)) {  // also of what is not there
        op.kind = OpKind::erase;
        if (rng_.chance(0.5)) op.value = 100 + ++last_value_;
      } else {
        op.kind = row ? OpKind::write : OpKind::insert;
        op.value = new_value(op.key);
      }
      own[op.key] = {op.value, op.kind != OpKind::erase};
    } else if (rng_.chance(0.3)) {
      op.kind = OpKind::read;
      op.value = at(op.key).value;
    } else {
      const Filter asked = filter();
      op.kind = asked.rows_only       ? OpKind::rows_read
                : asked.has_predicate ? OpKind::predicate_read
                                      : OpKind::range_read;
      op.low = asked.low_key;
      op.high = asked.high_key;
      op.predicate = asked.text();
      for (std::int64_t k = 1; k <= kKeys; ++k) {
        if (asked.matches(k, at(k)) && !(asked.rows_only && rng_.chance(0.3))) op.rows[k] = at(k).value;
      }
      filters_[{&t, t.operations.size()}] = asked;
    }
    t.operations.push_back(op);
  }

  // A predicate write: UPDATE or DELETE of the rows that a query returned, at the same moment.
  void write_what_was_found(Transaction& t, State& own) {
    const Operation found = t.operations.back();
    if (!is_query(found.kind)) return;
    const bool erases = rng_.chance(0.3);
    for (const auto& row : found.rows) {
      Operation op;
      op.kind = erases ? OpKind::erase : OpKind::write;
      op.key = row.first;
      if (!erases) op.value = new_value(op.key);
      own[op.key] = {op.value, !erases};
      t.operations.push_back(op);
    }
  }

  // One result becomes another that the query, or the key, could have.
  void change() {
    for (int tries = 0; tries < 20; ++tries) {
      Transaction& t =
          draft_.transactions[rng_.below(static_cast<std::uint32_t>(draft_.transactions.size()))];
      if (t.operations.empty()) continue;
      const std::size_t i = rng_.below(static_cast<std::uint32_t>(t.operations.size()));
      Operation& op = t.operations[i];
      if (writes(op.kind)) continue;
      const std::int64_t k = op.kind == OpKind::read ? op.key : key();
      const std::vector<std::int64_t>& values = written_[k];
      const Value value = values.empty() || rng_.chance(0.2)
                              ? Value{}
                              : Value{values[rng_.below(static_cast<std::uint32_t>(values.size()))]};
      if (op.kind == OpKind::read) {
        op.value = value;
      } else if (op.rows.contains(k)) {
        op.rows.erase(k);
      } else if (value && filters_.at({&t, i}).matches(k, {value, true})) {
        op.rows[k] = value;
      } else {
        continue;
      }
      return;
    }
  }

  Rng& rng_;
  const double learned_;
  std::int64_t learned_from_ = 1;
  QueryDraft draft_;
  std::vector<std::uint32_t> plans_;
  std::uint32_t mode_ = 0;
  State state_;
  std::int64_t last_value_ = 0;
  std::map<std::int64_t, std::vector<std::int64_t>> written_;
  std::vector<DrawnPredicate> drawn_;
  std::map<std::pair<const Transaction*, std::size_t>, Filter> filters_;
};

// Keys and values as the draft means them. The texts live as long as this.
class Atoms {
 public:
  explicit Atoms(const QueryDraft& draft) : draft_(draft) {}
  Atom key(std::int64_t k) { return draft_.named ? Atom::string(keep(key_text(k))) : Atom::integer(k); }
  std::optional<Atom> bound(const Value& k) { return k ? std::optional(key(*k)) : std::nullopt; }
  std::optional<Atom> value(const Value& value) {
    if (!value) return std::nullopt;
    return draft_.columns ? Atom::json(keep(drawn_value(*value))) : Atom::integer(*value);
  }

 private:
  const std::string& keep(std::string text) { return kept_.emplace_back(std::move(text)); }
  const QueryDraft& draft_;
  std::deque<std::string> kept_;
};

}  // namespace

History QueryDraft::build() const {
  HistoryBuilder build;
  Atoms atoms(*this);
  std::int64_t name = 0;
  for (const Transaction& t : transactions) {
    build.begin(build.session(Atom::integer(t.session)), Atom::integer(name++));
    for (const Operation& op : t.operations) {
      const Atom key = atoms.key(op.key);
      std::vector<Row> rows;
      for (const auto& [k, value] : op.rows) rows.push_back({atoms.key(k), atoms.value(value)});
      switch (op.kind) {
        case OpKind::range_read:
          build.range_read(atoms.bound(op.low), atoms.bound(op.high), rows);
          break;
        case OpKind::rows_read:
          build.rows_read(rows);
          break;
        case OpKind::predicate_read:
          build.predicate_read(
              op.predicate.starts_with('{') ? Atom::json(op.predicate) : Atom::string(op.predicate), rows);
          break;
        case OpKind::read:
          op.value ? build.read(key, *atoms.value(op.value)) : build.read_initial(key);
          break;
        case OpKind::erase:
          op.value ? build.erase(key, *atoms.value(op.value)) : build.erase(key);
          break;
        case OpKind::insert:
          build.insert(key, *atoms.value(op.value));
          break;
        default:
          build.write(key, *atoms.value(op.value));
      }
    }
    build.end(t.status, t.start, t.end);
  }
  return build.finish();
}

std::string QueryDraft::text() const {
  std::string made = columns ? "values stand for rows with columns\n" : "";
  const auto number = [](const Value& value) { return value ? std::to_string(*value) : std::string("null"); };
  for (const Transaction& t : transactions) {
    made += "session " + std::to_string(t.session) +
            (t.status == Status::committed ? ":"
             : t.status == Status::aborted ? " aborted:"
                                           : " unknown:");
    for (const Operation& op : t.operations) {
      switch (op.kind) {
        case OpKind::range_read:
          made += " range(" + number(op.low) + ".." + number(op.high) + ")";
          break;
        case OpKind::rows_read:
          made += " rows";
          break;
        case OpKind::predicate_read:
          made += " where(" + op.predicate + ")";
          break;
        case OpKind::read:
          made += " r(" + std::to_string(op.key) + "," + number(op.value) + ")";
          break;
        case OpKind::erase:
          made += " delete(" + std::to_string(op.key) + "," + number(op.value) + ")";
          break;
        default:
          made += (op.kind == OpKind::insert ? " insert(" : " w(") + std::to_string(op.key) + "," +
                  number(op.value) + ")";
      }
      if (!is_query(op.kind)) continue;
      made += "=[";
      for (const auto& [k, value] : op.rows) made += std::to_string(k) + "=" + number(value) + " ";
      made += "]";
    }
    made += "\n";
  }
  return made;
}

QueryDraft random_query_draft(Rng& rng, std::uint32_t most_transactions, double learned) {
  return Run(rng, most_transactions, learned).run();
}

void draw_times(Rng& rng, QueryDraft& draft) {
  std::map<std::uint32_t, std::int64_t> now;  // session -> when its last transaction ended
  for (Transaction& t : draft.transactions) {
    std::int64_t& time = now[t.session];
    t.start = time += 1 + rng.below(4);
    t.end = time += 1 + rng.below(6);
  }
}

QueryDraft shrink(QueryDraft draft, const std::function<bool(const QueryDraft&)>& still_fails) {
  const auto keep_if_it_fails = [&](const QueryDraft& smaller) {
    if (!still_fails(smaller)) return false;
    draft = smaller;
    return true;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = draft.transactions.size(); i-- > 0;) {
      QueryDraft without = draft;
      without.transactions.erase(without.transactions.begin() + static_cast<std::ptrdiff_t>(i));
      smaller |= keep_if_it_fails(without);
    }
    for (std::size_t i = draft.transactions.size(); i-- > 0;) {
      for (std::size_t j = draft.transactions[i].operations.size(); j-- > 0;) {
        QueryDraft without = draft;
        auto& operations = without.transactions[i].operations;
        operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(j));
        smaller |= keep_if_it_fails(without);
      }
    }
  }
  return draft;
}

}  // namespace assay
