// Where a history is written to.
#pragma once

#include <string>

#include "history/history.hpp"

namespace assay::cli {

// Writes to `out`, "-" being standard output. What is at `out` is replaced only once everything is written,
// so that an interruption cannot pass off half a history as a whole one. Throws UsageError or InputError.
void write_output(const History& history, const std::string& out, const std::string& format);

// The same for a text.
void write_text(const std::string& text, const std::string& out);

}  // namespace assay::cli
