// The page of a verdict, with what only the program knows: the command that gives it again, and the counterexample as
// a history to download.
#pragma once

#include <string>

#include "check/options.hpp"
#include "evidence/examination.hpp"

namespace assay::cli {

// REQUIRES: `found` was found with these settings.
std::string page_of(const evidence::Examination& found, const check::Options& settings);

}  // namespace assay::cli
