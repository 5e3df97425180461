#include "audit/rerun/php_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
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

// `single` are the members of a team, or the one that there is.
std::unique_ptr<Executor> make_executor(const PhpAudit& what, const Reports& reports,
                                        std::vector<const PhpExecutor*>& single) {
  PhpWorkerOptions options;
  options.program = what.worker;
  options.ini = std::filesystem::canonical(what.ini);
  options.code = std::filesystem::canonical(what.code);
  options.sapi = sapi_of(reports);
  options.seconds_per_request = what.seconds_per_request;
  std::vector<std::unique_ptr<Executor>> members;
  try {
    for (unsigned i = 0; i < std::max(1U, what.workers); ++i) {
      auto member = std::make_unique<PhpExecutor>(options, reports, what.lanes);
      single.push_back(member.get());
      members.push_back(std::move(member));
    }
  } catch (const std::runtime_error& error) {
    throw InputError(what.worker.string(), "", std::string("no PHP worker starts: ") + error.what());
  }
  return members.size() == 1 ? std::move(members.front())
                             : std::make_unique<ExecutorTeam>(std::move(members), std::max(16U, what.lanes));
}

// What came of running requests as one, and what stood in the way most often.
void note_batches(const std::vector<const PhpExecutor*>& executors, Verdict& verdict) {
  BatchTally all;
  for (const PhpExecutor* each : executors) {
    const BatchTally& one = each->tally();
    all.groups += one.groups;
    all.requests += one.requests;
    all.agreed += one.agreed;
    for (const auto& [why, times] : one.denials) all.denials[why] += times;
  }
  verdict.notes.push_back(
      fmt::format("{} requests were tried as one with others, in {} groups; {} of them need not be "
                  "run singly",
                  all.requests, all.groups, all.agreed));
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  for (const auto& [why, times] : all.denials) reasons.emplace_back(times, why);
  std::sort(reasons.begin(), reasons.end(), std::greater<>());
  constexpr std::size_t kMostReasons = 5;
  for (std::size_t i = 0; i < std::min(kMostReasons, reasons.size()); ++i) {
    verdict.notes.push_back(
        fmt::format("{} groups were not run as one: {}", reasons[i].first, reasons[i].second));
  }
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
  std::vector<const PhpExecutor*> executors;
  const std::unique_ptr<Executor> executor = make_executor(what, reports, executors);
  const double starting = executor->process_seconds();
  const system::TemporaryFolder folder("assay-audit");
  Verdict verdict = audit(trace, reports, what.initial, *executor, folder.path(), what.options);
  verdict.cpu.reading = read - began;
  verdict.cpu.rerun += starting;
  if (what.lanes > 1) note_batches(executors, verdict);
  return verdict;
}

}  // namespace assay::audit
