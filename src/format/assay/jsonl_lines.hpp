// The lines of Assay's JSONL, one by one, into a builder: all that both the reader of whole files and the one
// of growing files know about the grammar. docs/formats.md describes it field by field.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/initial.hpp"
#include "format/text/json_cursor.hpp"
#include "history/builder.hpp"
#include "system/input_error.hpp"

namespace assay::format {

// Fields of a transaction, as bits: which a line had.
enum JsonlField : unsigned { kS = 1, kT = 2, kStatus = 4, kName = 8, kStart = 16, kEnd = 32, kOps = 64 };

struct JsonlOp {
  OpKind kind;
  Atom key;  // of a predicate read: the predicate
  std::optional<Atom> value;
  std::size_t first = 0,
              last = 0;  // in elements_ or rows_; of a range read, its bounds_ come in the same order
};

struct JsonlBounds {
  std::optional<Atom> low, high;
};

// Most fields and operations have names of one letter, and this is where reading spends its time.
inline bool is_letter(std::string_view name, char letter) {
  return name.size() == 1 && name[0] == letter;
}

// A line is parsed completely before the builder sees any of it: fields may come in any order.
class JsonlLines {
 public:
  JsonlLines(const std::string& path, Initial initial) : values_(build_, initial), json_(path, {}) {}
  JsonlLines(const JsonlLines&) = delete;
  JsonlLines& operator=(const JsonlLines&) = delete;

  // The next line, without its line feed. Throws InputError.
  void add(std::string_view text) {
    ++line_number_;
    json_.reset(text, line_number_);
    if (!json_.at_end()) line();
  }

  std::size_t line_number() const { return line_number_; }
  bool any_line() const { return any_line_; }
  bool header() const { return header_; }
  bool ended() const { return end_; }
  std::optional<Session> first_session() const { return first_session_; }
  std::uint32_t transactions() const { return build_.transactions(); }
  // Prefixes of the tables that others may write unseen.
  const std::vector<std::string>& open_tables() const { return open_tables_; }

  // All that was added; nothing more may be.
  History finish(std::string path) {
    values_.add_notes();
    build_.source(std::move(path), "jsonl");
    return build_.finish();
  }

  // What the lines so far say about the lines to come, for a file that is read in parts.
  struct Position {
    std::uint64_t line = 0, transactions = 0;
    bool any_line = false, header = false, ended = false;
    Clocks clocks = Clocks::one;
    struct LastOf {
      Atom session;
      std::optional<std::int64_t> t;
    };
    std::vector<LastOf> sessions;
  };
  // Takes the place of the lines before. REQUIRES: nothing was added; the names outlive the call.
  void begin_at(const Position& position) {
    line_number_ = position.line;
    earlier_ = position.transactions;
    any_line_ = position.any_line;
    header_ = position.header;
    end_ = position.ended;
    clocks_ = position.clocks;
    build_.clocks(clocks_);
    for (const Position::LastOf& last : position.sessions) {
      build_.session(last.session);
      last_t_.push_back(last.t);
    }
  }
  // REQUIRES: `part` is what finish() gave, which owns the names of the position.
  Position position(const History& part) const {
    Position position{line_number_, earlier_ + part.transactions(), any_line_, header_, end_, clocks_, {}};
    for (std::uint32_t s = 0; s < part.sessions(); ++s) {
      position.sessions.push_back({part.name(Session{s}), s < last_t_.size() ? last_t_[s] : std::nullopt});
    }
    return position;
  }

 private:
  void line() {
    if (end_) json_.fail("expected nothing after the end line");
    seen_ = 0;
    ops_.clear();
    elements_.clear();
    rows_.clear();
    bounds_.clear();
    bool frame = false;
    bool first = true;
    json_.object(
        [&](std::string_view name) {
          if (first && name == "assay") {
            frame = true;
            frame_line();
          } else if (frame) {
            frame_field(name);
          } else {
            transaction_field(name);
          }
          first = false;
        },
        "a transaction, that is a JSON object");
    if (!json_.at_end()) json_.fail_expected("the end of the line after the object");
    frame ? end_frame() : end_transaction();
    any_line_ = true;
  }

  // ---- Header and end line --------------------------------------------------------------------------------

  void frame_line() {
    const std::size_t at = json_.offset();
    const std::string_view what = json_.string("\"history\" or \"end\"");
    frame_seen_.clear();
    if (what == "history") {
      if (any_line_) json_.fail_at(at, "the header must be the first line");
      header_ = true;
    } else if (what == "end") {
      if (!header_) json_.fail_at(at, "an end line without a header");
      end_ = true;
    } else {
      json_.fail_at(at, fmt::format("expected \"history\" or \"end\", found \"{}\"", what));
    }
  }

  void frame_field(std::string_view name) {
    const std::size_t at = json_.offset();
    if (std::find(frame_seen_.begin(), frame_seen_.end(), name) != frame_seen_.end()) {
      json_.fail_at(at, fmt::format("field \"{}\" stands here twice", name));
    }
    if (!name.starts_with("x-")) frame_seen_.emplace_back(name);
    if (end_ && name == "transactions") {
      const std::int64_t count = json_.integer("the number of transactions");
      const std::uint64_t found = earlier_ + build_.transactions();
      if (count < 0 || static_cast<std::uint64_t>(count) != found) {
        json_.fail_at(at, fmt::format("the file has {} transactions, but says that it has {}", found, count));
      }
    } else if (!end_ && name == "version") {
      const std::int64_t version = json_.integer("a version number");
      if (version != 1) json_.fail_at(at, fmt::format("this is version {}; Assay reads version 1", version));
    } else if (!end_ && name == "clocks") {
      const std::string_view clocks = json_.string("\"one\" or \"several\"");
      if (clocks != "one" && clocks != "several") {
        json_.fail_at(at, fmt::format("expected \"one\" or \"several\", found \"{}\"", clocks));
      }
      clocks_ = clocks == "one" ? Clocks::one : Clocks::several;
      build_.clocks(clocks_);
    } else if (!end_ && name == "notes") {
      json_.array([&] { build_.note(std::string(json_.string("a note"))); }, "an array of notes");
    } else if (!end_ && name == "open") {
      json_.array([&] { open_tables_.emplace_back(json_.string("the prefix of an open table")); },
                  "an array of prefixes");
    } else if (!end_ && name == "sessions") {
      json_.array([&] { build_.session(name_atom("a session")); }, "an array of sessions");
    } else {
      skip_foreign(name);
    }
  }

  void end_frame() const {
    const char* const required = end_ ? "transactions" : "version";
    if (std::find(frame_seen_.begin(), frame_seen_.end(), required) == frame_seen_.end()) {
      json_.fail(fmt::format("the line needs a field \"{}\"", required));
    }
  }

  // ---- Transactions ---------------------------------------------------------------------------------------

  void transaction_field(std::string_view name) {
    if (is_letter(name, 's')) {
      once(kS, name);
      session_ = name_atom("a session");
    } else if (is_letter(name, 't')) {
      once(kT, name);
      t_ = json_.integer("an integer");
    } else if (name == "status") {
      once(kStatus, name);
      status_ = status();
    } else if (name == "ops") {
      once(kOps, name);
      json_.array([&] { operation(); }, "an array of operations");
    } else if (name == "start") {
      once(kStart, name);
      start_ = time();
    } else if (name == "end") {
      once(kEnd, name);
      finish_ = time();
    } else if (name == "name") {
      once(kName, name);
      name_ = name_atom("a name");
    } else {
      skip_foreign(name);
    }
  }

  void once(JsonlField field, std::string_view name) {
    if ((seen_ & field) != 0) json_.fail(fmt::format("field \"{}\" stands here twice", name));
    seen_ |= field;
  }

  // A misspelt field must not pass silently; what is not meant for Assay says so by its name.
  void skip_foreign(std::string_view name) {
    if (!name.starts_with("x-")) {
      json_.fail(fmt::format("unknown field \"{}\" (fields for others start with \"x-\")", name));
    }
    json_.skip_value();
  }

  Atom name_atom(const char* what) {
    if (json_.peek() == 'n') json_.fail_expected(what);
    return json_.atom(what);
  }

  Status status() {
    const std::size_t at = json_.offset();
    const std::string_view word = json_.string("\"ok\", \"fail\" or \"info\"");
    if (word == "ok") return Status::committed;
    if (word == "fail") return Status::aborted;
    if (word == "info") return Status::unknown;
    json_.fail_at(at, fmt::format("expected \"ok\", \"fail\" or \"info\", found \"{}\"", word));
  }

  std::int64_t time() {
    const std::size_t at = json_.offset();
    const std::int64_t value = json_.integer("a time in nanoseconds, an integer");
    // The history's own mark for "no time".
    if (value == INT64_MIN) json_.fail_at(at, "the time is out of range");
    return value;
  }

  void end_transaction() {
    constexpr std::pair<JsonlField, const char*> kRequired[] = {
        {kS, "s"}, {kT, "t"}, {kStatus, "status"}, {kOps, "ops"}};
    for (const auto& [field, name] : kRequired) {
      if ((seen_ & field) == 0) json_.fail(fmt::format("the transaction needs a field \"{}\"", name));
    }
    const std::optional<std::int64_t> start = (seen_ & kStart) != 0 ? std::optional(start_) : std::nullopt;
    const std::optional<std::int64_t> finish = (seen_ & kEnd) != 0 ? std::optional(finish_) : std::nullopt;
    if (start && finish && *finish < *start) {
      json_.fail(fmt::format("the transaction ends at {}, before it starts at {}", *finish, *start));
    }
    const Session session = build_.session(session_);
    if (index(session) >= last_t_.size()) last_t_.resize(index(session) + std::size_t{1});
    std::optional<std::int64_t>& last = last_t_[index(session)];
    if (last && t_ <= *last) {
      json_.fail(
          fmt::format("transactions of a session must come in increasing t: session {} has {} after {}",
                      to_json(session_), t_, *last));
    }
    last = t_;
    if (!first_session_) first_session_ = session;
    build_.begin(session, (seen_ & kName) != 0 ? name_ : Atom::integer(t_));
    auto bounds = bounds_.begin();
    for (const JsonlOp& op : ops_) {
      if (op.kind == OpKind::range_read) {
        build_.range_read(bounds->low, bounds->high, std::span(rows_).subspan(op.first, op.last - op.first));
        ++bounds;
      } else {
        feed(op);
      }
    }
    build_.end(status_, start, finish);
  }

  // REQUIRES: not a range read.
  void feed(const JsonlOp& op) {
    switch (op.kind) {
      case OpKind::read:
        values_.read(op.key, op.value);
        return;
      case OpKind::write:
      case OpKind::insert:
      case OpKind::erase:
        values_.write(op.kind, op.key, op.value);
        return;
      case OpKind::append:
        build_.append(op.key, *op.value);
        return;
      case OpKind::list_read:
        build_.list_read(op.key, std::span(elements_).subspan(op.first, op.last - op.first));
        return;
      case OpKind::predicate_read:
        build_.predicate_read(op.key, std::span(rows_).subspan(op.first, op.last - op.first));
        return;
      case OpKind::rows_read:
        build_.rows_read(std::span(rows_).subspan(op.first, op.last - op.first));
        return;
      case OpKind::range_read:
        return;
    }
  }

  // ---- Operations -----------------------------------------------------------------------------------------

  void operation() {
    json_.expect('[', "an operation, that is an array");
    const std::size_t at = json_.offset();
    const std::string_view what = json_.string("the name of an operation");
    JsonlOp& op = ops_.emplace_back();
    if (is_letter(what, 'r')) {
      op.key = next_key();
      next("the value that was read");
      if (json_.peek() == '[') {
        op.kind = OpKind::list_read;
        list(op);
      } else {
        op.kind = OpKind::read;
        op.value = optional_value("a value, null or a list");
      }
    } else if (is_letter(what, 'w') || what == "insert" || what == "append") {
      op.kind = what[0] == 'w' ? OpKind::write : what[0] == 'i' ? OpKind::insert : OpKind::append;
      op.key = next_key();
      next("the value that was written");
      op.value = value("a value");
    } else if (what == "delete") {
      op.kind = OpKind::erase;
      op.key = next_key();
      if (json_.accept(',')) op.value = value("a tombstone");
    } else if (what == "predicate") {
      op.kind = OpKind::predicate_read;
      next("a predicate");
      op.key = name_atom("a predicate");
      rows(op);
    } else if (what == "range") {
      op.kind = OpKind::range_read;
      JsonlBounds& bounds = bounds_.emplace_back();
      next("the lower bound");
      bounds.low = optional_atom("a key or null");
      next("the upper bound");
      bounds.high = optional_atom("a key or null");
      rows(op);
    } else if (what == "rows") {
      op.kind = OpKind::rows_read;
      rows(op);
    } else {
      json_.fail_at(
          at, fmt::format(
                  "unknown operation \"{}\" (known: r, w, insert, delete, append, predicate, range, rows)",
                  what));
    }
    json_.expect(']', "']' after the operation");
  }

  void next(const char* what) { json_.expect(',', what); }
  Atom next_key() {
    next("a key");
    return name_atom("a key");
  }
  // A list is what a list read returns; as a value of a register it could not be told from that.
  Atom value(const char* what) {
    const char c = json_.peek();
    if (c == 'n' || c == '[') json_.fail_expected(what);
    return json_.atom(what);
  }
  std::optional<Atom> optional_value(const char* what) {
    if (json_.accept_null()) return std::nullopt;
    return value(what);
  }
  std::optional<Atom> optional_atom(const char* what) {
    if (json_.accept_null()) return std::nullopt;
    return json_.atom(what);
  }
  void list(JsonlOp& op) {
    op.first = elements_.size();
    json_.array([&] { elements_.push_back(value("a list element")); });
    op.last = elements_.size();
  }
  void rows(JsonlOp& op) {
    next("the rows");
    op.first = rows_.size();
    json_.array(
        [&] {
          json_.expect('[', "a row [key,value]");
          Row row{name_atom("a key"), {}};
          next("the value of the row");
          row.value = values_.meaning(optional_value("a value or null"));
          json_.expect(']', "']' after the row");
          rows_.push_back(row);
        },
        "an array of rows");
    op.last = rows_.size();
  }

  HistoryBuilder build_;
  InitialValues values_;
  JsonCursor json_;
  std::size_t line_number_ = 0;
  bool any_line_ = false, header_ = false, end_ = false;
  std::uint64_t earlier_ = 0;  // transactions in parts of the file that were read before
  Clocks clocks_ = Clocks::one;
  std::vector<std::string> frame_seen_, open_tables_;
  std::vector<std::optional<std::int64_t>> last_t_;  // per session
  std::optional<Session> first_session_;             // of the first transaction in the file

  // The line being read.
  unsigned seen_ = 0;
  Atom session_, name_;
  std::int64_t t_ = 0, start_ = 0, finish_ = 0;
  Status status_ = Status::committed;
  std::vector<JsonlOp> ops_;
  std::vector<Atom> elements_;
  std::vector<Row> rows_;
  std::vector<JsonlBounds> bounds_;
};

}  // namespace assay::format
