// Where a history or a text is written to.
#pragma once

#include <string>

#include "history/history.hpp"

namespace assay::cli {

// Writes to `out`, "-" being standard output. What is at `out` is replaced only once everything is written,
// so that an interruption cannot pass off half a history as a whole one. Throws UsageError or InputError.
void write_output(const History& history, const std::string& out, const std::string& format);

// The same for a text. can_be_written() throws UsageError early, so that a long check does not end at a
// folder that is not there.
void can_be_written(const std::string& out);
void write_text(const std::string& text, const std::string& out);

}  // namespace assay::cli
