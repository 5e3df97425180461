#include "support/judge/sentence_forms.hpp"

#include <algorithm>
#include <array>

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

bool fits(const Form& form, std::string_view text, const Called& called) {
  return Fitting(form, called).fit(form.pattern, text);
}

}  // namespace assay
