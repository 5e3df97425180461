#include "format/dbcop/dbcop_dsl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "format/dbcop/dbcop_events.hpp"
#include "format/initial.hpp"
#include "format/single_file.hpp"
#include "format/text/text_position.hpp"
#include "history/builder.hpp"
#include "system/input_error.hpp"
#include "system/output_file.hpp"

namespace assay::format {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name(std::string_view text) {
  for (const char c : text) {
    if (!is_name_character(c)) return false;
  }
  return !text.empty();
}

// A natural number of 64 bits in its one decimal spelling.
std::optional<std::uint64_t> as_number(std::string_view text) {
  if (text.empty() || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class DbcopDslReader {
 public:
  DbcopDslReader(const InputFile& file, const ReadOptions& options)
      : file_(file), options_(options), values_(build_, options.initial), text_(file.bytes) {}

  History read() {
    Session session = build_.session(Atom::integer(0));
    std::int64_t sessions = 1, position = 0;
    bool line_has_transactions = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        line_has_transactions = false;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        const std::size_t newline = text_.find('\n', at_);
        at_ = newline == std::string_view::npos ? text_.size() : newline;
      } else if (c == '[') {
        transaction(session, position++);
        line_has_transactions = true;
      } else if (c == '-' && !line_has_transactions) {
        separator();
        session = build_.session(Atom::integer(sessions++));
        position = 0;
      } else {
        fail_expected("a transaction in brackets, a line of dashes or a comment");
      }
    }
    // Every line ends, by dbcop's own grammar; so a file that was cut inside one is noticed.
    const std::size_t last = text_.find_last_not_of(" \t\r");
    if (last != std::string_view::npos && text_[last] != '\n') fail_expected("the end of the last line");
    if (build_.transactions() == 0)
      throw InputError(file_.path, "", "there is no transaction in this history");
    values_.add_notes();
    build_.source(file_.path, "dbcop-dsl");
    History history = build_.finish();
    if (options_.initial != Initial::first_transaction) return history;
    return fold_initial_transaction(history, Txn{0});
  }

 private:
  [[noreturn]] void fail_expected(const char* what) const {
    throw InputError(file_.path, text_position(text_, at_),
                     fmt::format("expected {}, found {}", what, what_stands_at(text_, at_)));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  // A line of nothing but dashes.
  void separator() {
    while (at_ < text_.size() && text_[at_] == '-') ++at_;
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] != '\n') fail_expected("the end of the line after the dashes");
  }

  void transaction(Session session, std::int64_t position) {
    ++at_;
    build_.begin(session, Atom::integer(position));
    while (true) {
      const std::size_t before = at_;
      skip_blanks();
      if (at_ < text_.size() && text_[at_] == ']') break;
      if (before == at_ && text_[at_ - 1] != '[') fail_expected("a blank or ']' after the event");
      event();
    }
    ++at_;
    const bool aborted = at_ < text_.size() && text_[at_] == '!';
    if (aborted) ++at_;
    build_.end(aborted ? Status::aborted : Status::committed);
  }

  void event() {
    const std::string_view variable = word();
    if (variable.empty()) fail_expected("a variable or ']'");
    // A variable that is a number is that number, so that histories over numbers survive the way there and
    // back.
    const std::optional<std::uint64_t> number = as_number(variable);
    const Atom key = number ? Atom::natural(*number) : Atom::string(variable);
    const std::string_view relation = text_.substr(at_, 2);
    if (relation != ":=" && relation != "==") fail_expected("':=' or '=='");
    at_ += 2;
    if (relation == "==" && at_ < text_.size() && text_[at_] == '?') {
      ++at_;
      return values_.read(key, std::nullopt);
    }
    const std::size_t start = at_;
    const std::optional<std::uint64_t> version = as_number(word());
    if (!version) {
      at_ = start;
      fail_expected(relation == "==" ? "a version, that is a natural number, or '?'"
                                     : "a version, that is a natural number");
    }
    if (relation == "==") {
      values_.read(key, Atom::natural(*version));
    } else {
      values_.write(OpKind::write, key, Atom::natural(*version));
    }
  }

  std::string_view word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  const InputFile& file_;
  const ReadOptions& options_;
  HistoryBuilder build_;
  InitialValues values_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool sniff_dbcop_dsl(const Input& input) {
  constexpr std::size_t kSniffed = 16384;
  if (input.directory || input.files.size() != 1) return false;
  std::string_view head = input.files[0].bytes.substr(0, kSniffed);
  // The first line that is neither blank, comment nor dashes starts with a transaction.
  while (!head.empty()) {
    const std::size_t newline = head.find('\n');
    const std::string_view line = head.substr(0, newline);
    head.remove_prefix(newline == std::string_view::npos ? head.size() : newline + 1);
    const std::size_t first = line.find_first_not_of(" \t\r-");
    if (first == std::string_view::npos || line.substr(first, 2) == "//") continue;
    if (line[first] != '[') return false;
    std::size_t at = std::min(line.find_first_not_of(" \t", first + 1), line.size());
    const std::size_t variable = at;
    while (at < line.size() && is_name_character(line[at])) ++at;
    return at > variable && (line.substr(at, 2) == ":=" || line.substr(at, 2) == "==");
  }
  return false;
}

History read_dbcop_dsl(const Input& input, const ReadOptions& options) {
  return DbcopDslReader(single_file(input), options).read();
}

void write_dbcop_dsl(const History& history, const std::filesystem::path& path) {
  const DbcopEvents events(history, path.string());
  system::OutputFile file(path);
  for (std::uint32_t s = 0; s < history.sessions(); ++s) {
    if (s != 0) file.put("---\n");
    for (const Txn t : history.transactions_of(Session{s})) {
      if (history.operations_of(t).empty()) events.refuse("a transaction without operations");
      bool first = true;
      for (const Op op : history.operations_of(t)) {
        const DbcopEvent event = events.of(op);
        const std::string variable = to_string(event.variable);
        // A text that is a number would be read back as that number.
        if (event.variable.kind == AtomKind::text && (!is_name(variable) || as_number(variable))) {
          events.refuse("the key " + to_json(event.variable) + " in its DSL");
        }
        file.put(first ? "[" : " ");
        file.put(variable);
        file.put(event.write ? ":=" : "==");
        file.put(event.version ? to_string(*event.version) : "?");
        first = false;
      }
      file.put(events.committed(t) ? "]\n" : "]!\n");
    }
  }
  file.close();
}

}  // namespace assay::format
