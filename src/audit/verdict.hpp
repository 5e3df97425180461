// What an audit says. A verdict owns everything that an explanation needs, so that it can be told after trace
// and reports are gone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::audit {

enum class Decision : std::uint8_t { accepted, rejected, undecided };

enum class Reason : std::uint8_t {
  // The trace by itself.
  unbalanced_trace,
  // The reports do not fit the trace or themselves.
  unknown_request,
  refused_request,
  missing_count,
  two_counts,
  wrong_count,
  operation_out_of_range,
  operation_twice,
  sequence_twice,
  wrong_object,
  wrong_outcome,
  // What the oracle is said to have answered is not admissible.
  oracle_scattered,
  oracle_misplaced,
  clock_backwards,
  clock_outside,
  value_changed,
  // The operations cannot have happened in any order.
  log_against_program,
  cycle,
  // An object cannot have done this.
  impossible_operation,
  // Re-execution contradicts the reports.
  operation_not_logged,
  operation_differs,
  operations_missing,
  oracle_exhausted,
  // Re-execution contradicts the trace.
  output_differs,
  // Undecided.
  unsupported_operation,
  rerun_failed,
  not_rerun,
};

// Short names for tables and JSON, for example "rejected" and "cycle".
std::string_view name(Decision decision);
std::string_view name(Reason reason);

// A moment in the life of a request.
struct Moment {
  enum class Kind : std::uint8_t { arrival, operation, departure };
  std::uint64_t rid = 0;
  Kind kind = Kind::arrival;
  std::uint32_t opnum = 0;  // of an operation
  bool operator==(const Moment&) const = default;
};

// Why one moment is before the next.
struct Precedence {
  enum class Kind : std::uint8_t { program, log, time };
  Moment from, to;
  Kind kind = Kind::program;
  std::string object;  // of a log: which one
};

struct Finding {
  Reason reason{};
  std::optional<std::uint64_t> rid;
  std::optional<std::uint32_t> opnum;
  std::string sentence;           // the whole of it, for a person
  std::vector<Precedence> cycle;  // each begins where the one before ends, the first where the last does
  std::string expected, found;    // of a difference: what re-execution gave, what trace or log have
};

// A request that a finding speaks of, as a person would know it again.
struct InvolvedRequest {
  std::uint64_t rid = 0;
  std::string line;           // "GET /index.php?page=2"
  std::uint64_t arrived = 0;  // nanoseconds since 1970
};

// Seconds of processor time, by what they were for; those of other processes that worked for it included.
struct AuditCost {
  double reading = 0, ordering = 0, redo = 0, rerun = 0;
  double total() const { return reading + ordering + redo + rerun; }
};

struct Verdict {
  Decision decision = Decision::accepted;
  std::optional<Finding> finding;         // unless accepted
  std::vector<InvolvedRequest> involved;  // in the finding, by their number
  std::vector<std::string> notes;
  AuditCost cpu;

  std::uint64_t requests = 0;
  std::uint64_t operations = 0;
  std::uint64_t groups = 0;             // as claimed; 0 if the audit ended before it came to them
  std::uint64_t not_performed = 0;      // statements that were busy, locks not granted, a full table
  std::uint64_t not_whole = 0;          // requests without a whole response
  std::vector<std::uint32_t> arrivals;  // of requests, in equal parts of the time from the first to the last
  double trace_seconds = 0;             // that time
};

}  // namespace assay::audit
