// An option whose value is one of a few words. Its help text and the shell completions list the words by the
// option's type name, "a|b|c".
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/option/suggest.hpp"

namespace assay::cli {

template <class Value>
struct Choice {
  std::string_view word;
  Value value;
};

template <class Value, std::size_t N>
std::string words(const Choice<Value> (&choices)[N]) {
  std::string out;
  for (const Choice<Value>& choice : choices) {
    if (!out.empty()) out += '|';
    out += choice.word;
  }
  return out;
}

// Throws UsageError.
template <class Value, std::size_t N>
Value chosen(const Choice<Value> (&choices)[N], std::string_view option, std::string_view word) {
  std::vector<std::string> known;
  for (const Choice<Value>& choice : choices) {
    if (choice.word == word) return choice.value;
    known.emplace_back(choice.word);
  }
  throw UsageError(fmt::format("{} cannot be '{}'{}; it is one of {}", option, word, suggestion(word, known),
                               words(choices)));
}

}  // namespace assay::cli
