// An anomaly in one sentence: the pattern that it is called after, with those who play its parts.
#pragma once

#include <string>

#include "evidence/examination.hpp"
#include "history/history.hpp"
#include "report/sentence.hpp"

namespace assay::report {

// Empty where the anomaly is a cycle and no more.
std::string summary(const History& history, const evidence::Explanation& explanation, const Naming& naming);

}  // namespace assay::report
