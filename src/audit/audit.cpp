#include "audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <unordered_map>

#include "audit/admissible.hpp"
#include "audit/fit.hpp"
#include "audit/ordering.hpp"

namespace assay::audit {

namespace {

void count_arrivals(const Trace& trace, Verdict& verdict) {
  constexpr std::size_t kParts = 60;
  if (trace.requests().empty()) return;
  const std::uint64_t first = trace.requests().front().arrived;
  const std::uint64_t whole = trace.requests().back().arrived - first;
  verdict.trace_seconds = static_cast<double>(whole) * 1e-9;
  verdict.arrivals.assign(kParts, 0);
  for (const TracedRequest& request : trace.requests()) {
    const double share = static_cast<double>(request.arrived - first) / (static_cast<double>(whole) + 1);
    ++verdict.arrivals[std::min(kParts - 1, static_cast<std::size_t>(share * kParts))];
  }
}

Verdict begin_verdict(const Trace& trace, const Reports& reports) {
  Verdict verdict;
  verdict.requests = trace.requests().size();
  verdict.operations = reports.operations();
  verdict.not_whole = static_cast<std::uint64_t>(
      std::count_if(trace.requests().begin(), trace.requests().end(),
                    [](const TracedRequest& request) { return request.fate != Fate::whole; }));
  if (trace.left_out() > 0) {
    verdict.notes.push_back(
        fmt::format("the last {} bytes of the trace are no whole frame and were left out", trace.left_out()));
  }
  verdict.notes.insert(verdict.notes.end(), reports.notes().begin(), reports.notes().end());
  const auto carried = std::count_if(trace.requests().begin(), trace.requests().end(),
                                     [](const TracedRequest& request) { return request.carried; });
  if (carried > 0)
    verdict.notes.push_back(
        fmt::format("{} requests had not ended when the audit before this one was made", carried));
  count_arrivals(trace, verdict);
  const auto version = reports.properties().find("sqlite");
  if (version != reports.properties().end() && version->second != sqlite3_libversion()) {
    verdict.notes.push_back(
        fmt::format("the server runs SQLite {}, the auditor {}: they may differ in details", version->second,
                    sqlite3_libversion()));
  }
  return verdict;
}

// Adds the processor time of a part of the audit to where it belongs.
class PartClock {
 public:
  PartClock(double& seconds, const Executor* executor = nullptr)
      : seconds_(seconds), executor_(executor), began_(now()) {}
  ~PartClock() { seconds_ += now() - began_; }
  PartClock(const PartClock&) = delete;
  PartClock& operator=(const PartClock&) = delete;

 private:
  double now() const { return own_seconds() + (executor_ != nullptr ? executor_->process_seconds() : 0); }

  double& seconds_;
  const Executor* executor_;
  double began_;
};

std::string request_line(const Trace& trace, RequestIndex request) {
  const Loaded<wire::Request> loaded = trace.request(request);
  std::string_view method, target;
  for (const wire::Pair& pair : loaded.record.params) {
    if (pair.name == "REQUEST_METHOD") method = pair.value;
    if (pair.name == "REQUEST_URI") target = pair.value;
  }
  return fmt::format("{} {}", method, target);
}

std::vector<InvolvedRequest> involved_in(const Finding& finding, const Trace& trace) {
  std::set<std::uint64_t> rids;
  if (finding.rid) rids.insert(*finding.rid);
  for (const Precedence& step : finding.cycle) rids.insert(step.from.rid);
  std::vector<InvolvedRequest> involved;
  for (const std::uint64_t rid : rids) {
    const auto request = trace.find(rid);
    if (request) involved.push_back({rid, request_line(trace, *request), trace[*request].arrived});
  }
  return involved;
}

}  // namespace

double own_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void Executor::run_all(std::span<const std::vector<RequestIndex>> groups, Answers& answers) {
  for (const std::vector<RequestIndex>& group : groups) {
    run(group, answers);
    if (answers.stopped()) return;
  }
}

std::vector<std::vector<RequestIndex>> claimed_groups(const Trace& trace, const Reports& reports) {
  std::vector<std::vector<RequestIndex>> groups;
  std::unordered_map<std::uint64_t, std::size_t> by_tag;
  const std::span<const Group> tags = reports.groups();
  std::size_t next = 0;
  for (std::uint32_t r = 0; r < trace.requests().size(); ++r) {
    const TracedRequest& request = trace.requests()[r];
    while (next < tags.size() && tags[next].rid < request.rid) ++next;
    if (request.fate == Fate::refused) continue;
    std::size_t group = groups.size();
    if (next < tags.size() && tags[next].rid == request.rid) {
      group = by_tag.try_emplace(tags[next].tag, groups.size()).first->second;
    }
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(RequestIndex{r});
  }
  return groups;
}

namespace {

// Do trace and reports fit together, and is there an order?
std::optional<Finding> find_disagreement(const Trace& trace, const Reports& reports, Fit& fitted,
                                         const AuditOptions& options) {
  if (trace.imbalance()) {
    Finding finding;
    finding.reason = Reason::unbalanced_trace;
    finding.rid = trace.imbalance()->rid;
    finding.sentence = trace.imbalance()->sentence;
    return finding;
  }
  fitted = fit(trace, reports);
  if (fitted.finding) return std::move(fitted.finding);
  if (auto finding = find_inadmissible(trace, reports, fitted.map, options.clock_tolerance)) return finding;
  return find_disorder(trace, reports, fitted.map);
}

void rerun(const Trace& trace, const Reports& reports, const OperationMap& map, const Results& results,
           Executor& executor, const AuditOptions& options, Verdict& verdict) {
  const std::vector<std::vector<RequestIndex>> groups = claimed_groups(trace, reports);
  verdict.groups = groups.size();
  AuditProgress at{AuditProgress::Part::rerun, 0, 0};
  for (const std::vector<RequestIndex>& group : groups) at.total += group.size();
  options.progress(at);
  const auto on_finished = [&] {
    ++at.done;
    options.progress(at);
  };
  Answers answers(trace, reports, map, results, on_finished,
                  options.next.empty() ? Answers::OpenResponses::now : Answers::OpenResponses::later);
  executor.run_all(groups, answers);
  if (auto finding = answers.contradiction()) {
    verdict.decision = Decision::rejected;
    verdict.finding = std::move(finding);
  } else if (auto failure = answers.failure()) {
    verdict.decision = Decision::undecided;
    verdict.finding = std::move(failure);
  }
}

// Writes what the next audit begins with.
void leave(Carried next, const Trace& trace, Verdict& verdict) {
  next.cut = trace.end();
  next.requests = trace.open_requests();
  write_carried(next);
  const auto open = std::count_if(trace.requests().begin(), trace.requests().end(),
                                  [](const TracedRequest& request) { return request.fate == Fate::open; });
  if (open > 0)
    verdict.notes.push_back(fmt::format("{} requests that had not ended go over to the next audit", open));
}

void decide(const Trace& trace, const Reports& reports, const InitialState& initial, Executor& executor,
            const std::filesystem::path& folder, const AuditOptions& options, Verdict& verdict) {
  Fit fitted;
  {
    options.progress({AuditProgress::Part::ordering, 0, 0});
    const PartClock clock(verdict.cpu.ordering);
    verdict.finding = find_disagreement(trace, reports, fitted, options);
    if (verdict.finding) verdict.decision = Decision::rejected;
  }
  if (verdict.finding) return;
  Redone redone;
  {
    options.progress({AuditProgress::Part::redo, 0, 0});
    const PartClock clock(verdict.cpu.redo);
    redone = redo(trace, reports, initial, folder, options.sqlite, options.next);
    verdict.not_performed = redone.not_performed;
  }
  if (redone.finding) {
    verdict.decision = redone.undecided ? Decision::undecided : Decision::rejected;
    verdict.finding = std::move(redone.finding);
    return;
  }
  {
    const PartClock clock(verdict.cpu.rerun, &executor);
    rerun(trace, reports, fitted.map, redone.results, executor, options, verdict);
  }
  if (redone.next && verdict.decision == Decision::accepted) leave(std::move(*redone.next), trace, verdict);
}

}  // namespace

Verdict audit(const Trace& trace, const Reports& reports, const InitialState& initial, Executor& executor,
              const std::filesystem::path& folder, const AuditOptions& options) {
  Verdict verdict = begin_verdict(trace, reports);
  decide(trace, reports, initial, executor, folder, options, verdict);
  if (verdict.finding) verdict.involved = involved_in(*verdict.finding, trace);
  return verdict;
}

}  // namespace assay::audit
