// The verdict as a CI system shows it: a JUnit file with a test case per level, and annotations in the form
// of GitHub's workflow commands.
#pragma once

#include <string>

#include "evidence/examination.hpp"

namespace assay::report {

// Violated is a failure, undecided is skipped with its reason.
std::string junit(const evidence::Examination& examination);

// A line per level that is violated (::error) or undecided (::warning); nothing for one that holds.
std::string annotations(const evidence::Examination& examination);

}  // namespace assay::report
