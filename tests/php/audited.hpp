// The audit of what a PHP of the tests recorded.
#pragma once

#include <string>

#include "audit/audit.hpp"
#include "audit/rerun/php_executor.hpp"
#include "server.hpp"

namespace assay::php::testing {

// `code` is the program; `options` may ask for more of the worker.
inline audit::Verdict audited(const PhpFolder& php, const std::string& code, const audit::Trace& trace,
                              const audit::Reports& reports, const audit::InitialState& initial,
                              audit::PhpWorkerOptions options = {},
                              const audit::AuditOptions& audit_options = {}) {
  options.program = ASSAY_PHP_WORKER;
  options.ini = php.ini();
  options.code = code;
  audit::PhpExecutor executor(options, reports);
  const Folder own;
  return audit::audit(trace, reports, initial, executor, own.path(), audit_options);
}

}  // namespace assay::php::testing
