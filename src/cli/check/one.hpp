// The check of one history: read it, decide, explain, write what was asked for. A guard holds the limits from the
// first byte read to the last sentence.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "cli/check/asked.hpp"
#include "cli/command.hpp"
#include "evidence/examination.hpp"
#include "evidence/examine.hpp"
#include "level/level.hpp"

namespace assay::cli {

// How the verdict is told.
struct Telling {
  std::function<std::string(const evidence::Examination&)> output;  // what goes to standard output
  evidence::Explain explain = evidence::Explain::weakest;
  bool progress = false;
};

// Throws UsageError early, so that a long check does not end at a folder that is not there.
void refuse_what_cannot_be_written(const CheckOptions& options, std::span<const Level> levels);

// A certificate proves one verdict.
void refuse_several_levels(std::span<const Level> levels);

// Of `options.input`; the files that are asked for are written too. Throws UsageError or InputError.
Exit check_one(const CheckOptions& options, const Telling& telling);

}  // namespace assay::cli
