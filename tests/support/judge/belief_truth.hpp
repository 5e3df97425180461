// The judge of what the page says where everything holds: why that can be believed, and how the order that was found
// compares with the clock. Counted again in the plainest way, pair by pair.
#pragma once

#include <string>
#include <vector>

#include "evidence/examination.hpp"

namespace assay {

// What is not true, or cannot be understood; empty if nothing.
std::vector<std::string> untrue_beliefs(const evidence::Examination& examination);

// The same of sentences that somebody else said.
bool is_true_belief(const evidence::Examination& examination, const std::string& sentence);

}  // namespace assay
