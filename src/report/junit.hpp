// The verdict as a CI system shows it: a JUnit file with a test case per level, and annotations in the form
// of GitHub's workflow commands.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "evidence/examination.hpp"

namespace assay::report {

// The test cases of one history.
struct Suite {
  std::string markup = {};
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

// Violated is a failure, undecided is skipped with its reason.
Suite suite(const evidence::Examination& examination);
// Of a history that nothing is known of: one case, which is an error, or is skipped because it is undecided.
enum class Unknown : bool { error, undecided };
Suite suite_without_verdict(const std::string& path, const std::string& why, Unknown unknown);

// The file, of one history or of several.
std::string junit(const evidence::Examination& examination);
std::string junit_file(std::span<const Suite> suites);

// A line per level that is violated (::error) or undecided (::warning); nothing for one that holds.
std::string annotations(const evidence::Examination& examination);
std::string annotation_without_verdict(const std::string& path, const std::string& why, Unknown unknown);

}  // namespace assay::report
