// An anomaly in one sentence: what was missed, or who saw what of whom.
#pragma once

#include <string>

#include "support/judge/reason_forms.hpp"

namespace assay {

// `before` is what the steps that were told come to.
bool is_summary(const SpokenFacts& facts, const std::string& sentence, const Precedes& before);

}  // namespace assay
