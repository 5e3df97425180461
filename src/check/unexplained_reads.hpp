// A read of something that no transaction that counts left for others to see: why it is bad.
#pragma once

#include <span>
#include <vector>

#include "check/outcome.hpp"
#include "history/history.hpp"

namespace assay::check {

struct UnexplainedRead {
  Version version;
  Txn txn;
  Op op;
};

// Tells thin air from aborted, intermediate and future reads: one pass over all writes for all of them.
std::vector<BadRead> explain(const History& history, std::span<const UnexplainedRead> reads);

}  // namespace assay::check
