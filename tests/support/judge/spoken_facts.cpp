#include "support/judge/spoken_facts.hpp"

#include <algorithm>
#include <utility>

#include "report/printable.hpp"

namespace assay {

using report::printable;

namespace {

template <class T>
bool has(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

SpokenFacts::SpokenFacts(const History& history, std::map<std::string, Txn> names)
    : h_(history),
      is_recorded_(!h_.notes().empty() && h_.notes().front().starts_with("recorded by ")),
      names_(std::move(names)) {
  for (const Txn t : h_.all_transactions()) {
    full_names_["transaction " + printable(h_.name(t)) + " of session " +
                printable(h_.name(h_.session_of(t)))]
        .push_back(t);
  }
  for (std::uint32_t k = 0; k < h_.keys(); ++k) keys_[printable(h_.name(Key{k}))].push_back(Key{k});
}

std::vector<Txn> SpokenFacts::transactions(const std::string& name) const {
  if (name == "the initial state") return {kInitialTxn};
  if (const auto found = names_.find(name); found != names_.end()) return {found->second};
  const auto found = full_names_.find(name);
  return found == full_names_.end() ? std::vector<Txn>{} : found->second;
}

bool SpokenFacts::is_one_of(const std::vector<Form>& forms, const std::string& text) const {
  const Called called{[&](const std::string& name) { return transactions(name); },
                      [&](const std::string& name) {
                        const auto found = keys_.find(name);
                        return found == keys_.end() ? std::vector<Key>{} : found->second;
                      }};
  return std::any_of(forms.begin(), forms.end(), [&](const Form& form) { return fits(form, text, called); });
}

std::string SpokenFacts::spelt_value(Version v) const {
  const std::string text(h_.value(v).kind == AtomKind::text ? h_.value(v).text : "");
  const std::size_t at = text.rfind('@', text.size() - 2), none = std::string::npos;
  if (!is_recorded_ || at == none || text.find_first_not_of("0123456789", at + 1) != none)
    return printable(h_.value(v));
  return printable(Atom::string(std::string_view(text).substr(0, at))) + " (version " + text.substr(at + 1) +
         ")";
}

std::string SpokenFacts::spelt(Version v) const {
  return h_.is_initial(v) ? "the initial value" : spelt_value(v);
}

std::string SpokenFacts::spelt_list(std::span<const Version> elements, bool with_keys) const {
  std::string out = "[";
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements.size() > 12 && i == 4) {
      out += ",… " + std::to_string(elements.size() - 11) + " more …";
      i = elements.size() - 7;
    }
    if (i != 0) out += ",";
    if (with_keys) out += printable(h_.name(h_.key_of(elements[i]))) + "=";
    out += h_.is_initial(elements[i]) ? "initial" : spelt_value(elements[i]);
  }
  return out + "]";
}

std::string SpokenFacts::spelt(Op op) const {
  const auto plain = [&](const std::string& verb) {
    const std::string value = spelt(h_.version(op));
    return verb + "(" + printable(h_.name(h_.key(op))) +
           ")=" + (value == "the initial value" ? "initial" : value);
  };
  switch (h_.kind(op)) {
    case OpKind::read:
      return plain("r");
    case OpKind::write:
      return plain("w");
    case OpKind::insert:
      return plain("insert");
    case OpKind::append:
      return plain("append");
    case OpKind::erase:
      return "delete(" + printable(h_.name(h_.key(op))) + ")";
    case OpKind::list_read:
      return "r(" + printable(h_.name(h_.list(op).key)) + ")=" + spelt_list(h_.list(op).elements, false);
    case OpKind::predicate_read:
      return "where(" + printable(*h_.query(op).predicate) + ")=" + spelt_list(h_.query(op).results, true);
    case OpKind::range_read: {
      const Query q = h_.query(op);
      return "range(" + (q.low ? printable(*q.low) : "") + ".." + (q.high ? printable(*q.high) : "") +
             ")=" + spelt_list(q.results, true);
    }
    case OpKind::rows_read:
      return "rows=" + spelt_list(h_.query(op).results, true);
  }
  return "";
}

// "w(x)=1, r(y)=2, (3 more)": operations in their order, and how many are left out.
bool SpokenFacts::did(const std::string& full_name, const std::string& operations) const {
  for (const Txn t : transactions(full_name)) {
    std::string rest = operations;
    std::size_t told = 0;
    for (const Op op : h_.operations_of(t)) {
      const std::string one = spelt(op);
      if (!rest.starts_with(one)) continue;
      const std::string behind = rest.substr(one.size());
      if (!behind.empty() && !behind.starts_with(", ")) continue;
      rest = behind.empty() ? "" : behind.substr(2);
      ++told;
    }
    const std::size_t all = h_.operations_of(t).size();
    if (all == 0 && rest == "(nothing)") return true;
    if (told == all ? rest.empty() : rest == "(" + std::to_string(all - told) + " more)") return true;
  }
  return false;
}

bool SpokenFacts::in_session(Txn a, Txn b, const std::string& session) const {
  return a < b && h_.session_of(a) == h_.session_of(b) && printable(h_.name(h_.session_of(a))) == session;
}

bool SpokenFacts::ended_before(Txn a, Txn b, const std::string& times) const {
  const auto end = h_.end(a), start = h_.start(b);
  if (!end || !start || *end >= *start) return false;
  return are_times(times, *end, *start);
}

bool SpokenFacts::writes(Txn t, Key k) const {
  if (t == kInitialTxn) return false;
  for (const Op op : h_.operations_of(t)) {
    if (assay::writes(h_.kind(op)) && h_.key(op) == k) return h_.status(t) != Status::aborted;
  }
  return false;
}

bool SpokenFacts::did_so(Txn t, Key k, const std::string& what) const {
  if (t == kInitialTxn || h_.status(t) == Status::aborted) return false;
  std::string last;
  for (const Op op : h_.operations_of(t)) {
    if (!assay::writes(h_.kind(op)) || h_.key(op) != k) continue;
    last = h_.kind(op) == OpKind::insert ? "inserted" : h_.kind(op) == OpKind::erase ? "deleted" : "wrote";
  }
  return last == what || (what == "left by a delete" && last == "deleted");
}

std::vector<Version> SpokenFacts::seen(Op op, Key k) const {
  if (is_query(h_.kind(op))) {
    std::vector<Version> rows;
    for (const Version v : h_.query(op).results) {
      if (h_.key_of(v) == k) rows.push_back(v);
    }
    return rows;
  }
  if (h_.kind(op) != OpKind::read || h_.key(op) != k) return {};
  return {h_.version(op)};
}

std::vector<Op> SpokenFacts::writes_before(Txn t, Op op, Key k) const {
  std::vector<Op> found;
  for (const Op other : h_.operations_of(t)) {
    if (other < op && assay::writes(h_.kind(other)) && h_.key(other) == k) found.push_back(other);
  }
  return found;
}

bool SpokenFacts::reads_anyhow(Txn t, const std::string& value, Key k) const {
  if (t == kInitialTxn) return false;
  for (const Op op : h_.operations_of(t)) {
    for (const Version v : seen(op, k)) {
      if (spelt(v) == value) return true;
    }
  }
  return !lists(t, value, k).empty();
}

bool SpokenFacts::read(Txn t, const std::string& value, Key k) const {
  if (t == kInitialTxn || h_.status(t) != Status::committed) return false;
  for (const Op op : h_.operations_of(t)) {
    for (const Version v : seen(op, k)) {
      if (spelt(v) == value && writes_before(t, op, k).empty()) return true;
    }
  }
  return !lists(t, value, k).empty();
}

std::vector<Txn> SpokenFacts::writers_of(Txn reader, const std::string& value, Key k) const {
  std::vector<Txn> found;
  if (value == "the initial value") found.push_back(kInitialTxn);
  for (const Txn t : h_.all_transactions()) {
    if (t == reader || h_.status(t) == Status::aborted) continue;
    std::string last;
    for (const Op op : h_.operations_of(t)) {
      if (assay::writes(h_.kind(op)) && h_.key(op) == k) last = spelt(h_.version(op));
    }
    if (last == value) found.push_back(t);
  }
  return found;
}

bool SpokenFacts::saw(Txn reader, const std::string& value, Key k, Txn writer) const {
  return read(reader, value, k) && has(writers_of(reader, value, k), writer);
}

bool SpokenFacts::saw_something_of(Txn reader, Key k, Txn writer) const {
  for (const Version v : h_.versions_of(k)) {
    if (saw(reader, spelt(v), k, writer)) return true;
  }
  return false;
}

bool SpokenFacts::read_one_after_the_other(Txn t, Key k, const std::string& first,
                                           const std::string& then) const {
  bool seen_first = false;
  for (const Op op : h_.operations_of(t)) {
    std::vector<std::string> values;
    for (const Version v : seen(op, k)) values.push_back(spelt(v));
    if (h_.kind(op) == OpKind::list_read && h_.list(op).key == k)
      values.push_back(spelt_list(h_.list(op).elements, false));
    if (seen_first && has(values, then)) return true;
    seen_first = seen_first || has(values, first);
  }
  return false;
}

bool SpokenFacts::has_done(Txn t, const std::string& operation) const {
  for (const Op op : h_.operations_of(t)) {
    if (spelt(op) == operation) return true;
  }
  return false;
}

bool SpokenFacts::had_done(Txn t, const std::string& value, Key k, const std::string& operation) const {
  for (const Op op : h_.operations_of(t)) {
    const std::vector<Op> own = writes_before(t, op, k);
    for (const Version v : seen(op, k)) {
      if (spelt(v) == value && !own.empty() && spelt(own.back()) == operation && h_.version(own.back()) != v)
        return true;
    }
  }
  return false;
}

bool SpokenFacts::wrote_and_aborted(Txn t, const std::string& operation, Key k,
                                    const std::string& value) const {
  for (const Op op : h_.operations_of(t)) {
    if (assay::writes(h_.kind(op)) && h_.key(op) == k && spelt(op) == operation &&
        spelt(h_.version(op)) == value)
      return is_aborted(t);
  }
  return false;
}

bool SpokenFacts::overwrote_itself(Txn t, const std::string& operation, Key k,
                                   const std::string& value) const {
  bool wrote = false;
  for (const Op op : h_.operations_of(t)) {
    if (!assay::writes(h_.kind(op)) || h_.key(op) != k) continue;
    if (wrote) return true;
    wrote = spelt(op) == operation && spelt(h_.version(op)) == value;
  }
  return false;
}

bool SpokenFacts::writes_later(Txn t, const std::string& value, Key k) const {
  for (const Op op : h_.operations_of(t)) {
    for (const Version v : seen(op, k)) {
      if (spelt(v) != value) continue;
      for (const Op later : h_.operations_of(t)) {
        if (later > op && assay::writes(h_.kind(later)) && h_.version(later) == v) {
          const std::vector<Txn> others = writers_of(t, value, k);
          return others.empty();
        }
      }
    }
  }
  return false;
}

bool SpokenFacts::nobody_wrote(const std::string& value, Key k) const {
  for (const Op op : IdRange<Op>{0, h_.operations()}) {
    if (assay::writes(h_.kind(op)) && h_.key(op) == k && spelt(h_.version(op)) == value) return false;
  }
  return true;
}

bool SpokenFacts::did_not_see(Txn t, const std::string& asked, Key row) const {
  if (t == kInitialTxn) return false;
  for (const Op op : h_.operations_of(t)) {
    if (!is_query(h_.kind(op)) || !seen(op, row).empty()) continue;
    const Query q = h_.query(op);
    std::string words = "all rows";
    if (q.predicate) {
      words += " where " + printable(*q.predicate);
    } else if (q.low && q.high) {
      words += " between " + printable(*q.low) + " and " + printable(*q.high);
    } else if (q.low) {
      words += " from " + printable(*q.low) + " on";
    } else if (q.high) {
      words += " up to " + printable(*q.high);
    }
    if (words == asked) return true;
  }
  return false;
}

bool SpokenFacts::saw_among_rows(Txn t, const std::string& how_many, Key row,
                                 const std::string& value) const {
  for (const Op op : h_.operations_of(t)) {
    if (h_.kind(op) != OpKind::rows_read) continue;
    const std::size_t rows = h_.query(op).results.size();
    const std::string words = rows == 1 ? "1 row" : std::to_string(rows) + " rows at once";
    const std::vector<Version> all = seen(op, row);
    if (words == how_many && !all.empty() && spelt(all.front()) == value) return true;
  }
  return false;
}

bool SpokenFacts::nobody_deleted(Key k) const {
  for (const Op op : IdRange<Op>{0, h_.operations()}) {
    if (h_.kind(op) == OpKind::erase && h_.key(op) == k && !is_aborted(h_.transaction_of(op))) return false;
  }
  return true;
}

bool SpokenFacts::returned_twice(Txn t, Key row, const std::string& one, const std::string& own) const {
  for (const Op op : h_.operations_of(t)) {
    if (!is_query(h_.kind(op))) continue;
    std::vector<std::string> rows;
    for (const Version v : seen(op, row)) rows.push_back(spelt(v));
    const std::vector<Op> before = writes_before(t, op, row);
    if (one != own && has(rows, one) && has(rows, own) && !before.empty() &&
        spelt(h_.version(before.back())) == own) {
      return true;
    }
  }
  return false;
}

std::vector<SpokenFacts::Elements> SpokenFacts::lists(Txn reader, const std::string& list, Key k) const {
  std::vector<Elements> found;
  if (reader == kInitialTxn) return found;
  for (const Op op : h_.operations_of(reader)) {
    if (h_.kind(op) == OpKind::list_read && h_.list(op).key == k) {
      const auto elements = h_.list(op).elements;
      if (spelt_list(elements, false) == list) found.emplace_back(elements.begin(), elements.end());
    } else if (h_.kind(op) == OpKind::read && h_.key(op) == k && h_.is_initial(h_.version(op))) {
      if (list == "the initial value") found.emplace_back();
    }
  }
  return found;
}

bool SpokenFacts::appends(Txn t, Version v) const {
  if (t == kInitialTxn) return false;
  for (const Op op : h_.operations_of(t)) {
    if (h_.kind(op) == OpKind::append && h_.version(op) == v) return true;
  }
  return false;
}

bool SpokenFacts::appends(Txn t, Key k, const std::string& element) const {
  if (t == kInitialTxn) return false;
  for (const Op op : h_.operations_of(t)) {
    if (h_.kind(op) == OpKind::append && h_.key(op) == k && spelt(h_.version(op)) == element) return true;
  }
  return false;
}

bool SpokenFacts::list_has(Txn reader, const std::string& list, Key k, Txn writer,
                           const std::string& element) const {
  for (const Elements& all : lists(reader, list, k)) {
    if (std::any_of(all.begin(), all.end(),
                    [&](Version v) { return spelt(v) == element && appends(writer, v); }))
      return true;
  }
  return false;
}

bool SpokenFacts::list_lacks(Txn reader, const std::string& list, Key k, Txn writer,
                             const std::string& element) const {
  if (!appends(writer, k, element)) return false;
  for (const Elements& all : lists(reader, list, k)) {
    if (std::none_of(all.begin(), all.end(), [&](Version v) { return spelt(v) == element; })) return true;
  }
  return false;
}

bool SpokenFacts::list_lacks_all(Txn reader, const std::string& list, Key k, Txn writer) const {
  if (!writes(writer, k)) return false;
  for (const Elements& all : lists(reader, list, k)) {
    if (std::none_of(all.begin(), all.end(), [&](Version v) { return appends(writer, v); })) return true;
  }
  return false;
}

bool SpokenFacts::list_shows(Txn reader, const std::string& list, Key k, Txn a, const std::string& first,
                             Txn b, const std::string& second) const {
  for (const Elements& all : lists(reader, list, k)) {
    bool seen_first = false;
    for (const Version v : all) {
      if (seen_first && spelt(v) == second && appends(b, v)) return true;
      seen_first = seen_first || (spelt(v) == first && appends(a, v));
    }
  }
  return false;
}

bool SpokenFacts::list_parts(Txn reader, const std::string& list, Key k, Txn writer, const std::string& one,
                             const std::string& next) const {
  if (reader == writer || !appends(writer, k, one) || !appends(writer, k, next)) return false;
  for (const Elements& all : lists(reader, list, k)) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (spelt(all[i]) == one && (i + 1 == all.size() || spelt(all[i + 1]) != next)) return true;
      if (spelt(all[i]) == next && (i == 0 || spelt(all[i - 1]) != one)) return true;
    }
  }
  return false;
}

bool SpokenFacts::list_repeats(Txn reader, const std::string& list, Key k, const std::string& element) const {
  for (const Elements& all : lists(reader, list, k)) {
    if (std::count_if(all.begin(), all.end(), [&](Version v) { return spelt(v) == element; }) > 1)
      return true;
  }
  return false;
}

// `own` is "1", "1 and 2", "1, 2 and 3".
bool SpokenFacts::list_ends_otherwise(Txn reader, const std::string& list, Key k,
                                      const std::string& own) const {
  for (const Op op : h_.operations_of(reader)) {
    const bool empty = h_.kind(op) == OpKind::read && h_.key(op) == k && list == "the initial value";
    if (!empty && (h_.kind(op) != OpKind::list_read || h_.list(op).key != k)) continue;
    const auto elements = empty ? std::span<const Version>{} : h_.list(op).elements;
    if (!empty && spelt_list(elements, false) != list) continue;
    const std::vector<Op> before = writes_before(reader, op, k);
    std::string words;
    Elements appended;
    for (std::size_t i = 0; i < before.size(); ++i) {
      words += (i == 0 ? "" : i + 1 == before.size() ? " and " : ", ") + spelt(h_.version(before[i]));
      appended.push_back(h_.version(before[i]));
    }
    const bool ends = elements.size() >= appended.size() &&
                      std::equal(appended.begin(), appended.end(),
                                 elements.end() - static_cast<std::ptrdiff_t>(appended.size()));
    if (words == own && !ends) return true;
  }
  return false;
}

bool SpokenFacts::list_has_later(Txn reader, const std::string& list, Key k,
                                 const std::string& element) const {
  for (const Op op : h_.operations_of(reader)) {
    if (h_.kind(op) != OpKind::list_read || h_.list(op).key != k ||
        spelt_list(h_.list(op).elements, false) != list)
      continue;
    for (const Op later : h_.operations_of(reader)) {
      if (later > op && h_.kind(later) == OpKind::append && h_.key(later) == k &&
          spelt(h_.version(later)) == element)
        return true;
    }
  }
  return false;
}

bool SpokenFacts::list_has_from_nowhere(Txn reader, const std::string& list, Key k,
                                        const std::string& element) const {
  for (const Elements& all : lists(reader, list, k)) {
    for (const Version v : all) {
      if (spelt(v) != element) continue;
      bool appended = false;
      for (const Txn t : h_.all_transactions()) appended = appended || appends(t, v);
      if (!appended) return true;
    }
  }
  return false;
}

// Neither is the beginning of the other.
bool SpokenFacts::lists_differ(Key k, Txn a, const std::string& one, Txn b, const std::string& other) const {
  for (const Elements& x : lists(a, one, k)) {
    for (const Elements& y : lists(b, other, k)) {
      const std::size_t shared = std::min(x.size(), y.size());
      if (!std::equal(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(shared), y.begin())) return true;
    }
  }
  return false;
}

}  // namespace assay
