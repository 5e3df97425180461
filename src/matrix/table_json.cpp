#include <nlohmann/json.hpp>

#include "matrix/table.hpp"
#include "report/report.hpp"
#include "report/version.hpp"

namespace assay::matrix {

namespace {

using Json = nlohmann::ordered_json;

Json step_object(const Step& step, const StepOutcome& outcome) {
  Json object{
      {"step", told(step)}, {"waited", outcome.waited}, {"skipped", outcome.skipped}, {"error", nullptr}};
  if (outcome.error) object["error"] = *outcome.error;
  return object;
}

Json cell_object(const Row& row, const Cell& cell, const database::Store::Mode& mode) {
  Json object{{"isolation", mode.called}, {"finding", name(cell.finding)}};
  object["promise"] =
      mode.promised && cell.finding != Finding::not_run ? Json(report::name(cell.promise)) : Json();
  object["anomalies"] = Json::array();
  for (const Anomaly anomaly : cell.anomalies) object["anomalies"].push_back(info(anomaly).name);
  object["sentence"] = cell.sentence;
  object["committed"] = cell.committed;
  object["steps"] = Json::array();
  for (std::size_t i = 0; i < cell.steps.size(); ++i)
    object["steps"].push_back(step_object(row.schedule->steps[i], cell.steps[i]));
  object["page"] = cell.page.empty() ? Json() : Json(cell.page);
  return object;
}

Json kept(const Matrix& matrix, std::size_t column) {
  if (!matrix.modes[column].promised) return {};
  Json all = true;
  for (const std::vector<Cell>& row : matrix.cells) {
    if (row[column].promise == check::Verdict::violated) return false;
    if (row[column].promise == check::Verdict::undecided) all = nullptr;
  }
  return all;
}

}  // namespace

std::string table_json(const Matrix& matrix) {
  Json modes = Json::array();
  for (std::size_t column = 0; column < matrix.modes.size(); ++column) {
    const auto& mode = matrix.modes[column];
    modes.push_back({{"isolation", mode.called},
                     {"promised", mode.promised ? Json(info(*mode.promised).name) : Json()},
                     {"kept", kept(matrix, column)}});
  }
  Json rows = Json::array();
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    const Row& one = matrix.rows[row];
    Json cells = Json::array();
    for (std::size_t column = 0; column < matrix.modes.size(); ++column)
      cells.push_back(cell_object(one, matrix.cells[row][column], matrix.modes[column]));
    rows.push_back({{"name", one.name},
                    {"title", one.title},
                    {"code", one.code.empty() ? Json() : Json(one.code)},
                    {"kind", one.schedule != nullptr ? "schedule" : "workload"},
                    {"cells", cells}});
  }
  const Json object{{"store", matrix.store}, {"isolations", modes}, {"rows", rows}};
  return Json{{"assay", report::version()}, {"matrix", object}}.dump(2, ' ', false,
                                                                     Json::error_handler_t::replace) +
         "\n";
}

}  // namespace assay::matrix
