#include "audit/tell/verdict_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "audit/tell/difference.hpp"
#include "audit/tell/page_template.hpp"
#include "audit/tell/verdict_words.hpp"
#include "report/printable.hpp"

namespace assay::audit {

namespace {

constexpr std::size_t kLinesBefore = 12, kLinesAfter = 24;  // of a response, around the difference
constexpr std::size_t kLongestLine = 400;

std::string text(std::string_view raw) {
  return report::markup(report::printable(raw));
}

std::string headline(const Verdict& verdict) {
  switch (verdict.decision) {
    case Decision::accepted:
      return "<h1>Accepted</h1>\n<p>Every response is what the program gives.</p>\n";
    case Decision::rejected:
      return fmt::format("<h1>Rejected</h1>\n<p>{}</p>\n", name(verdict.finding->reason));
    case Decision::undecided:
      break;
  }
  return fmt::format("<h1>Undecided</h1>\n<p>{}</p>\n", name(verdict.finding->reason));
}

// The line that differs is given as it is to be shown; `mark` characters of it are the same in both.
std::string marked(const std::string& line, std::size_t mark) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < line.size(); ++at) {
    if ((static_cast<unsigned char>(line[at]) & 0xC0U) != 0x80 && seen++ == mark) break;
  }
  return text(line.substr(0, at)) + "<mark>" + text(line.substr(at)) + "</mark>";
}

std::string side(std::string_view caption, std::string_view content, const Difference& difference,
                 const std::string& line_shown) {
  std::string out = fmt::format("<figure><figcaption>{}</figcaption><pre>", caption);
  std::size_t number = 1;
  for (std::size_t begin = 0; begin <= content.size(); ++number) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    if (number == difference.line) {
      out += marked(line_shown, difference.mark) + "\n";
    } else if (number + kLinesBefore >= difference.line && number <= difference.line + kLinesAfter) {
      out += text(report::cut(std::string(content.substr(begin, end - begin)), kLongestLine)) + "\n";
    }
    if (number > difference.line + kLinesAfter) break;
    begin = end + 1;
  }
  return out + "</pre></figure>\n";
}

std::string sides(const Finding& finding) {
  if (finding.expected.empty() && finding.found.empty()) return "";
  const auto [expected, found] = sides_of(finding.reason);
  if (finding.expected.empty() || finding.found.empty()) {
    const std::string& words = finding.expected.empty() ? finding.found : finding.expected;
    std::string out = "<h2>The operation</h2>\n<pre>";
    for (std::size_t begin = 0; begin < words.size();) {
      const std::size_t end = std::min(words.find('\n', begin), words.size());
      out += text(report::cut(words.substr(begin, end - begin), kLongestLine)) + "\n";
      begin = end + 1;
    }
    return out + "</pre>\n";
  }
  const auto difference = first_difference(finding.expected, finding.found);
  if (!difference) return "";
  return fmt::format("<h2>The first difference: line {}, byte {}</h2>\n<div class=\"sides\">\n{}{}</div>\n",
                     difference->line, difference->column,
                     side(expected, finding.expected, *difference, difference->expected),
                     side(found, finding.found, *difference, difference->found));
}

std::string finding_part(const Verdict& verdict) {
  const Finding& finding = *verdict.finding;
  std::string out = "<h2>Why</h2>\n";
  for (const std::string& sentence : finding_sentences(verdict))
    out += fmt::format("<p>{}</p>\n", text(sentence));
  if (!finding.cycle.empty()) {
    out += "<p>No order fits, for each of these comes before the next and the last before the first:</p>\n";
    out += "<ol class=\"cycle\">\n";
    for (const Precedence& step : finding.cycle) {
      out += fmt::format("<li>{}<br><span class=\"soft\">is before {}: {}</span></li>\n",
                         text(moment_name(verdict, step.from)), text(moment_name(verdict, step.to)),
                         text(reason_of(step)));
    }
    out += "</ol>\n";
  }
  return out + sides(finding);
}

std::string cost_part(const AuditCost& cpu) {
  std::string out = "<h2>Processor time</h2>\n<table>\n";
  const double most = std::max({cpu.reading, cpu.ordering, cpu.redo, cpu.rerun, 1e-9});
  for (const auto& [part, seconds] : {std::pair<std::string_view, double>{"reading", cpu.reading},
                                      {"ordering", cpu.ordering},
                                      {"redo of the operations", cpu.redo},
                                      {"re-execution of the requests", cpu.rerun}}) {
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"number\">{:.2f} s</td><td><span class=\"bar\" "
        "style=\"width:{:.1f}rem\"></span></td></tr>\n",
        part, seconds, 20 * seconds / most);
  }
  return out + "</table>\n";
}

std::string time_part(const Verdict& verdict) {
  if (verdict.arrivals.empty()) return "";
  const std::uint32_t most = *std::max_element(verdict.arrivals.begin(), verdict.arrivals.end());
  std::string out = fmt::format(
      "<h2>Requests over time</h2>\n<svg viewBox=\"0 0 {} 100\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{} requests over {:.1f} seconds\">\n",
      verdict.arrivals.size() * 10, verdict.requests, verdict.trace_seconds);
  for (std::size_t i = 0; i < verdict.arrivals.size(); ++i) {
    const double height = 100.0 * verdict.arrivals[i] / std::max(1U, most);
    out += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"9\" height=\"{:.1f}\"/>\n", i * 10, 100 - height,
                       height);
  }
  return out +
         fmt::format("</svg>\n<p class=\"soft\">{:.1f} seconds; at most {} requests in {:.2f} of them</p>\n",
                     verdict.trace_seconds, most,
                     verdict.trace_seconds / static_cast<double>(verdict.arrivals.size()));
}

std::string numbers_part(const Verdict& verdict) {
  std::string out = "<h2>What was audited</h2>\n<table>\n";
  for (const auto& [what, count] : {std::pair<std::string_view, std::uint64_t>{"requests", verdict.requests},
                                    {"without a whole response", verdict.not_whole},
                                    {"operations", verdict.operations},
                                    {"said not to have been performed", verdict.not_performed},
                                    {"groups", verdict.groups}}) {
    out += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td></tr>\n", what, count);
  }
  out += "</table>\n";
  for (const std::string& note : verdict.notes) out += fmt::format("<p>Note: {}</p>\n", text(note));
  return out;
}

}  // namespace

std::string verdict_page(const Verdict& verdict) {
  std::string body =
      fmt::format("<section class=\"{}\">\n{}</section>\n", name(verdict.decision), headline(verdict));
  if (verdict.finding) body += finding_part(verdict);
  body += time_part(verdict) + cost_part(verdict.cpu) + numbers_part(verdict);
  constexpr std::string_view kMark = "@BODY@";
  const std::size_t at = kAuditPage.find(kMark);
  if (at == std::string_view::npos) throw std::logic_error("web/audit.html lacks its mark");
  return std::string(kAuditPage.substr(0, at)) + body + std::string(kAuditPage.substr(at + kMark.size()));
}

}  // namespace assay::audit
