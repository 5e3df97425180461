// Makes what a round leaves the state of the next.
#pragma once

#include <cstdint>
#include <span>

#include "watch/assembly.hpp"
#include "watch/state.hpp"

namespace assay::watch {

// `leaves`: per transaction of the assembled history, nonzero if it is not kept. Empty: all are.
void compact(Watcher::State& state, const Assembly& assembly, std::span<const std::uint8_t> leaves);

}  // namespace assay::watch
