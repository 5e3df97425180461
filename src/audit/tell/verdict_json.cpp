#include "audit/tell/verdict_json.hpp"

#include <nlohmann/json.hpp>

#include "audit/tell/difference.hpp"
#include "report/printable.hpp"
#include "report/version.hpp"

namespace assay::audit {

namespace {

using Json = nlohmann::ordered_json;

// Of a response or an operation; a whole one may have millions of bytes.
constexpr std::size_t kMostShown = 65536;

Json moment(const Moment& at) {
  switch (at.kind) {
    case Moment::Kind::arrival:
      return {{"request", at.rid}, {"event", "arrival"}};
    case Moment::Kind::departure:
      return {{"request", at.rid}, {"event", "response"}};
    case Moment::Kind::operation:
      break;
  }
  return {{"request", at.rid}, {"event", "operation"}, {"operation", at.opnum}};
}

std::string_view kind_of(const Precedence& step) {
  switch (step.kind) {
    case Precedence::Kind::program:
      return "program";
    case Precedence::Kind::log:
      return "log";
    case Precedence::Kind::time:
      break;
  }
  return "time";
}

Json finding_object(const Verdict& verdict) {
  const Finding& finding = *verdict.finding;
  Json out = {{"reason", name(finding.reason)}, {"sentence", finding.sentence}};
  if (finding.rid) out["request"] = *finding.rid;
  if (finding.opnum) out["operation"] = *finding.opnum;
  Json requests = Json::array();
  for (const InvolvedRequest& request : verdict.involved)
    requests.push_back({{"request", request.rid}, {"line", request.line}, {"arrived", request.arrived}});
  out["requests"] = std::move(requests);
  if (!finding.cycle.empty()) {
    Json cycle = Json::array();
    for (const Precedence& step : finding.cycle) {
      Json edge = {{"from", moment(step.from)}, {"to", moment(step.to)}, {"because", kind_of(step)}};
      if (step.kind == Precedence::Kind::log) edge["object"] = step.object;
      cycle.push_back(std::move(edge));
    }
    out["cycle"] = std::move(cycle);
  }
  if (!finding.expected.empty()) out["expected"] = report::cut(finding.expected, kMostShown);
  if (!finding.found.empty()) out["found"] = report::cut(finding.found, kMostShown);
  if (!finding.expected.empty() && !finding.found.empty()) {
    if (const auto difference = first_difference(finding.expected, finding.found)) {
      out["difference"] = {{"line", difference->line},
                           {"column", difference->column},
                           {"expected", difference->expected},
                           {"found", difference->found}};
    }
  }
  return out;
}

}  // namespace

Json verdict_json(const Verdict& verdict) {
  return {{"assay", report::version()},
          {"audit",
           {{"verdict", name(verdict.decision)},
            {"finding", verdict.finding ? finding_object(verdict) : Json(nullptr)},
            {"notes", verdict.notes},
            {"requests", verdict.requests},
            {"operations", verdict.operations},
            {"groups", verdict.groups},
            {"not_whole", verdict.not_whole},
            {"not_performed", verdict.not_performed},
            {"cpu_seconds",
             {{"total", verdict.cpu.total()},
              {"reading", verdict.cpu.reading},
              {"ordering", verdict.cpu.ordering},
              {"redo", verdict.cpu.redo},
              {"rerun", verdict.cpu.rerun}}}}}};
}

}  // namespace assay::audit
