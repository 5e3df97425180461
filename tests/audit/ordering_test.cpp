// Time precedence: the chain of departures against the definition, and against the paper's frontier.
#include "audit/ordering.hpp"

#include <gtest/gtest.h>

#include <set>

#include "audit/draft.hpp"
#include "support/random/random_history.hpp"

namespace assay::audit::testing {
namespace {

using Edges = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Draft random_trace(Rng& rng, std::uint32_t requests) {
  Draft draft;
  std::vector<std::uint64_t> here;
  std::uint64_t time = 0, rid = 0;
  while (rid < requests || !here.empty()) {
    ++time;
    if (rid < requests && (here.empty() || rng.chance(0.5))) {
      draft.events.push_back({false, ++rid, time, {}, 0, {}, ""});
      here.push_back(rid);
      continue;
    }
    const std::size_t which = rng.below(static_cast<std::uint32_t>(here.size()));
    const auto end = rng.chance(0.15) ? wire::EndReason::given_up : wire::EndReason::complete;
    if (!rng.chance(0.1)) draft.events.push_back({true, here[which], time, end, 200, {}, ""});
    here.erase(here.begin() + static_cast<std::ptrdiff_t>(which));
  }
  return draft;
}

// The definition: not open, and its response before the other's request.
Edges by_definition(const Trace& trace) {
  Edges before;
  std::vector<std::uint32_t> departed;
  for (const Event& event : trace.events()) {
    if (event.is_response) {
      if (trace[event.request].fate != Fate::open) departed.push_back(index(event.request));
    } else {
      for (const std::uint32_t r : departed) before.emplace(r, index(event.request));
    }
  }
  return before;
}

// OROCHI's figure 3.6: each arrival comes after the frontier; a departure evicts its parents from it.
Edges by_frontier(const Trace& trace) {
  std::set<std::uint32_t> frontier;
  Edges edges;
  for (const Event& event : trace.events()) {
    const std::uint32_t rid = index(event.request);
    if (!event.is_response) {
      for (const std::uint32_t r : frontier) edges.emplace(r, rid);
      continue;
    }
    if (trace[event.request].fate == Fate::open) continue;
    std::erase_if(frontier, [&](std::uint32_t r) { return edges.contains({r, rid}); });
    frontier.insert(rid);
  }
  return edges;
}

Edges closure(const Edges& edges) {
  Edges closed = edges;
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [a, b] : Edges(closed)) {
      for (const auto& [c, d] : edges) {
        if (b == c) grown = closed.emplace(a, d).second || grown;
      }
    }
  }
  return closed;
}

Edges by_chain(const Trace& trace) {
  const TimePrecedence time(trace);
  Edges before;
  for (std::uint32_t r = 0; r < trace.requests().size(); ++r) {
    const TracedRequest& request = trace.requests()[r];
    if (!request.has_response || request.fate == Fate::open) continue;
    for (std::uint32_t at = r; at != TimePrecedence::kNone; at = time.next_departure(RequestIndex{at})) {
      for (std::uint32_t q = time.first_arrival(RequestIndex{at}); q < time.end_arrival(RequestIndex{at});
           ++q) {
        before.emplace(r, q);
      }
    }
  }
  return before;
}

TEST(AuditOrdering, TheChainOfDeparturesIsTimePrecedence) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(500); ++i) {
    Rng rng(seed + i);
    const std::string bytes = random_trace(rng, rng.between(1, 12)).trace_file();
    const Trace trace("trace", bytes);
    const Edges expected = by_definition(trace);
    ASSERT_EQ(by_chain(trace), expected) << "seed " << seed + i;
    ASSERT_EQ(closure(by_frontier(trace)), expected) << "seed " << seed + i;
  }
}

TEST(AuditOrdering, ALogThatGoesAgainstItsProgramIsNamed) {
  Draft draft;
  draft.events.push_back({false, 1, 1, {}, 0, {}, ""});
  draft.events.push_back({true, 1, 2, wire::EndReason::complete, 200, {}, ""});
  for (const std::uint64_t opnum : {std::uint64_t{2}, std::uint64_t{1}}) {
    draft.operations.push_back(
        {wire::ObjectKind::session, "s", 10 - opnum, 1, opnum, wire::OperationType::register_read, 0, ""});
  }
  draft.counts = {{1, 2}};
  const std::string trace_bytes = draft.trace_file(), report_bytes = draft.report_file();
  const Trace trace("trace", trace_bytes);
  const Reports::File file{"report", report_bytes, "", std::nullopt};
  const Reports reports({&file, 1});
  const Fit fitted = fit(trace, reports);
  ASSERT_FALSE(fitted.finding);
  const auto finding = find_disorder(trace, reports, fitted.map);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->reason, Reason::log_against_program);
}

}  // namespace
}  // namespace assay::audit::testing
