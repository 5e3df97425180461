// A judge of sentences: whether what reports tell of a violation is so in the history. It knows nothing of how the
// sentences came about. Each must have one of the forms that it understands, name transactions that exist, and
// claim only what they did: who read what, who wrote it, what a list shows in which order. That one transaction
// comes before another must follow from steps that were told before.
#pragma once

#include <string>
#include <vector>

#include "evidence/examination.hpp"
#include "support/judge/told.hpp"

namespace assay {

// What is not true, or cannot be understood; empty if nothing.
std::vector<std::string> untrue(const History& history, const Told& told);

// The same, of all that the text, the JSON and the page tell of an examination.
std::vector<std::string> untrue(const evidence::Examination& examination);

}  // namespace assay
