// The verdict as a CI system shows it: a JUnit file with a test case per level, and annotations in the form
// of GitHub's workflow commands.
#pragma once

#include <string>

#include "report/report.hpp"

namespace assay::report {

// Violated is a failure, undecided is skipped with its reason.
std::string junit(const Checked& checked);

// A line per level that is violated (::error) or undecided (::warning); nothing for one that holds.
std::string annotations(const Checked& checked);

}  // namespace assay::report
