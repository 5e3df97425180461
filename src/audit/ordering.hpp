// Can all moments be put in one order? The paper's ProcessOpReports (OROCHI, figure 3.5): a graph of
// arrivals, operations and departures whose edges are program order, the order of each log, and time
// precedence; a server that behaved leaves no cycle in it.
//
// Time precedence is not the paper's frontier (figure 3.6), which draws an edge for each pair of neighbours
// and so as many as there are requests at a time. Departures are totally ordered; each points to the next one
// and to the arrivals in between, two edges per request (docs/audit.md, Lemma 2). Requests are numbered by
// arrival, so those arrivals are a range and no edge needs to be stored.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "audit/fit.hpp"
#include "audit/reports.hpp"
#include "audit/trace.hpp"
#include "audit/verdict.hpp"

namespace assay::audit {

// Per request that is not open and has departed: what comes after its departure.
class TimePrecedence {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  explicit TimePrecedence(const Trace& trace);

  // The request that departs next, or kNone.
  std::uint32_t next_departure(RequestIndex request) const { return next_[index(request)]; }
  // The requests that arrive after its departure and before the next one: from first (included) to end.
  std::uint32_t first_arrival(RequestIndex request) const { return first_[index(request)]; }
  std::uint32_t end_arrival(RequestIndex request) const { return end_[index(request)]; }

 private:
  std::vector<std::uint32_t> next_, first_, end_;
};

// Nothing if there is an order; else the cycle, or the log that goes against its program.
std::optional<Finding> find_disorder(const Trace& trace, const Reports& reports, const OperationMap& map);

}  // namespace assay::audit
