// Why one transaction comes before another, and what a case assumes, as sentences say it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "history/ids.hpp"
#include "support/judge/spoken_facts.hpp"

namespace assay {

using Precedes = std::function<bool(Txn, Txn)>;
// A transaction, and whether it is its begin.
using SpokenEvent = std::pair<Txn, bool>;

// Whether the reason is so, and one for `from` to come before `to`. `precedes` is what may be relied on.
bool is_reason(const SpokenFacts& facts, const std::string& reason, SpokenEvent from, SpokenEvent to,
               const Precedes& precedes);

// Whether what a case assumes can have been.
bool is_assumption(const SpokenFacts& facts, const std::string& text);

// Whether the text is two parts, at one of the separators, of which each is true.
bool in_parts(const std::string& text, std::string_view separator,
              const std::function<bool(const std::string&)>& is_true);

}  // namespace assay
