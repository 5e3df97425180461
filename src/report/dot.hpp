// The evidence as a graph for Graphviz: a cluster per session, a node per transaction, an edge per step,
// those of the cycle bold.
#pragma once

#include <string>

#include "evidence/examination.hpp"

namespace assay::report {

// One digraph; a subgraph per violated level that is explained. Without a violation the graph is empty but
// for a label that says so.
std::string dot(const evidence::Examination& examination);

}  // namespace assay::report
