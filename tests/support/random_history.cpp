#include "support/random_history.hpp"

#include <random>
#include <string>
#include <vector>

#include "history/builder.hpp"

namespace assay::testing {

namespace {

const std::vector<std::string> kTexts = {
    "x",    "",  "a\"b\\c/\b\f\n\r\t", std::string("\0\x01\x1f\x7f", 4), "\u00e9\u20ac", "\U0001F600",
    "null", "12"};
const std::vector<std::string> kJson = {
    "1.5", "true", "false", "{\"a\":[1,null]}", "-1e9", "123456789012345678901234567890"};

class Maker {
 public:
  Maker(std::uint64_t seed, Vocabulary vocabulary)
      : random_(seed), everything_(vocabulary == Vocabulary::everything) {}

  History make() {
    const std::uint64_t sessions = 1 + below(4);
    for (std::uint64_t s = 0; s < sessions; ++s) {
      sessions_.push_back(build_.session(everything_ && below(3) == 0 ? atom() : Atom::natural(s + 100)));
    }
    if (everything_) {
      build_.clocks(below(2) == 0 ? Clocks::one : Clocks::several);
      if (below(3) == 0) build_.note("a \"note\"\nof two lines");
    }
    times_ = everything_ && below(2) == 0;
    const std::uint64_t transactions = 1 + below(12);
    for (std::uint64_t t = 0; t < transactions; ++t) transaction(t);
    return build_.finish();
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  Atom atom(bool value = false) {
    if (!everything_) return Atom::natural(below(4) == 0 ? UINT64_MAX - below(2) : 1 + below(5));
    switch (below(5)) {
      case 0:
        return Atom::integer(below(2) == 0 ? INT64_MIN : INT64_MAX);
      case 1:
        return Atom::natural(UINT64_MAX - below(3));
      case 2:
        return Atom::string(kTexts[below(kTexts.size())]);
      case 3:
        return value || below(4) != 0 ? Atom::json(kJson[below(kJson.size())]) : Atom::json("[1,[]]");
      default:
        return Atom::integer(static_cast<std::int64_t>(below(5)) - 2);
    }
  }
  Atom value() { return atom(true); }

  std::vector<Row> rows() {
    std::vector<Row> rows;
    for (std::uint64_t n = below(4); n > 0; --n) {
      rows.push_back({atom(), below(3) == 0 ? std::optional<Atom>() : std::optional(value())});
    }
    return rows;
  }

  void operation() {
    switch (everything_ ? below(9) : below(3)) {
      case 0:
        return build_.read(atom(), value());
      case 1:
        return build_.write(atom(), value());
      case 2:
        return build_.read_initial(atom());
      case 3:
        return build_.insert(atom(), value());
      case 4:
        return below(2) == 0 ? build_.erase(atom()) : build_.erase(atom(), value());
      case 5:
        return build_.append(atom(), value());
      case 6: {
        std::vector<Atom> elements;
        for (std::uint64_t n = below(4); n > 0; --n) elements.push_back(value());
        return build_.list_read(atom(), elements);
      }
      case 7:
        return build_.predicate_read(atom(), rows());
      default: {
        const auto bound = [&] { return below(2) == 0 ? std::optional<Atom>() : std::optional(atom()); };
        const std::optional<Atom> low = bound(), high = bound();
        return build_.range_read(low, high, rows());
      }
    }
  }

  void transaction(std::uint64_t t) {
    build_.begin(sessions_[below(sessions_.size())],
                 everything_ && below(4) == 0 ? atom() : Atom::natural(t));
    for (std::uint64_t n = everything_ ? below(6) : 1 + below(5); n > 0; --n) operation();
    std::optional<std::int64_t> start, end;
    if (times_ && below(4) != 0) start = static_cast<std::int64_t>(below(1000)) - 500;
    if (times_ && below(4) != 0) end = start.value_or(0) + static_cast<std::int64_t>(below(1000));
    build_.end(static_cast<Status>(below(everything_ ? 3 : 2)), start, end);
  }

  std::mt19937_64 random_;
  bool everything_;
  bool times_ = false;
  HistoryBuilder build_;
  std::vector<Session> sessions_;
};

}  // namespace

History random_history(std::uint64_t seed, Vocabulary vocabulary) {
  return Maker(seed, vocabulary).make();
}

}  // namespace assay::testing
