// The line of progress.hpp for work that cannot have a thread beside it and comes by often enough by itself.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::cli {

// Shows it until wipe_progress(). Does nothing unless standard error is a terminal.
void show_progress(std::string_view phase, std::int64_t seconds);

}  // namespace assay::cli
