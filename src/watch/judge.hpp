// One round: decides the assembled history, and brings the state up to date. A violation is told with the
// transactions that show it; these leave, and reading what they wrote counts as evidence no more. That only
// removes constraints, so what is found later is a violation by itself.
#pragma once

#include "watch/assembly.hpp"
#include "watch/state.hpp"
#include "watch/watcher.hpp"

namespace assay::watch {

void judge(Watcher::State& state, const Assembly& assembly, Round& round);

}  // namespace assay::watch
