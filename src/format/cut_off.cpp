#include "format/cut_off.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "history/builder.hpp"
#include "history/rebuild.hpp"

namespace assay::format {

namespace {

class Beginning {
 public:
  explicit Beginning(const History& history)
      : history_(history), writers_(history.versions()), key_is_written_(history.keys()) {
    for (const Txn t : history.all_transactions()) {
      for (const Op op : history.operations_of(t)) {
        if (!writes(history.kind(op))) continue;
        const Version v = history.version(op);
        key_is_written_[index(history.key_of(v))] = true;
        if (writers_[index(v)] < 2) ++writers_[index(v)];
        values_repeat_ = values_repeat_ || (writers_[index(v)] == 2 && !history.is_initial(v));
      }
    }
  }

  // Whether nobody who is missing could explain it.
  bool proves(Version seen) const {
    if (history_.is_initial(seen)) return !key_is_written_[index(history_.key_of(seen))];
    return writers_[index(seen)] > 0 && !values_repeat_;
  }
  bool proves(Op op) const {
    switch (history_.kind(op)) {
      case OpKind::read:
        return proves(history_.version(op));
      case OpKind::list_read: {
        const ListRead list = history_.list(op);
        if (list.elements.empty()) return !key_is_written_[index(list.key)];
        return std::all_of(list.elements.begin(), list.elements.end(), [&](Version v) { return proves(v); });
      }
      default:
        return true;
    }
  }

 private:
  const History& history_;
  std::vector<std::uint8_t> writers_;  // of each version; two stands for more
  std::vector<bool> key_is_written_;
  bool values_repeat_ = false;
};

}  // namespace

History without_what_is_missing(const History& beginning, const std::string& where) {
  const Beginning known(beginning);
  HistoryBuilder build;
  Rebuild rebuild(beginning, build);
  for (std::uint32_t s = 0; s < beginning.sessions(); ++s) build.session(beginning.name(Session{s}));
  std::size_t left_out = 0;
  std::vector<Row> rows;
  for (const Txn t : beginning.all_transactions()) {
    build.begin(build.session(beginning.name(beginning.session_of(t))), beginning.name(t));
    for (const Op op : beginning.operations_of(t)) {
      if (!is_query(beginning.kind(op))) {
        if (known.proves(op)) {
          rebuild.operation(op, [&](Version v) { return beginning.is_initial(v); });
        } else {
          ++left_out;
        }
        continue;
      }
      rows.clear();
      const Query query = beginning.query(op);
      for (const Version v : query.results) {
        if (known.proves(v)) {
          const bool initial = beginning.is_initial(v);
          rows.push_back({beginning.name(beginning.key_of(v)),
                          initial ? std::nullopt : std::optional(beginning.value(v))});
        }
      }
      if (beginning.kind(op) != OpKind::rows_read || rows.size() < query.results.size()) ++left_out;
      build.rows_read(rows);
    }
    build.end(beginning.status(t), beginning.start(t), beginning.end(t));
  }
  for (std::uint32_t k = 0; k < beginning.keys(); ++k) {
    if (beginning.initial_is_row(Key{k})) build.initial_row(beginning.name(Key{k}));
  }
  build.clocks(beginning.clocks());
  build.source(beginning.path(), beginning.format());
  for (const std::string& note : beginning.notes()) build.note(note);
  build.note(fmt::format(
      "the recording is cut off at {}: what follows is missing here{}", where,
      left_out == 0
          ? ""
          : fmt::format(", and so are {} reads and answers to queries that it may explain", left_out)));
  return build.finish();
}

}  // namespace assay::format
