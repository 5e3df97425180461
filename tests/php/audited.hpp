// The audit of what a PHP of the tests recorded.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "audit/audit.hpp"
#include "audit/draft.hpp"
#include "audit/rerun/php_executor.hpp"
#include "server.hpp"

namespace assay::php::testing {

// A draft as an audit reads it: written to files, and these read.
class WrittenDraft {
 public:
  explicit WrittenDraft(const audit::Draft& draft)
      : trace_file_(draft.trace_file()), report_file_(draft.report_file()) {}
  WrittenDraft(const WrittenDraft&) = delete;
  WrittenDraft& operator=(const WrittenDraft&) = delete;

  audit::Trace trace() const { return audit::Trace("trace", trace_file_); }
  audit::Reports reports() const {
    const audit::Reports::File file{"report", report_file_, "", std::nullopt};
    return audit::Reports(std::span(&file, 1));
  }

 private:
  std::string trace_file_, report_file_;
};

// `code` is the program; `options` may ask for more of the worker; `lanes` requests at most are run as one.
inline audit::Verdict audited(const PhpFolder& php, const std::string& code, const audit::Trace& trace,
                              const audit::Reports& reports, const audit::InitialState& initial,
                              audit::PhpWorkerOptions options = {},
                              const audit::AuditOptions& audit_options = {}, unsigned lanes = 0,
                              audit::BatchTally* tally = nullptr) {
  options.program = ASSAY_PHP_WORKER;
  options.ini = php.ini();
  options.code = code;
  audit::PhpExecutor executor(options, reports, lanes);
  const Folder own;
  const audit::Verdict verdict = audit::audit(trace, reports, initial, executor, own.path(), audit_options);
  if (tally != nullptr) *tally = executor.tally();
  return verdict;
}

}  // namespace assay::php::testing
