// The state of a watcher as bytes, and back. Loading trusts nothing: whatever the bytes say, the result keeps
// the promises that the rest relies on, or there is an InputError.
#pragma once

#include <string>
#include <string_view>

#include "watch/keep/state.hpp"

namespace assay::watch {

void append_bytes(const State& state, std::string& out);
State read_state(std::string_view bytes, const std::string& path);

}  // namespace assay::watch
