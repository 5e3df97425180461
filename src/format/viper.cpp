#include "format/viper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "format/initial.hpp"
#include "format/text/json_cursor.hpp"
#include "history/builder.hpp"
#include "system/input_error.hpp"

namespace assay::format {

namespace {

// The n of a file named J<n>.log.
std::optional<std::int64_t> session_number(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (!name.starts_with('J') || !name.ends_with(".log")) return std::nullopt;
  const char* first = name.data() + 1;
  const char* last = name.data() + name.size() - std::strlen(".log");
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(first, last, number);
  if (error != std::errc{} || end != last || number < 0) return std::nullopt;
  return number;
}

// Reads every value as an ordinary one; which of them were there before the run can be told only at the end.
class ViperReader {
 public:
  explicit ViperReader(const ReadOptions& options) : options_(options), values_(build_, options.initial) {}

  void file(const InputFile& file, std::int64_t number) {
    const Session session = build_.session(Atom::integer(number));
    JsonCursor json(file.path, {});
    json_ = &json;
    std::string_view rest = file.bytes;
    std::int64_t position = 0;
    for (std::size_t line = 1; !rest.empty(); ++line) {
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      json.reset(rest.substr(0, length), line);
      if (!json.at_end()) transaction(session, position++);
      rest.remove_prefix(std::min(length + 1, rest.size()));
    }
    json_ = nullptr;
  }

  History finish(const std::string& path) {
    if (build_.transactions() == 0) throw InputError(path, "", "there is no transaction in this history");
    if (has_times_) build_.note("the times are taken as nanoseconds of one clock");
    values_.add_notes();
    build_.source(path, "viper");
    History history = build_.finish();
    if (options_.initial == Initial::first_transaction) return fold_initial_transaction(history, Txn{0});
    if (options_.initial != Initial::automatic) return history;
    if (initial_transactions_.empty()) return with_preloaded_values(history);
    std::vector<std::optional<Version>> initial = zeros(history);
    for (const Txn t : initial_transactions_) {
      for (const Op op : history.operations_of(t)) initial[index(history.key(op))] = history.version(op);
    }
    return with_initial_versions(history, initial, initial_transactions_, Zero::is_no_row);
  }

 private:
  struct ParsedOp {
    OpKind kind;
    Atom key;
    std::optional<Atom> value = {};
    bool succeeded = true;
    std::optional<Atom> low = {}, high = {};
    std::size_t first = 0, last = 0;  // in rows_
  };

  void transaction(Session session, std::int64_t position) {
    ops_.clear();
    rows_.clear();
    bool has_value = false, initial = false;
    std::optional<std::int64_t> start, end;
    json_->object(
        [&](std::string_view name) {
          if (name == "value") {
            if (has_value) json_->fail("field \"value\" stands here twice");
            has_value = true;
            json_->array([&] { operation(); }, "an array of operations");
          } else if (name == "isInitial") {
            initial = json_->boolean("true or false");
          } else if (name == "preBeginTS") {
            start = time();
          } else if (name == "postCommitTS") {
            end = time();
          } else {
            json_->skip_value();
          }
        },
        "a transaction, that is a JSON object");
    if (!json_->at_end()) json_->fail_expected("the end of the line after the object");
    if (!has_value) json_->fail("the transaction needs a field \"value\"");
    if (start && end && *end < *start) {
      json_->fail(fmt::format("the transaction commits at {}, before it begins at {}", *end, *start));
    }
    has_times_ = has_times_ || start || end;
    if (initial) return initial_transaction(session, position);

    const bool failures =
        std::any_of(ops_.begin(), ops_.end(), [](const ParsedOp& op) { return !op.succeeded; });
    const bool drop = options_.failed_statements == FailedStatements::drop;
    build_.begin(session, Atom::integer(position));
    for (const ParsedOp& op : ops_) {
      if (op.succeeded || !drop) feed(op);
    }
    if (failures && !drop) end = std::nullopt;
    build_.end(failures && !drop ? Status::unknown : Status::committed, start, end);
    if (!failures || !drop) return;
    // What was written and then dropped must stay known: a read of it is an aborted read, not a pre-loaded
    // value.
    build_.begin(session, Atom::string(fmt::format("{} (failed statements)", position)));
    for (const ParsedOp& op : ops_) {
      if (!op.succeeded) feed(op);
    }
    build_.end(Status::aborted);
  }

  // The state before the run, as one range read of everything or as writes; here always as writes.
  void initial_transaction(Session session, std::int64_t position) {
    initial_transactions_.push_back(Txn{build_.transactions()});
    build_.begin(session, Atom::integer(position));
    for (const ParsedOp& op : ops_) {
      if (op.kind == OpKind::write || op.kind == OpKind::insert) {
        values_.write(OpKind::write, op.key, op.value);
      } else if (op.kind == OpKind::range_read) {
        for (std::size_t row = op.first; row < op.last; ++row) {
          values_.write(OpKind::write, rows_[row].key, rows_[row].value);
        }
      } else {
        json_->fail("an initial transaction consists of one range read or of writes");
      }
    }
    build_.end(Status::committed);
  }

  void feed(const ParsedOp& op) {
    switch (op.kind) {
      case OpKind::read:
        values_.read(op.key, op.value);
        return;
      case OpKind::range_read:
        build_.range_read(op.low, op.high, std::span(rows_).subspan(op.first, op.last - op.first));
        return;
      default:
        values_.write(op.kind, op.key, op.value);
    }
  }

  void operation() {
    json_->expect('[', "an operation, that is an array");
    const std::size_t at = json_->offset();
    const std::string_view what = json_->string("the name of an operation");
    if (what == "r") {
      ParsedOp op{OpKind::read, next_key()};
      op.value = next_value();
      next_flag();  // whether it was a tombstone: its value says so too
      ops_.push_back(op);
    } else if (what == "w") {
      ParsedOp op{OpKind::write, next_key()};
      op.value = next_written();
      op.succeeded = next_flag();
      ops_.push_back(op);
    } else if (what == "d" || what == "i") {
      // First looks at the row, then writes its tombstone or its new value.
      ParsedOp op{what == "d" ? OpKind::erase : OpKind::insert, next_key()};
      op.value = next_written();
      ParsedOp seen{OpKind::read, op.key};
      seen.value = next_value();
      next_flag();
      op.succeeded = next_flag();
      ops_.push_back(seen);
      ops_.push_back(op);
    } else if (what == "range") {
      ParsedOp op{OpKind::range_read, {}};
      op.low = next_bound();
      op.high = next_bound();
      op.first = rows_.size();
      next_rows();
      next_rows();  // tombstones in the range: rows as well, of a version that says "deleted"
      op.last = rows_.size();
      ops_.push_back(op);
    } else {
      json_->fail_at(at, fmt::format("unknown operation \"{}\" (known: r, w, d, i, range)", what));
    }
    json_->expect(']', "']' after the operation");
  }

  Atom next_atom(const char* what) {
    json_->expect(',', what);
    if (json_->peek() == 'n') json_->fail_expected(what);
    return json_->atom(what);
  }
  Atom next_key() { return next_atom("a key"); }
  Atom next_written() { return next_atom("the value that was written"); }
  std::optional<Atom> next_value() {
    json_->expect(',', "the value that was read");
    if (json_->accept_null()) return std::nullopt;
    return json_->atom("a value");
  }
  bool next_flag() {
    json_->expect(',', "true or false");
    return json_->boolean("true or false");
  }
  std::optional<Atom> next_bound() {
    const Atom bound = next_atom("a bound of the range");
    if (bound == Atom::string("nil")) return std::nullopt;
    return bound;
  }
  void next_rows() {
    json_->expect(',', "the rows of the range");
    json_->array(
        [&] {
          std::optional<Atom> key, value;
          json_->object(
              [&](std::string_view name) {
                if (name != "id" && name != "val") return json_->skip_value();
                std::optional<Atom>& field = name == "id" ? key : value;
                if (field) json_->fail(fmt::format("field \"{}\" stands here twice", name));
                if (json_->peek() == 'n') json_->fail_expected("a key or a value");
                field = json_->atom("a key or a value");
              },
              "a row {\"id\":key,\"val\":value}");
          if (!key || !value) json_->fail("a row needs the fields \"id\" and \"val\"");
          rows_.push_back({*key, values_.meaning(value)});
        },
        "an array of rows");
  }
  // The logger writes -1 for a moment that it did not see.
  std::optional<std::int64_t> time() {
    const std::int64_t value = json_->integer("a time, that is an integer");
    if (value < 0) return std::nullopt;
    return value;
  }

  static std::vector<std::optional<Version>> zeros(const History& history) {
    std::vector<std::optional<Version>> zero(history.keys());
    for (std::uint32_t k = 0; k < history.keys(); ++k) {
      for (const Version v : history.versions_of(Key{k})) {
        if (!history.is_initial(v) && history.value(v) == Atom::integer(0)) zero[k] = v;
      }
    }
    return zero;
  }

  // Without an initial transaction a value that nobody wrote was there before the run, if it is the only one
  // of its key; a second one is left without a writer, for the checker to find.
  static History with_preloaded_values(const History& history) {
    std::vector<bool> written(history.versions());
    for (std::uint32_t op = 0; op < history.operations(); ++op) {
      if (writes(history.kind(Op{op}))) written[index(history.version(Op{op}))] = true;
    }
    std::vector<std::optional<Version>> initial(history.keys());
    std::vector<bool> contradicted(history.keys());
    const auto see = [&](Version v) {
      if (written[index(v)] || history.is_initial(v)) return;
      std::optional<Version>& first = initial[index(history.key_of(v))];
      if (!first) first = v;
      if (first != v) contradicted[index(history.key_of(v))] = true;
    };
    for (const Txn t : history.all_transactions()) {
      if (history.status(t) != Status::committed) continue;
      for (const Op op : history.operations_of(t)) {
        if (history.kind(op) == OpKind::read) see(history.version(op));
        if (history.kind(op) != OpKind::range_read) continue;
        for (const Version v : history.query(op).results) see(v);
      }
    }
    const std::vector<std::optional<Version>> zero = zeros(history);
    for (std::uint32_t k = 0; k < history.keys(); ++k) {
      if (!initial[k]) initial[k] = zero[k];
    }
    const auto contradictions = std::count(contradicted.begin(), contradicted.end(), true);
    if (contradictions == 0) return with_initial_versions(history, initial, {}, Zero::is_no_row);
    const auto key = Key{static_cast<std::uint32_t>(
        std::find(contradicted.begin(), contradicted.end(), true) - contradicted.begin())};
    return with_initial_versions(history, initial, {}, Zero::is_no_row,
                                 fmt::format("{} keys, {} among them, were read with several values that "
                                             "nobody wrote: the first is taken for the "
                                             "initial value, the others stay without a writer",
                                             contradictions, to_string(history.name(key))));
  }

  ReadOptions options_;
  HistoryBuilder build_;
  InitialValues values_;
  std::vector<Txn> initial_transactions_;
  bool has_times_ = false;

  // The line being read.
  JsonCursor* json_ = nullptr;
  std::vector<ParsedOp> ops_;
  std::vector<Row> rows_;
};

struct SessionFile {
  std::int64_t number;
  const InputFile* file;
};

}  // namespace

bool sniff_viper(const Input& input) {
  if (!input.directory) return false;
  for (const InputFile& file : input.files) {
    if (!session_number(file.path)) continue;
    const std::vector<std::string> fields = first_object_fields(file.bytes);
    if (std::find(fields.begin(), fields.end(), "value") != fields.end()) return true;
  }
  return false;
}

History read_viper(const Input& input, const ReadOptions& options) {
  std::vector<SessionFile> files;
  for (const InputFile& file : input.files) {
    if (const auto number = session_number(file.path)) files.push_back({*number, &file});
  }
  // One log alone, whatever its name, is a history of one session for who asks for it by name.
  if (!input.directory && input.files.size() == 1 && files.empty()) files.push_back({0, &input.files[0]});
  if (files.empty()) throw InputError(input.path, "", "expected a directory with files J<n>.log");
  std::sort(files.begin(), files.end(),
            [](const SessionFile& a, const SessionFile& b) { return a.number < b.number; });
  ViperReader reader(options);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i > 0 && files[i].number == files[i - 1].number) {
      throw InputError(files[i].file->path, "", fmt::format("a second file for session {}", files[i].number));
    }
    reader.file(*files[i].file, files[i].number);
  }
  return reader.finish(input.path);
}

}  // namespace assay::format
