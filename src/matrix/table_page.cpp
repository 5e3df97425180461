#include <fmt/format.h>

#include "matrix/table.hpp"
#include "report/printable.hpp"

namespace assay::matrix {

namespace {

using check::Verdict;
using report::markup;

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Isolation levels and anomalies · Assay</title>
<style>
body { font: 16px/1.55 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font: 600 1.8rem/1.2 ui-serif, Georgia, serif; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
td, th { text-align: left; vertical-align: bottom; padding: .3rem 1.2rem .3rem 0; border-bottom: 1px solid #8884; }
td { vertical-align: top; }
th small, td small { font-weight: normal; opacity: .75; }
td a { color: inherit; }
.kept { color: #1a7f3c; }
.seen { color: #a15c00; }
.broken { color: #c0281c; font-weight: 600; }
@media (prefers-color-scheme: dark) { .kept { color: #6bd48b; } .seen { color: #f0b450; } .broken { color: #ff8a7a; } }
dt { font-weight: 600; float: left; clear: left; width: 7rem; }
dd { margin-left: 7.5rem; }
details { margin: .4rem 0; }
</style>
</head>
<body>
)";

std::string_view class_of(const Cell& cell) {
  if (cell.promise == Verdict::violated) return "broken";
  const bool happened = cell.finding == Finding::seen || cell.finding == Finding::other;
  if (happened) return "seen";
  return cell.finding == Finding::undecided || cell.finding == Finding::not_run ? "open" : "kept";
}

std::string cell_html(const Row& row, const Cell& cell) {
  std::string word(cell.finding == Finding::not_run ? "–" : name(cell.finding));
  if (cell.promise == Verdict::violated) word += " !";
  if (!cell.page.empty()) word = fmt::format("<a href=\"{}\">{}</a>", markup(cell.page), word);
  const bool tell = row.schedule == nullptr || cell.finding == Finding::other;
  const std::string anomalies = tell ? anomalies_told(cell) : "";
  if (!anomalies.empty()) word += fmt::format("<br><small>{}</small>", markup(anomalies));
  return fmt::format("<td class=\"{}\">{}</td>", class_of(cell), word);
}

std::string table_html(const Matrix& matrix) {
  std::string out = "<div class=\"wide\"><table>\n<tr><th>anomaly</th>";
  for (const auto& mode : matrix.modes) {
    out += fmt::format("<th>{}<br><small>promises {}</small></th>", markup(mode.called),
                       mode.promised ? info(*mode.promised).name : "no level");
  }
  out += "</tr>\n";
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    const Row& one = matrix.rows[row];
    out += fmt::format("<tr><td>{}{}</td>", markup(one.title),
                       one.code.empty() ? "" : fmt::format(" <small>{}</small>", markup(one.code)));
    for (const Cell& cell : matrix.cells[row]) out += cell_html(one, cell);
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string legend_html() {
  std::string out = "<dl>\n";
  for (const Finding finding :
       {Finding::prevented, Finding::blocked, Finding::error, Finding::seen, Finding::other, Finding::none})
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name(finding), meaning(finding));
  return out + "<dt>!</dt><dd>the database promises more than that</dd>\n</dl>\n";
}

// What each session does, and where the database made it wait or refused it.
std::string schedule_html(const Matrix& matrix, std::size_t row) {
  const Schedule& schedule = *matrix.rows[row].schedule;
  std::string out = fmt::format("<details><summary>{}: {}</summary>\n<ol>\n", markup(schedule.title),
                                markup(schedule.about));
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    std::string line = markup(told(schedule.steps[i]));
    for (std::size_t column = 0; column < matrix.modes.size(); ++column) {
      const Cell& cell = matrix.cells[row][column];
      if (i >= cell.steps.size()) continue;
      const std::string mode = markup(matrix.modes[column].called);
      if (cell.steps[i].error) {
        line += fmt::format("<br><small>{}: {}</small>", mode, markup(*cell.steps[i].error));
      } else if (cell.steps[i].waited) {
        line += fmt::format("<br><small>{}: had to wait</small>", mode);
      }
    }
    out += fmt::format("<li>{}</li>\n", line);
  }
  return out + "</ol></details>\n";
}

}  // namespace

std::string table_page(const Matrix& matrix) {
  std::string out(kHead);
  out += fmt::format("<h1>{}: which anomalies can be seen at which level</h1>\n", markup(matrix.store));
  out += table_html(matrix) + "<h2>Promises</h2>\n<ul>\n";
  for (std::size_t column = 0; column < matrix.modes.size(); ++column) {
    const auto& mode = matrix.modes[column];
    out += mode.promised ? fmt::format("<li>{} promises {}: {}</li>\n", markup(mode.called),
                                       info(*mode.promised).name, markup(promise_told(matrix, column)))
                         : fmt::format("<li>{} promises no level</li>\n", markup(mode.called));
  }
  out += "</ul>\n<h2>Words</h2>\n" + legend_html() + "<h2>Schedules</h2>\n";
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    if (matrix.rows[row].schedule != nullptr) out += schedule_html(matrix, row);
  }
  return out + "</body>\n</html>\n";
}

}  // namespace assay::matrix
