#include "check/weak/forcing.hpp"

namespace assay::check {

bool force_axiom(const AttributedHistory& history, Level level, ForcedOrders& forced, Limits& limits) {
  switch (level) {
    case Level::read_your_writes:
      force_read_your_writes(history, forced);
      return true;
    case Level::monotonic_reads:
      force_monotonic_reads(history, forced);
      return true;
    case Level::monotonic_writes:
      force_monotonic_writes(history, forced);
      return true;
    case Level::writes_follow_reads:
      force_writes_follow_reads(history, forced);
      return true;
    case Level::read_atomic:
      force_read_atomic(history, forced);
      return true;
    case Level::causal:
      return force_causal(history, forced, limits);
    default:
      if (history.has_moments()) {
        force_read_committed_by_moments(history, forced);
      } else {
        force_read_committed(history, forced);
      }
      return true;
  }
}

}  // namespace assay::check
