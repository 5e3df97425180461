#include "audit/rerun/php_audit.hpp"

#include <memory>
#include <stdexcept>

#include "audit/period/period.hpp"
#include "audit/rerun/executor_team.hpp"
#include "audit/rerun/php_executor.hpp"
#include "system/input.hpp"
#include "system/input_error.hpp"
#include "system/temporary_folder.hpp"

namespace assay::audit {

namespace {

// What the server says it ran. Programs can see the name; a wrong one cannot make the audit accept more than
// the program would do under it.
std::string sapi_of(const Reports& reports) {
  const auto told = reports.properties().find("sapi");
  return told != reports.properties().end() && told->second == "cgi-fcgi" ? "cgi-fcgi" : "fpm-fcgi";
}

std::unique_ptr<Executor> make_executor(const PhpAudit& what, const Reports& reports) {
  PhpWorkerOptions options;
  options.program = what.worker;
  options.ini = std::filesystem::canonical(what.ini);
  options.code = std::filesystem::canonical(what.code);
  options.sapi = sapi_of(reports);
  options.seconds_per_request = what.seconds_per_request;
  std::vector<std::unique_ptr<Executor>> members;
  try {
    for (unsigned i = 0; i < std::max(1U, what.workers); ++i) {
      members.push_back(std::make_unique<PhpExecutor>(options, reports));
    }
  } catch (const std::runtime_error& error) {
    throw InputError(what.worker.string(), "", std::string("no PHP worker starts: ") + error.what());
  }
  return members.size() == 1 ? std::move(members.front())
                             : std::make_unique<ExecutorTeam>(std::move(members));
}

}  // namespace

Verdict audit_php(const PhpAudit& what) {
  what.options.progress({AuditProgress::Part::reading, 0, 0});
  const double began = own_seconds();
  const system::OpenedInput file = system::open_input(what.trace.string());
  if (file.input.directory) throw InputError(what.trace.string(), "", "expected a trace, got a folder");
  const std::string_view bytes = std::string_view(file.input.files.front().bytes).substr(0, what.trace_bytes);
  const Trace trace = what.initial.carried ? Trace(what.trace.string(), bytes, what.initial.carried->cut,
                                                   what.initial.carried->requests)
                                           : Trace(what.trace.string(), bytes);
  Reports reports = Reports::read_folder(what.reports.string());
  limit_to_period(reports, trace, {what.initial.carried.get(), !what.options.next.empty()});
  const double read = own_seconds();
  const std::unique_ptr<Executor> executor = make_executor(what, reports);
  const double starting = executor->process_seconds();
  const system::TemporaryFolder folder("assay-audit");
  Verdict verdict = audit(trace, reports, what.initial, *executor, folder.path(), what.options);
  verdict.cpu.reading = read - began;
  verdict.cpu.rerun += starting;
  return verdict;
}

}  // namespace assay::audit
