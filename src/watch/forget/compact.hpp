// Makes what a round leaves the state of the next.
#pragma once

#include <cstdint>
#include <span>

#include "watch/assembly.hpp"
#include "watch/forget/forget.hpp"
#include "watch/keep/state.hpp"

namespace assay::watch {

// After a violation, or without one where nothing may be dropped. `leaves`: per transaction of the assembled
// history, nonzero if it is not kept. Empty: all are.
void compact(State& state, const Assembly& assembly, std::span<const std::uint8_t> leaves);

// After forgetting.
void compact(State& state, const Assembly& assembly, Forgetting& forgetting);

}  // namespace assay::watch
