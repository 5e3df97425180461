#include "support/random/draw.hpp"

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "history/builder.hpp"

namespace assay {

namespace {

class Drawing {
 public:
  explicit Drawing(std::string_view text) : rest_(text) {}

  History read() {
    while (skip_blank(), !rest_.empty()) {
      const Session session = build_.session(Atom::string(until(':')));
      do transaction(session);
      while (take('|'));
    }
    return build_.finish();
  }

 private:
  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  void skip_blank() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view until(char c) {
    const std::size_t at = rest_.find(c);
    if (at == std::string_view::npos) throw std::invalid_argument("drawing: missing " + std::string(1, c));
    const std::string_view word = rest_.substr(0, at);
    rest_.remove_prefix(at + 1);
    return word;
  }
  std::int64_t number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{})
      throw std::invalid_argument("drawing: expected a number at " + std::string(rest_));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  void expect(char c) {
    if (!take(c))
      throw std::invalid_argument("drawing: expected " + std::string(1, c) + " at " + std::string(rest_));
  }

  void transaction(Session session) {
    std::optional<std::int64_t> start, end;
    build_.begin(session, Atom::integer(next_++));
    if (take('@')) {
      start = number();
      expect('-');
      if (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') end = number();
    }
    for (skip_spaces();
         !rest_.empty() && std::string_view("rwidalgpq").find(rest_.front()) != std::string_view::npos;
         skip_spaces()) {
      operation();
    }
    const Status status = take('!') ? Status::aborted : take('?') ? Status::unknown : Status::committed;
    build_.end(status, start, end);
  }

  void operation() {
    const char kind = rest_.front();
    rest_.remove_prefix(1);
    expect('(');
    if (kind == 'g' || kind == 'p' || kind == 'q') return query(kind);
    const std::size_t at = rest_.find_first_of(",)");
    if (at == std::string_view::npos) throw std::invalid_argument("drawing: unfinished operation");
    const Atom key = Atom::string(rest_.substr(0, at));
    rest_.remove_prefix(at);
    if (kind == 'd') {
      build_.erase(key);
    } else if (kind == 'l') {
      expect(',');
      expect('[');
      std::vector<Atom> elements;
      while (!take(']')) {
        elements.push_back(Atom::integer(number()));
        take(',');
      }
      build_.list_read(key, elements);
    } else {
      expect(',');
      const std::int64_t value = number();
      switch (kind) {
        case 'r':
          value == 0 ? build_.read_initial(key) : build_.read(key, Atom::integer(value));
          break;
        case 'w':
          build_.write(key, Atom::integer(value));
          break;
        case 'i':
          build_.insert(key, Atom::integer(value));
          break;
        default:
          build_.append(key, Atom::integer(value));
          break;
      }
    }
    expect(')');
  }

  void query(char kind) {
    const std::string_view what = kind == 'q' ? "" : until(',');
    expect('[');
    std::vector<Row> rows;
    while (!take(']')) {
      Row row{Atom::string(until('=')), std::nullopt};
      if (const std::int64_t value = number(); value != 0) row.value = Atom::integer(value);
      rows.push_back(row);
      take(',');
    }
    expect(')');
    if (kind == 'q') return build_.rows_read(rows);
    if (kind == 'p') {
      return build_.predicate_read(what.starts_with('{') ? Atom::json(what) : Atom::string(what), rows);
    }
    const std::size_t dots = what.find("..");
    if (dots == std::string_view::npos) throw std::invalid_argument("drawing: a range without bounds");
    build_.range_read(Atom::string(what.substr(0, dots)), Atom::string(what.substr(dots + 2)), rows);
  }

  std::string_view rest_;
  HistoryBuilder build_;
  std::int64_t next_ = 0;
};

}  // namespace

History draw(std::string_view text) {
  return Drawing(text).read();
}

}  // namespace assay
