#include "history/predicate.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "history/key_order.hpp"

namespace assay {

namespace {

using Kind = Condition::Kind;

bool is_word(char c) {
  return c == '_' ||
         (std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80);
}

bool same_word(std::string_view word, std::string_view keyword) {
  return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

constexpr std::string_view kKeywords[] = {"and",  "or",   "not",  "between", "in",   "is",
                                          "null", "like", "true", "false",   "where"};

Condition negation_of(Condition condition) {
  Condition made;
  made.kind = Kind::negated;
  made.parts.push_back(std::move(condition));
  return made;
}

}  // namespace

bool is_learned(const Atom& predicate) {
  return predicate.kind == AtomKind::json && predicate.text.starts_with("{\"is\":");
}

Truth meets(const Condition& condition, const Scalar& held) {
  const auto truth = [](bool is_so) { return is_so ? Truth::yes : Truth::no; };
  if (condition.kind == Kind::is_null) return truth(held.is_null());
  if (!held.comparable() || held.sort() != condition.constant.sort()) return Truth::unknown;
  if (condition.kind == Kind::starts_with) {
    return truth(held.bytes().starts_with(condition.constant.bytes()));
  }
  const int side = held.compare(condition.constant);
  switch (condition.kind) {
    case Kind::less:
      return truth(side < 0);
    case Kind::at_most:
      return truth(side <= 0);
    case Kind::equal:
      return truth(side == 0);
    case Kind::at_least:
      return truth(side >= 0);
    default:
      return truth(side > 0);
  }
}

Scalar held(const Predicate::Column& column, const Atom& key, const Atom& value) {
  return column.is_key ? scalar_of_key(key) : column_of(value, column.name);
}

// condition := part {OR part};  part := factor {AND factor};  factor := NOT factor | ( condition ) | test
// test := column operator constant | column IS [NOT] NULL | column [NOT] BETWEEN constant AND constant
//       | column [NOT] IN ( constant {, constant} ) | column [NOT] LIKE 'text%'
class PredicateParser {
 public:
  PredicateParser(std::string_view text, Predicate& made) : text_(text), made_(made) {}

  bool run() {
    auto condition = parse_any();
    skip_space();
    if (!condition || at_ != text_.size()) return false;
    made_.take(std::move(*condition));
    return true;
  }

 private:
  static constexpr std::uint32_t kDeepest = 100;

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool accept(std::string_view symbol) {
    skip_space();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  // The word that stands here; empty if there is none.
  std::string_view peek_word() {
    skip_space();
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool accept_word(std::string_view keyword) {
    const std::string_view word = peek_word();
    if (!same_word(word, keyword)) return false;
    at_ += word.size();
    return true;
  }
  // What stands between two quotes, of which two stand for one.
  std::optional<std::string> quoted(char quote) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != quote) return std::nullopt;
    std::string made;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote && (at_ + 1 == text_.size() || text_[at_ + 1] != quote)) {
        ++at_;
        return made;
      }
      if (text_[at_] == quote) ++at_;
      made += text_[at_];
    }
    return std::nullopt;
  }

  template <class Part>
  std::optional<Condition> joined(Kind kind, std::string_view word, const Part& parse_part) {
    Condition made;
    made.kind = kind;
    do {
      auto part = parse_part();
      if (!part) return std::nullopt;
      made.parts.push_back(std::move(*part));
    } while (accept_word(word));
    return made.parts.size() == 1 ? std::move(made.parts.front()) : std::move(made);
  }
  std::optional<Condition> parse_any() {
    return joined(Kind::any, "or", [this] { return parse_all(); });
  }
  std::optional<Condition> parse_all() {
    return joined(Kind::all, "and", [this] { return parse_factor(); });
  }
  std::optional<Condition> parse_factor() {
    if (++depth_ > kDeepest) return std::nullopt;
    std::optional<Condition> made;
    if (accept_word("not")) {
      if (auto part = parse_factor()) made = negation_of(std::move(*part));
    } else if (accept("(")) {
      made = parse_any();
      if (made && !accept(")")) made.reset();
    } else {
      made = parse_test();
    }
    --depth_;
    return made;
  }

  std::optional<std::uint32_t> parse_column() {
    Predicate::Column column;
    if (auto name = quoted('"')) {
      column.name = std::move(*name);
    } else {
      column.name = peek_word();
      const bool is_name =
          !column.name.empty() && std::isdigit(static_cast<unsigned char>(column.name[0])) == 0;
      if (!is_name || std::any_of(std::begin(kKeywords), std::end(kKeywords), [&](std::string_view keyword) {
            return same_word(column.name, keyword);
          })) {
        return std::nullopt;
      }
      at_ += column.name.size();
      column.is_key = column.name == "key";
    }
    auto& all = made_.columns_;
    const auto known = std::find(all.begin(), all.end(), column);
    if (known != all.end()) return static_cast<std::uint32_t>(known - all.begin());
    all.push_back(std::move(column));
    return static_cast<std::uint32_t>(all.size() - 1);
  }

  std::optional<Scalar> parse_constant() {
    if (auto text = quoted('\'')) return Scalar::text(std::move(*text));
    if (accept_word("null")) return Scalar();
    if (accept_word("true")) return Scalar::boolean(true);
    if (accept_word("false")) return Scalar::boolean(false);
    skip_space();
    std::size_t end = at_;
    for (bool exponent = false; end < text_.size(); ++end) {
      const char c = text_[end];
      const bool sign = (c == '-' && end == at_) || ((c == '-' || c == '+') && exponent);
      if (!sign && c != '.' && !is_word(c)) break;
      exponent = c == 'e' || c == 'E';
    }
    auto number = Scalar::number(text_.substr(at_, end - at_));
    if (!number || number->sort() != Scalar::Sort::number) return std::nullopt;
    at_ = end;
    return number;
  }

  std::optional<Condition> comparison(Kind kind, std::uint32_t column) {
    auto constant = parse_constant();
    // How texts are ordered depends on the database, and what is less than a truth value on the product.
    const bool ordered = kind != Kind::equal;
    if (!constant || (ordered && !constant->is_null() && constant->sort() != Scalar::Sort::number)) {
      return std::nullopt;
    }
    return Condition{kind, column, std::move(*constant), {}};
  }

  std::optional<Condition> parse_test() {
    const auto column = parse_column();
    if (!column) return std::nullopt;
    if (accept_word("is")) {
      const bool negated = accept_word("not");
      if (!accept_word("null")) return std::nullopt;
      Condition made{Kind::is_null, *column, {}, {}};
      return negated ? negation_of(std::move(made)) : std::move(made);
    }
    const bool negated = accept_word("not");
    skip_space();
    const std::size_t before = at_;
    auto made = parse_words(*column);
    if (negated) return made ? std::optional(negation_of(std::move(*made))) : std::nullopt;
    return made || at_ != before ? std::move(made) : parse_operator(*column);
  }

  // BETWEEN, IN and LIKE.
  std::optional<Condition> parse_words(std::uint32_t column) {
    Condition made;
    const auto add = [&](Kind kind) {
      auto part = comparison(kind, column);
      if (part) made.parts.push_back(std::move(*part));
      return part.has_value();
    };
    if (accept_word("between")) {
      if (!add(Kind::at_least) || !accept_word("and") || !add(Kind::at_most)) return std::nullopt;
      return made;
    }
    if (accept_word("in")) {
      made.kind = Kind::any;
      if (!accept("(")) return std::nullopt;
      do {
        if (!add(Kind::equal)) return std::nullopt;
      } while (accept(","));
      return accept(")") ? std::optional(std::move(made)) : std::nullopt;
    }
    if (!accept_word("like")) return std::nullopt;
    auto pattern = quoted('\'');
    if (!pattern || !pattern->ends_with('%')) return std::nullopt;
    pattern->pop_back();
    if (pattern->find_first_of("%_\\") != std::string::npos) return std::nullopt;
    return Condition{Kind::starts_with, column, Scalar::text(std::move(*pattern)), {}};
  }

  std::optional<Condition> parse_operator(std::uint32_t column) {
    if (accept("<>") || accept("!=")) {
      auto equal = comparison(Kind::equal, column);
      return equal ? std::optional(negation_of(std::move(*equal))) : std::nullopt;
    }
    if (accept("<=")) return comparison(Kind::at_most, column);
    if (accept(">=")) return comparison(Kind::at_least, column);
    if (accept("<")) return comparison(Kind::less, column);
    if (accept(">")) return comparison(Kind::more, column);
    if (accept("=")) return comparison(Kind::equal, column);
    return std::nullopt;
  }

  std::string_view text_;
  Predicate& made_;
  std::size_t at_ = 0;
  std::uint32_t depth_ = 0;
};

std::optional<Predicate> Predicate::parse(const Atom& atom) {
  if (atom.kind != AtomKind::text) return std::nullopt;
  Predicate made;
  std::string_view text = atom.text;
  std::string whole;
  constexpr std::string_view kWhere = "* where ", kBetween = "* between ";
  // A table's name has no quotes, so what stands behind one is a text of the condition.
  const std::size_t quote = text.find_first_of("'\"");
  if (const std::size_t where = text.find(kWhere); where < quote && where != std::string_view::npos) {
    made.prefix_ = text.substr(0, where);
    text.remove_prefix(where + kWhere.size());
  } else if (const std::size_t between = text.find(kBetween);
             between < quote && between != std::string_view::npos) {
    made.prefix_ = text.substr(0, between);
    whole = "value between " + std::string(text.substr(between + kBetween.size()));
    text = whole;
  }
  if (!PredicateParser(text, made).run()) return std::nullopt;
  return made;
}

void Predicate::take(Condition condition) {
  if (condition.kind == Kind::all) {
    for (Condition& part : condition.parts) take(std::move(part));
  } else if (!narrow_keys_by(condition)) {
    rest_.push_back(std::move(condition));
  }
}

// Whether the condition is met by all keys that are left, and by no others.
bool Predicate::narrow_keys_by(const Condition& condition) {
  if (!condition.is_comparison() || !columns_[condition.column].is_key) return false;
  const auto bound = condition.constant.whole();
  if (!bound) return false;
  const auto at_least = [&](std::int64_t n) { low_key_ = low_key_ ? std::max(*low_key_, n) : n; };
  const auto at_most = [&](std::int64_t n) { high_key_ = high_key_ ? std::min(*high_key_, n) : n; };
  switch (condition.kind) {
    case Kind::less:
      if (*bound == INT64_MIN) return false;
      at_most(*bound - 1);
      return true;
    case Kind::at_most:
      at_most(*bound);
      return true;
    case Kind::equal:
      at_least(*bound);
      at_most(*bound);
      return true;
    case Kind::at_least:
      at_least(*bound);
      return true;
    default:
      if (*bound == INT64_MAX) return false;
      at_least(*bound + 1);
      return true;
  }
}

int Predicate::side_of(const Atom& key) const {
  if (prefix_) {
    if (sort_of_key(key) != KeySort::text) return sort_of_key(key) < KeySort::text ? -1 : 1;
    if (!key.text.starts_with(*prefix_)) return key.text < *prefix_ ? -1 : 1;
    return low_key_ || high_key_ ? 1 : 0;  // a text is no number
  }
  if (!low_key_ && !high_key_) return 0;
  if (sort_of_key(key) != KeySort::number) return 1;
  if (low_key_ && key_less(key, Atom::integer(*low_key_))) return -1;
  return high_key_ && key_less(Atom::integer(*high_key_), key) ? 1 : 0;
}

bool Predicate::matches(const Atom& key, const Atom& value) const {
  if (!allows_key(key)) return false;
  std::vector<std::optional<Scalar>> known(columns_.size());
  const auto truth_of = [&](const Condition& condition) {
    std::optional<Scalar>& its = known[condition.column];
    if (!its) its = held(columns_[condition.column], key, value);
    return meets(condition, *its);
  };
  return std::all_of(rest_.begin(), rest_.end(),
                     [&](const Condition& condition) { return evaluate(condition, truth_of) == Truth::yes; });
}

std::optional<Predicate::Interval> Predicate::interval() const {
  if (rest_.empty()) return std::nullopt;
  Interval made;
  made.column = rest_.front().column;
  const Scalar::Sort sort = rest_.front().constant.sort();
  const auto raise = [&](const Scalar& low, bool open) {
    const int side = made.low ? low.compare(*made.low) : 1;
    if (side > 0) made.low_open = open;
    if (side == 0) made.low_open |= open;
    if (side > 0) made.low = low;
  };
  const auto lower = [&](const Scalar& high, bool open) {
    const int side = made.high ? high.compare(*made.high) : -1;
    if (side < 0) made.high_open = open;
    if (side == 0) made.high_open |= open;
    if (side < 0) made.high = high;
  };
  for (const Condition& one : rest_) {
    if (!one.is_comparison() || one.column != made.column || !one.constant.comparable() ||
        one.constant.sort() != sort) {
      return std::nullopt;
    }
    if (one.kind >= Kind::equal) raise(one.constant, one.kind == Kind::more);
    if (one.kind <= Kind::equal) lower(one.constant, one.kind == Kind::less);
  }
  return made;
}

}  // namespace assay
