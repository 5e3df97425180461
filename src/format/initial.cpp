#include "format/initial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "history/builder.hpp"
#include "system/input_error.hpp"

namespace assay::format {

namespace {

constexpr const char* kRewroteInitial =
    "some transactions write the initial value of a key again; those writes are shown as deletes";

// Feeds the operations of one history into the builder of another, with other initial versions.
class Replay {
 public:
  Replay(const History& history, std::span<const std::optional<Version>> initial, HistoryBuilder& build)
      : history_(history), initial_(initial), build_(build) {}

  void operation(Op op) {
    switch (history_.kind(op)) {
      case OpKind::read: {
        const Atom key = history_.name(history_.key(op));
        const std::optional<Atom> value = value_of(history_.version(op));
        value ? build_.read(key, *value) : build_.read_initial(key);
        return;
      }
      case OpKind::write:
      case OpKind::insert:
      case OpKind::erase:
      case OpKind::append:
        write(op);
        return;
      case OpKind::list_read: {
        const ListRead list = history_.list(op);
        elements_.clear();
        for (const Version v : list.elements) elements_.push_back(history_.value(v));
        build_.list_read(history_.name(list.key), elements_);
        return;
      }
      case OpKind::predicate_read:
      case OpKind::range_read:
      case OpKind::rows_read: {
        const Query query = history_.query(op);
        rows_.clear();
        for (const Version v : query.results)
          rows_.push_back({history_.name(history_.key_of(v)), value_of(v)});
        if (history_.kind(op) == OpKind::rows_read) {
          build_.rows_read(rows_);
        } else if (query.predicate) {
          build_.predicate_read(*query.predicate, rows_);
        } else {
          build_.range_read(query.low, query.high, rows_);
        }
      }
    }
  }

  bool rewrote_initial() const { return rewrote_initial_; }

 private:
  std::optional<Atom> value_of(Version version) const {
    const std::optional<Version> initial = initial_[index(history_.key_of(version))];
    if (initial == version) return std::nullopt;
    if (!history_.is_initial(version)) return history_.value(version);
    if (initial) return Atom::json("null");
    return std::nullopt;
  }

  void write(Op op) {
    const Atom key = history_.name(history_.key(op));
    const std::optional<Atom> value = value_of(history_.version(op));
    const OpKind kind = history_.kind(op);
    if (!value) {
      rewrote_initial_ = rewrote_initial_ || kind != OpKind::erase;
      return build_.erase(key);
    }
    switch (kind) {
      case OpKind::insert:
        return build_.insert(key, *value);
      case OpKind::erase:
        return build_.erase(key, *value);
      case OpKind::append:
        return build_.append(key, *value);
      default:
        return build_.write(key, *value);
    }
  }

  const History& history_;
  std::span<const std::optional<Version>> initial_;
  HistoryBuilder& build_;
  std::vector<Atom> elements_;
  std::vector<Row> rows_;
  bool rewrote_initial_ = false;
};

}  // namespace

void InitialValues::write(OpKind kind, const Atom& key, const std::optional<Atom>& value) {
  const std::optional<Atom> written = meaning(value);
  if (!written) {
    rewrote_initial_ = rewrote_initial_ || kind != OpKind::erase;
    return build_.erase(key);
  }
  switch (kind) {
    case OpKind::insert:
      return build_.insert(key, *written);
    case OpKind::erase:
      return build_.erase(key, *written);
    default:
      return build_.write(key, *written);
  }
}

void InitialValues::add_notes() {
  if (rewrote_initial_) build_.note(kRewroteInitial);
}

History with_initial_versions(const History& history, std::span<const std::optional<Version>> initial,
                              std::span<const Txn> without, Zero zero, const std::string& note) {
  HistoryBuilder build;
  Replay replay(history, initial, build);
  auto skip = without.begin();
  for (const Txn t : history.all_transactions()) {
    if (skip != without.end() && *skip == t) {
      ++skip;
      continue;
    }
    build.begin(build.session(history.name(history.session_of(t))), history.name(t));
    for (const Op op : history.operations_of(t)) replay.operation(op);
    build.end(history.status(t), history.start(t), history.end(t));
  }
  if (history.has_queries()) {
    for (std::uint32_t k = 0; k < history.keys(); ++k) {
      if (!initial[k] || history.is_initial(*initial[k])) continue;
      if (zero == Zero::is_no_row && history.value(*initial[k]) == Atom::integer(0)) continue;
      build.initial_row(history.name(Key{k}));
    }
  }
  build.clocks(history.clocks());
  build.source(history.path(), history.format());
  for (const std::string& known : history.notes()) build.note(known);
  if (!note.empty()) build.note(note);
  if (replay.rewrote_initial()) build.note(kRewroteInitial);
  return build.finish();
}

History fold_initial_transaction(const History& history, Txn writer) {
  const std::string who = "transaction " + to_string(history.name(writer)) + " of session " +
                          to_string(history.name(history.session_of(writer)));
  const auto refuse = [&](const std::string& why) {
    throw InputError(history.path(), "", who + " cannot have written the initial state: " + why);
  };
  if (history.status(writer) != Status::committed) refuse("it did not certainly commit");
  std::vector<std::optional<Version>> initial(history.keys());
  for (const Op op : history.operations_of(writer)) {
    const OpKind kind = history.kind(op);
    if (kind == OpKind::append) refuse("it appends to lists");
    if (!writes(kind)) refuse("it reads");
    const Version version = history.version(op);
    auto& entry = initial[index(history.key_of(version))];
    // Its last write of a key counts; a delete without a tombstone leaves the key absent, as it was.
    entry = history.is_initial(version) ? std::nullopt : std::optional(version);
  }
  return with_initial_versions(history, initial, {&writer, 1}, Zero::is_a_row);
}

}  // namespace assay::format
