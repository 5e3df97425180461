// A fingerprint of what a history says: names, fates, times and operations, not where it was read from. Tells
// histories apart that are different by accident; it is no defence against somebody who builds a collision.
#pragma once

#include <cstdint>

#include "history/history.hpp"

namespace assay {

std::uint64_t digest(const History& history);

}  // namespace assay
