#include "audit/verdict.hpp"

namespace assay::audit {

std::string_view name(Decision decision) {
  switch (decision) {
    case Decision::accepted:
      return "accepted";
    case Decision::rejected:
      return "rejected";
    case Decision::undecided:
      return "undecided";
  }
  return "unknown";
}

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::unbalanced_trace:
      return "unbalanced-trace";
    case Reason::unknown_request:
      return "unknown-request";
    case Reason::refused_request:
      return "refused-request";
    case Reason::missing_count:
      return "missing-count";
    case Reason::two_counts:
      return "two-counts";
    case Reason::wrong_count:
      return "wrong-count";
    case Reason::operation_out_of_range:
      return "operation-out-of-range";
    case Reason::operation_twice:
      return "operation-twice";
    case Reason::sequence_twice:
      return "sequence-twice";
    case Reason::wrong_object:
      return "wrong-object";
    case Reason::wrong_outcome:
      return "wrong-outcome";
    case Reason::oracle_scattered:
      return "oracle-scattered";
    case Reason::oracle_misplaced:
      return "oracle-misplaced";
    case Reason::clock_backwards:
      return "clock-backwards";
    case Reason::clock_outside:
      return "clock-outside";
    case Reason::value_changed:
      return "value-changed";
    case Reason::log_against_program:
      return "log-against-program";
    case Reason::cycle:
      return "cycle";
    case Reason::impossible_operation:
      return "impossible-operation";
    case Reason::operation_not_logged:
      return "operation-not-logged";
    case Reason::operation_differs:
      return "operation-differs";
    case Reason::operations_missing:
      return "operations-missing";
    case Reason::oracle_exhausted:
      return "oracle-exhausted";
    case Reason::output_differs:
      return "output-differs";
    case Reason::unsupported_operation:
      return "unsupported-operation";
    case Reason::rerun_failed:
      return "rerun-failed";
    case Reason::not_rerun:
      return "not-rerun";
  }
  return "unknown";
}

}  // namespace assay::audit
