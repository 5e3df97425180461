// The commands below `assay audit`, one file each, and what they share.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "audit/audit.hpp"
#include "audit/rerun/php_audit.hpp"
#include "audit/verdict.hpp"
#include "cli/command.hpp"
#include "cli/option/progress.hpp"
#include "system/temporary_folder.hpp"

namespace assay::cli {

void add_audit_run(CLI::App& audit, Action& chosen);
void add_audit_collect(CLI::App& audit, Action& chosen);
void add_audit_check(CLI::App& audit, Action& chosen);
void add_audit_tamper(CLI::App& audit, Action& chosen);
void add_audit_config(CLI::App& audit, Action& chosen);

// How to audit, for run and check.
struct AuditingOptions {
  unsigned workers = 1;
  unsigned batch = 0;
  unsigned seconds = 60;  // for one request
  std::string clock_drift = "0";
  std::optional<std::string> report;
  bool json = false, quiet = false;
};
void add_auditing_options(CLI::App& command, AuditingOptions& options);

// Audits, with a line of progress that has a rate and an estimate. `what` needs no options yet. Throws as
// audit_php() does, and UsageError.
audit::Verdict audit_with_progress(audit::PhpAudit what, const AuditingOptions& options);

// A state for an audit that goes on: written beside its place, and put there when it is whole.
class NextState {
 public:
  // Throws UsageError if something is there already.
  explicit NextState(const std::string& place);
  const std::filesystem::path& folder() const { return written_->path(); }
  void keep();

 private:
  std::filesystem::path place_;
  std::optional<system::TemporaryFolder> written_;
};

// Writes the page if one was asked for. Throws UsageError.
void write_report(const audit::Verdict& verdict, const AuditingOptions& options);

Exit exit_code(const audit::Verdict& verdict);

// A rate and how long the rest will take: "1200 of 5000 requests, 180/s, 21 s left".
std::string pace(std::uint64_t done, std::uint64_t total, std::chrono::steady_clock::duration elapsed);

}  // namespace assay::cli
