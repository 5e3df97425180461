#include "check/known_order.hpp"

#include <cassert>
#include <utility>

#include "check/limits.hpp"
#include "check/strong/problem.hpp"
#include "check/strong/saturate.hpp"
#include "check/weak/attributed.hpp"
#include "check/weak/forced_orders.hpp"
#include "check/weak/forcing.hpp"

namespace assay::check {

struct KnownOrder::Saturated {
  explicit Saturated(const Question& question) : problem(question), saturation(problem, {}, limits) {}

  Problem problem;
  Limits limits;
  Saturation saturation;
};

KnownOrder::KnownOrder(std::unique_ptr<Saturated> saturated) : saturated_(std::move(saturated)) {}
KnownOrder::KnownOrder(KnownOrder&&) noexcept = default;
KnownOrder& KnownOrder::operator=(KnownOrder&&) noexcept = default;
KnownOrder::~KnownOrder() = default;

bool KnownOrder::two_events() const {
  return saturated_->problem.level.two_events;
}
bool KnownOrder::writers_exclude() const {
  return saturated_->problem.level.writers_exclude;
}
bool KnownOrder::real_time() const {
  return saturated_->problem.level.real_time;
}

bool KnownOrder::precedes(const Event& a, const Event& b) const {
  const Problem& problem = saturated_->problem;
  return saturated_->saturation.precedes(problem.node_of(a), problem.node_of(b));
}

std::span<const std::uint32_t> KnownOrder::clock_of(const Event& event) const {
  return saturated_->saturation.clock_of(saturated_->problem.node_of(event));
}

std::span<const Txn> KnownOrder::readers(Write w) const {
  return saturated_->problem.readers(w);
}

std::uint32_t KnownOrder::vertices() const {
  const Problem& problem = saturated_->problem;
  return problem.reads.transactions() + (problem.nodes() - problem.event_nodes());
}

void KnownOrder::append_edges(std::vector<order::Edge>& edges) const {
  const Problem& problem = saturated_->problem;
  const auto vertex = [&](Node u) {
    return problem.is_event(u) ? index(problem.txn_of(u))
                               : problem.reads.transactions() + (u - problem.event_nodes());
  };
  for (Node u = 0; u < problem.nodes(); ++u) {
    for (const Node v : problem.after()[u]) edges.push_back({vertex(u), vertex(v)});
  }
  for (const Saturation::Edge& added : saturated_->saturation.edges()) {
    edges.push_back({vertex(added.from), vertex(added.to)});
  }
}

std::optional<KnownOrder> known_order(const History& history, const Reads& reads, Level level,
                                      const Options& options) {
  assert(implies(level, Level::prefix) && options.sessions == SessionOrder::keep);
  auto saturated = std::make_unique<KnownOrder::Saturated>(
      Question{history, reads, strong_level(level), true, clock_drift(history, options), options.known});
  if (saturated->saturation.run() != Saturation::Result::fixpoint) return std::nullopt;
  return KnownOrder(std::move(saturated));
}

std::vector<order::Edge> forced_commits(const History& history, const Reads& reads, Level level) {
  assert(!implies(level, Level::prefix) && reads.ambiguous_sets() == 0 && reads.bad_reads().empty());
  const AttributedHistory attributed(history, reads, SessionOrder::keep, {});
  ForcedOrders forced(attributed);
  Limits limits;
  force_axiom(attributed, level, forced, limits);
  return forced.edges();
}

}  // namespace assay::check
