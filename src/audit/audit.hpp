// The audit: do the responses in a trace come from the program? Reports that fit, an order that exists,
// objects that can have done what the logs say, a re-execution that agrees with all of it (docs/audit.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "audit/answers.hpp"
#include "audit/redo.hpp"
#include "audit/reports.hpp"
#include "audit/trace.hpp"
#include "audit/verdict.hpp"

namespace assay::audit {

// Runs requests again: PHP, or in tests a small language.
class Executor {
 public:
  virtual ~Executor() = default;
  // Runs each of these requests, alone or together, and finishes a Run of each. The server says they took the
  // same path. May return early once answers.stopped().
  virtual void run(std::span<const RequestIndex> group, Answers& answers) = 0;
  // Runs all groups, one after the other unless it knows better.
  virtual void run_all(std::span<const std::vector<RequestIndex>> groups, Answers& answers);
  // What its processes have used up so far, in seconds of processor time.
  virtual double process_seconds() const { return 0; }
};

// What an audit is at. Only re-execution is counted; the rest takes a small part of the time.
struct AuditProgress {
  enum class Part : std::uint8_t { reading, ordering, redo, rerun };
  Part part = Part::reading;
  std::uint64_t done = 0, total = 0;  // requests executed again
};

struct AuditOptions {
  std::chrono::nanoseconds clock_tolerance{0};  // between the collector's clock and the server's
  SqliteLimits sqlite;
  // An empty folder of the auditor's, for the state at the end, with which another audit goes on; without one
  // the trace is audited to its end. If the verdict is not to accept, nothing in it is of use.
  std::filesystem::path next{};
  // Told each step; by any thread, one at a time.
  std::function<void(const AuditProgress&)> progress = [](const AuditProgress&) {};
};

// `folder` is empty and the auditor's own. REQUIRES: the reports were limited to the period, if it is one
// (period.hpp). Throws InputError, std::filesystem::filesystem_error, std::runtime_error.
Verdict audit(const Trace& trace, const Reports& reports, const InitialState& initial, Executor& executor,
              const std::filesystem::path& folder, const AuditOptions& options = {});

// The processor time of this process so far, in seconds.
double own_seconds();

// The groups that the reports claim; requests without one are groups of their own. Every request that was not
// refused is in exactly one. Groups come in the order of their first request.
std::vector<std::vector<RequestIndex>> claimed_groups(const Trace& trace, const Reports& reports);

}  // namespace assay::audit
