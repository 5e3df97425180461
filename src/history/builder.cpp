#include "history/builder.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "memory/huge_pages.hpp"

namespace assay {

namespace {

// Until finish(), a payload or element that means "the initial version of key k" is stored as its complement
// in a space of its own: versions count up from 0, initial versions down from the top.
constexpr std::uint32_t initial_mark(std::uint32_t key) {
  return ~key;
}

constexpr std::uint32_t kMost = 0x7FFFFFFFU;  // keeps the two spaces apart and every id below 2^31

void require_room(std::size_t used, const char* what) {
  if (used >= kMost)
    throw std::length_error(std::string("more than 2,147,483,647 ") + what + " in one history");
}

}  // namespace

std::uint64_t HistoryBuilder::bits_of(const Atom& atom) {
  if (atom.kind == AtomKind::text || atom.kind == AtomKind::json) return history_.texts_.intern(atom.text);
  return atom.bits;
}

void HistoryBuilder::expect(std::size_t operations) {
  operations = std::min<std::size_t>(operations, kMost);
  history_.kinds_.reserve(operations);
  history_.payloads_.reserve(operations);
}

Session HistoryBuilder::session(const Atom& name) {
  const std::uint64_t bits = bits_of(name);
  const std::uint32_t fresh = history_.sessions();
  const std::uint32_t id = session_table_[static_cast<std::size_t>(name.kind)].find_or_add(0, bits, fresh);
  if (id == fresh) {
    require_room(fresh, "sessions");
    history_.session_names_.push_back(name.kind, bits);
  }
  return Session{id};
}

void HistoryBuilder::begin(Session session, const Atom& name) {
  assert(!open_);
  require_room(history_.txn_sessions_.size(), "transactions");
  open_ = true;
  history_.txn_sessions_.push_back(index(session));
  history_.txn_names_.push_back(name.kind, bits_of(name));
}

void HistoryBuilder::end(Status status, std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
  assert(open_);
  open_ = false;
  if ((start || end) && history_.starts_.empty()) {
    history_.starts_.resize(history_.statuses_.size(), History::kNoTime);
    history_.ends_.resize(history_.statuses_.size(), History::kNoTime);
  }
  history_.statuses_.push_back(status);
  history_.op_begin_.push_back(history_.operations());
  if (start || end || !history_.starts_.empty()) {
    history_.starts_.push_back(start.value_or(History::kNoTime));
    history_.ends_.push_back(end.value_or(History::kNoTime));
  }
}

void HistoryBuilder::source(std::string path, std::string format) {
  history_.path_ = std::move(path);
  history_.format_ = std::move(format);
}

std::uint32_t HistoryBuilder::key_id(AtomKind kind, std::uint64_t bits) {
  const std::uint32_t fresh = history_.keys();
  const std::uint32_t id = key_table_[static_cast<std::size_t>(kind)].find_or_add(0, bits, fresh);
  if (id == fresh) {
    require_room(fresh, "keys");
    history_.key_names_.push_back(kind, bits);
  }
  return id;
}

std::uint32_t HistoryBuilder::new_operation(OpKind kind, std::uint32_t payload) {
  assert(open_);
  require_room(history_.kinds_.size(), "operations");
  const std::uint32_t op = history_.operations();
  history_.kinds_.push_back(kind);
  history_.payloads_.push_back(payload);
  ++history_.kind_counts_[static_cast<std::size_t>(kind)];
  return op;
}

void HistoryBuilder::add(OpKind kind, const Atom& key, const Atom& value) {
  const std::uint32_t op = new_operation(kind, 0);
  look_up({bits_of(key), bits_of(value), 0, op, key.kind, value.kind, false, false, false});
}

void HistoryBuilder::add_initial(OpKind kind, const Atom& key) {
  const std::uint32_t op = new_operation(kind, 0);
  look_up({bits_of(key), 0, 0, op, key.kind, AtomKind::integer, false, true, false});
}

void HistoryBuilder::operation(OpKind kind, Key key, const Atom& value) {
  const std::uint32_t op = new_operation(kind, 0);
  look_up({0, bits_of(value), index(key), op, AtomKind::integer, value.kind, false, false, true});
}

void HistoryBuilder::operation(OpKind kind, Key key) {
  new_operation(kind, initial_mark(index(key)));
}

void HistoryBuilder::prefetch_key(const Atom& name) const {
  if (name.kind == AtomKind::text || name.kind == AtomKind::json) {
    history_.texts_.prefetch(name.text);
  } else {
    key_table_[static_cast<std::size_t>(name.kind)].prefetch(0, name.bits);
  }
}

void HistoryBuilder::look_up(const Pending& pending) {
  if (!pending.has_key) key_table_[static_cast<std::size_t>(pending.key_kind)].prefetch(0, pending.key_bits);
  Pending& slot = pending_[pending_count_ % (2 * kStage)];
  if (pending_count_ >= 2 * kStage) find_version(slot);
  slot = pending;
  if (pending_count_ >= kStage) find_key(pending_[(pending_count_ - kStage) % (2 * kStage)]);
  ++pending_count_;
}

void HistoryBuilder::find_key(Pending& pending) {
  if (!pending.has_key) pending.key = key_id(pending.key_kind, pending.key_bits);
  pending.has_key = true;
  version_table_[static_cast<std::size_t>(pending.value_kind)].prefetch(pending.key, pending.value_bits);
}

void HistoryBuilder::find_version(const Pending& pending) {
  std::uint32_t& target = (pending.element ? history_.elements_ : history_.payloads_)[pending.target];
  if (pending.initial) {
    target = initial_mark(pending.key);
    return;
  }
  const auto fresh = static_cast<std::uint32_t>(version_keys_.size());
  InternTable& table = version_table_[static_cast<std::size_t>(pending.value_kind)];
  target = table.find_or_add(pending.key, pending.value_bits, fresh);
  if (target == fresh) {
    require_room(fresh, "versions");
    version_keys_.push_back(pending.key);
    history_.values_.push_back(pending.value_kind, pending.value_bits);
  }
}

void HistoryBuilder::add_element(const Atom& key, const std::optional<Atom>& value) {
  require_room(history_.elements_.size(), "list elements and query results");
  const auto at = static_cast<std::uint32_t>(history_.elements_.size());
  history_.elements_.push_back(0);
  look_up({bits_of(key), value ? bits_of(*value) : 0, 0, at, key.kind,
           value ? value->kind : AtomKind::integer, true, !value, false});
}

void HistoryBuilder::list_read(const Atom& key, std::span<const Atom> elements) {
  // Keys are numbered in order of appearance, so those that still wait come first.
  for (std::size_t i = pending_count_ > kStage ? pending_count_ - kStage : 0; i < pending_count_; ++i) {
    find_key(pending_[i % (2 * kStage)]);
  }
  const std::uint32_t k = key_id(key.kind, bits_of(key));
  new_operation(OpKind::list_read, static_cast<std::uint32_t>(history_.lists_.size()));
  const std::uint64_t begin = history_.elements_.size();
  for (const Atom& element : elements) add_element(key, element);
  history_.lists_.push_back({k, begin, history_.elements_.size()});
}

std::uint32_t HistoryBuilder::add_query_atom(const std::optional<Atom>& atom) {
  if (!atom) return History::kNone;
  history_.query_atoms_.push_back(atom->kind, bits_of(*atom));
  return static_cast<std::uint32_t>(history_.query_atoms_.size() - 1);
}

void HistoryBuilder::predicate_read(const Atom& predicate, std::span<const Row> rows) {
  new_operation(OpKind::predicate_read, static_cast<std::uint32_t>(history_.queries_.size()));
  const std::uint64_t begin = history_.elements_.size();
  for (const Row& row : rows) add_element(row.key, row.value);
  history_.queries_.push_back(
      {begin, history_.elements_.size(), add_query_atom(predicate), History::kNone, History::kNone});
}

void HistoryBuilder::range_read(const std::optional<Atom>& low, const std::optional<Atom>& high,
                                std::span<const Row> rows) {
  new_operation(OpKind::range_read, static_cast<std::uint32_t>(history_.queries_.size()));
  const std::uint64_t begin = history_.elements_.size();
  for (const Row& row : rows) add_element(row.key, row.value);
  const std::uint32_t low_atom = add_query_atom(low);
  const std::uint32_t high_atom = add_query_atom(high);
  history_.queries_.push_back({begin, history_.elements_.size(), History::kNone, low_atom, high_atom});
}

void HistoryBuilder::rows_read(std::span<const Row> rows) {
  new_operation(OpKind::rows_read, static_cast<std::uint32_t>(history_.queries_.size()));
  const std::uint64_t begin = history_.elements_.size();
  for (const Row& row : rows) add_element(row.key, row.value);
  history_.queries_.push_back(
      {begin, history_.elements_.size(), History::kNone, History::kNone, History::kNone});
}

HistoryBuilder::VersionSet HistoryBuilder::version_set(const Atom& key,
                                                       std::span<const std::optional<Atom>> members) {
  const std::uint32_t k = key_id(key.kind, bits_of(key));
  const std::uint64_t begin = history_.elements_.size();
  for (const std::optional<Atom>& member : members) add_element(key, member);
  const auto version = static_cast<std::uint32_t>(version_keys_.size());
  require_room(version, "versions");
  version_keys_.push_back(k);
  history_.values_.push_back(AtomKind::integer, 0);
  history_.sets_.push_back({version, begin, history_.elements_.size()});
  return VersionSet{version};
}

void HistoryBuilder::same_moment() {
  assert(open_ && history_.operations() > 1);
  history_.same_moment_.resize(history_.operations(), false);
  history_.same_moment_.back() = true;
}

void HistoryBuilder::initial_row(const Atom& key) {
  const std::uint32_t k = key_id(key.kind, bits_of(key));
  if (history_.initial_rows_.size() <= k) history_.initial_rows_.resize(k + std::size_t{1}, false);
  history_.initial_rows_[k] = true;
}

History HistoryBuilder::finish() {
  assert(!open_);
  const auto last = [&](std::size_t n) { return pending_count_ > n ? pending_count_ - n : 0; };
  for (std::size_t i = last(kStage); i < pending_count_; ++i) find_key(pending_[i % (2 * kStage)]);
  for (std::size_t i = last(2 * kStage); i < pending_count_; ++i) find_version(pending_[i % (2 * kStage)]);
  session_table_ = {};
  key_table_ = {};
  version_table_ = {};
  if (!history_.same_moment_.empty()) history_.same_moment_.resize(history_.operations(), false);
  if (!history_.initial_rows_.empty()) history_.initial_rows_.resize(history_.keys(), false);
  group_by_session();
  group_versions_by_key();
  history_.texts_.seal();
  return std::move(history_);
}

History HistoryBuilder::noted(History history, std::string note) {
  history.notes_.push_back(std::move(note));
  return history;
}

History HistoryBuilder::with_left_out(History history, std::string what) {
  history.left_out_ = std::move(what);
  return history;
}

// A stable counting sort of the transactions, and of their operations with them, by session.
void HistoryBuilder::group_by_session() {
  History& h = history_;
  const std::uint32_t n = h.transactions();
  std::vector<std::uint32_t> begin(h.sessions() + std::size_t{1}, 0);
  for (const std::uint32_t s : h.txn_sessions_) ++begin[s + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  h.session_begin_ = begin;

  bool grouped = true;
  for (std::uint32_t t = 1; t < n && grouped; ++t) grouped = h.txn_sessions_[t - 1] <= h.txn_sessions_[t];
  if (!grouped) {
    std::vector<std::uint32_t> source(n);  // new place -> old place
    for (std::uint32_t t = 0; t < n; ++t) source[begin[h.txn_sessions_[t]]++] = t;

    const auto permute = [&](auto& column) {
      if (column.empty()) return;
      std::remove_reference_t<decltype(column)> sorted(n);
      for (std::uint32_t t = 0; t < n; ++t) sorted[t] = column[source[t]];
      column = std::move(sorted);
    };
    std::vector<OpKind> kinds(h.kinds_.size());
    std::vector<std::uint32_t> payloads(h.payloads_.size());
    std::vector<std::uint32_t> op_begin(n + std::size_t{1}, 0);
    std::vector<bool> same_moment(h.same_moment_.size());
    std::uint32_t at = 0;
    for (std::uint32_t t = 0; t < n; ++t) {
      for (std::uint32_t op = h.op_begin_[source[t]]; op < h.op_begin_[source[t] + 1]; ++op, ++at) {
        kinds[at] = h.kinds_[op];
        payloads[at] = h.payloads_[op];
        if (!same_moment.empty()) same_moment[at] = h.same_moment_[op];
      }
      op_begin[t + 1] = at;
    }
    AtomColumn names;
    names.reserve(n);
    for (std::uint32_t t = 0; t < n; ++t)
      names.push_back(h.txn_names_.kind(source[t]), h.txn_names_.bits(source[t]));
    h.kinds_ = std::move(kinds);
    h.payloads_ = std::move(payloads);
    h.same_moment_ = std::move(same_moment);
    h.op_begin_ = std::move(op_begin);
    h.txn_names_ = std::move(names);
    permute(h.txn_sessions_);
    permute(h.statuses_);
    permute(h.starts_);
    permute(h.ends_);
  }
  h.kinds_.shrink_to_fit();
  h.payloads_.shrink_to_fit();
  h.op_begin_.shrink_to_fit();
  h.txn_sessions_.shrink_to_fit();
  h.statuses_.shrink_to_fit();
  h.starts_.shrink_to_fit();
  h.ends_.shrink_to_fit();
  h.txn_names_.shrink_to_fit();
  h.session_names_.shrink_to_fit();
}

// Renumbers versions key by key, each key's initial version first, the others in order of appearance.
void HistoryBuilder::group_versions_by_key() {
  History& h = history_;
  const std::uint32_t keys = h.keys();
  const auto found = static_cast<std::uint32_t>(version_keys_.size());
  require_room(std::size_t{found} + keys, "versions");
  std::vector<std::uint32_t> begin(keys + std::size_t{1}, 0);
  for (const std::uint32_t k : version_keys_) ++begin[k + 1];
  for (std::uint32_t k = 0; k < keys; ++k) begin[k + 1] += begin[k] + 1;

  LargeVector<std::uint32_t> renumbered(found);
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  AtomColumn values;
  values.resize(std::size_t{found} + keys);
  for (std::uint32_t v = 0; v < found; ++v) {
    renumbered[v] = ++next[version_keys_[v]];
    values.set(renumbered[v], h.values_.kind(v), h.values_.bits(v));
  }
  version_keys_ = {};
  const auto renumber = [&](std::uint32_t& id) { id = id > kMost ? begin[~id] : renumbered[id]; };
  for (std::uint32_t op = 0; op < h.operations(); ++op) {
    switch (h.kinds_[op]) {
      case OpKind::list_read:
      case OpKind::predicate_read:
      case OpKind::range_read:
      case OpKind::rows_read:
        break;
      default:
        renumber(h.payloads_[op]);
    }
  }
  for (std::uint32_t& id : h.elements_) renumber(id);
  for (History::VersionSet& set : h.sets_) {
    set.version = renumbered[set.version];
    std::sort(h.elements_.begin() + static_cast<std::ptrdiff_t>(set.begin),
              h.elements_.begin() + static_cast<std::ptrdiff_t>(set.end));
  }
  std::sort(h.sets_.begin(), h.sets_.end(),
            [](const auto& a, const auto& b) { return a.version < b.version; });

  h.key_versions_ = Runs(std::move(begin));
  h.values_ = std::move(values);
  h.key_names_.shrink_to_fit();
  h.elements_.shrink_to_fit();
  h.lists_.shrink_to_fit();
  h.queries_.shrink_to_fit();
}

}  // namespace assay
