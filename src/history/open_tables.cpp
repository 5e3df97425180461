#include "history/open_tables.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "history/builder.hpp"
#include "history/predicate.hpp"
#include "history/rebuild.hpp"

namespace assay {

namespace {

class OpenTables {
 public:
  OpenTables(const History& history, std::span<const std::string> tables)
      : h_(history),
        tables_(tables),
        is_open_(history.keys(), false),
        is_written_(history.versions(), false) {
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      const Atom name = h_.name(Key{k});
      is_open_[k] = name.kind == AtomKind::text &&
                    any_table([&](std::string_view table) { return name.text.starts_with(table); });
    }
    for (const Op op : IdRange<Op>{0, h_.operations()}) {
      if (writes(h_.kind(op))) is_written_[index(h_.version(op))] = true;
    }
  }

  bool is_open(Key k) const { return is_open_[index(k)]; }
  // Whether somebody in the history wrote it. The initial version may stand for what an unseen delete left.
  bool is_known(Version v) const { return is_written_[index(v)] && !h_.is_initial(v); }
  // Of a row it is known that it was there.
  bool is_evidence_as_row(Version v) const {
    return !is_open(h_.key_of(v)) || is_known(v) || h_.is_initial(v);
  }
  bool is_evidence(Op op) const {
    if (writes(h_.kind(op))) return true;
    if (h_.kind(op) == OpKind::list_read) return !is_open(h_.list(op).key);
    return !is_open(h_.key(op)) || is_known(h_.version(op));
  }

  // Whether what the query did not return may be in an open table.
  bool may_miss(Op op) const {
    if (h_.kind(op) == OpKind::rows_read) return false;
    const Query query = h_.query(op);
    if (std::any_of(query.results.begin(), query.results.end(),
                    [&](Version v) { return is_open(h_.key_of(v)); })) {
      return true;
    }
    if (!query.predicate) return any_table([&](std::string_view table) { return meets(query, table); });
    const auto predicate = Predicate::parse(*query.predicate);
    return predicate && any_table([&](std::string_view table) { return meets(*predicate, table); });
  }

 private:
  template <class Is>
  bool any_table(const Is& is) const {
    return std::any_of(tables_.begin(), tables_.end(), is);
  }
  // Whether keys of the table can lie in the range.
  static bool meets(const Query& range, std::string_view table) {
    if ((range.low && range.low->kind != AtomKind::text) ||
        (range.high && range.high->kind != AtomKind::text))
      return false;
    if (range.high && range.high->text < table) return false;
    return !range.low || range.low->text < table || range.low->text.starts_with(table);
  }

  // The keys of a table follow each other, and so do those that a predicate allows.
  static bool meets(const Predicate& predicate, std::string_view table) {
    const std::string behind = std::string(table) + '\xff';
    return predicate.side_of(Atom::string(table)) <= 0 && predicate.side_of(Atom::string(behind)) >= 0;
  }

  const History& h_;
  std::span<const std::string> tables_;
  std::vector<bool> is_open_;     // per key
  std::vector<bool> is_written_;  // per version
};

}  // namespace

History without_unseen(const History& history, std::span<const std::string> open_tables) {
  if (open_tables.empty()) return history;
  const OpenTables tables(history, open_tables);
  HistoryBuilder build;
  Rebuild rebuild(history, build);
  rebuild.all_keys();
  for (std::uint32_t s = 0; s < history.sessions(); ++s) build.session(history.name(Session{s}));
  std::uint64_t reads = 0, queries = 0;
  std::vector<Row> rows;
  for (const Txn t : history.all_transactions()) {
    build.begin(build.session(history.name(history.session_of(t))), history.name(t));
    for (const Op op : history.operations_of(t)) {
      if (!is_query(history.kind(op))) {
        if (tables.is_evidence(op)) {
          rebuild.operation(op, [&](Version v) { return history.is_initial(v); });
        } else {
          ++reads;
        }
        continue;
      }
      const Query query = history.query(op);
      rows.clear();
      for (const Version v : query.results) {
        if (!tables.is_evidence_as_row(v)) continue;
        rows.push_back({history.name(history.key_of(v)),
                        history.is_initial(v) ? std::nullopt : std::optional(history.value(v))});
      }
      reads += query.results.size() - rows.size();
      const bool misses = tables.may_miss(op);
      queries += misses ? 1 : 0;
      if (misses || rows.size() < query.results.size()) {
        build.rows_read(rows);
      } else {
        rebuild.operation(op, [&](Version v) { return history.is_initial(v); });
      }
    }
    build.end(history.status(t), history.start(t), history.end(t));
  }
  for (std::uint32_t k = 0; k < history.keys(); ++k) {
    if (history.initial_is_row(Key{k})) build.initial_row(history.name(Key{k}));
  }
  build.clocks(history.clocks());
  build.source(history.path(), history.format());
  for (const std::string& note : history.notes()) build.note(note);
  build.note("others may write to open tables unseen: " + std::to_string(reads) +
             " reads there saw nothing, or what nobody here wrote, and of " + std::to_string(queries) +
             " queries only the rows count");
  return build.finish();
}

}  // namespace assay
