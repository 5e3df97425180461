#include "support/judge/sentence_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace assay {

namespace {

bool is_word(char slot, std::string_view text) {
  switch (slot) {
    case 'd':
      return text == "wrote" || text == "inserted" || text == "deleted";
    case 'o':
      return text == "wrote" || text == "inserted" || text == "left by a delete";
    case 'r':
      return text == "overwrote" || text == "deleted";
    default:
      return true;
  }
}

class Fitting {
 public:
  Fitting(const Form& form, const Called& called) : form_(form), called_(called) {}

  bool fit(std::string_view pattern, std::string_view text) {
    const std::size_t slot = pattern.find('{');
    const std::string_view literal = pattern.substr(0, slot);
    if (slot == std::string_view::npos) return text == literal && form_.is_true(bound_);
    if (!text.starts_with(literal)) return false;
    text.remove_prefix(literal.size());
    const char kind = pattern[slot + 1];
    const std::string_view rest = pattern.substr(slot + 3);
    const std::string_view next = rest.substr(0, rest.find('{'));
    for (std::size_t length = 0; length <= text.size(); ++length) {
      const std::string_view behind = text.substr(length);
      if (rest.empty() ? !behind.empty() : !behind.starts_with(next)) continue;
      if (bind(kind, std::string(text.substr(0, length)), rest, behind)) return true;
    }
    return false;
  }

 private:
  bool bind(char kind, std::string word, std::string_view rest, std::string_view behind) {
    bool found = false;
    bound_.text.push_back(word);
    if (kind == 't') {
      for (const Txn t : called_.transactions(word)) {
        bound_.txn.push_back(t);
        found = found || fit(rest, behind);
        bound_.txn.pop_back();
      }
    } else if (kind == 'k') {
      for (const Key k : called_.keys(word)) {
        bound_.key.push_back(k);
        found = found || fit(rest, behind);
        bound_.key.pop_back();
      }
    } else {
      found = is_word(kind, word) && fit(rest, behind);
    }
    bound_.text.pop_back();
    return found;
  }

  const Form& form_;
  const Called& called_;
  Bindings bound_;
};

}  // namespace

bool are_times(const std::string& told, std::int64_t first, std::int64_t second) {
  if (told == " (" + std::to_string(first) + " ns, " + std::to_string(second) + " ns)") return true;
  std::array<int, 3> a{}, b{};
  std::array<long, 2> micro{};
  double size = 0;
  std::array<char, 8> unit{};
  if (std::sscanf(told.c_str(), " (%d:%d:%d.%6ld and %d:%d:%d.%6ld UTC, %lf %7s apart)", &a[0], &a[1], &a[2],
                  &micro[0], &b[0], &b[1], &b[2], &micro[1], &size, unit.data()) != 10)
    return false;
  const auto is_moment = [](const std::array<int, 3>& t, long us, std::int64_t ns) {
    return ((t[0] * 60LL + t[1]) * 60 + t[2]) * 1'000'000 + us == ns / 1000 % 86'400'000'000;
  };
  const std::string_view name(unit.data());
  const double scale = name == "s" ? 1e9 : name == "ms" ? 1e6 : name == "µs" ? 1e3 : name == "ns" ? 1 : 0;
  const double apart = static_cast<double>(second - first);
  return is_moment(a, micro[0], first) && is_moment(b, micro[1], second) && scale > 0 &&
         told.ends_with(" apart)") && std::abs(size * scale - apart) <= 0.006 * apart;
}

bool fits(const Form& form, std::string_view text, const Called& called) {
  return Fitting(form, called).fit(form.pattern, text);
}

}  // namespace assay
