#include "audit/tell/verdict_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "audit/tell/difference.hpp"
#include "audit/tell/verdict_words.hpp"
#include "report/printable.hpp"

namespace assay::audit {

namespace {

constexpr std::size_t kLongestLine = 200;  // of an operation

struct Paint {
  bool colour;
  std::string operator()(std::string_view code, std::string_view text) const {
    return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
};

std::string cycle_text(const Verdict& verdict) {
  std::string out =
      "\nNo order fits, for each of these comes before the next and the last before the first:\n";
  std::size_t number = 0;
  for (const Precedence& step : verdict.finding->cycle) {
    out += fmt::format("  {}. {}\n     is before {}: {}\n", ++number,
                       report::printable(moment_name(verdict, step.from)),
                       report::printable(moment_name(verdict, step.to)), report::printable(reason_of(step)));
  }
  return out;
}

std::string difference_text(const Finding& finding, const Paint& paint) {
  const auto difference = first_difference(finding.expected, finding.found);
  if (!difference) return "";
  const auto [expected, found] = sides_of(finding.reason);
  std::string out =
      fmt::format("\nThe first difference is in line {}, byte {}:\n", difference->line, difference->column);
  const std::size_t width = std::max(expected.size(), found.size());
  for (const std::string& line : difference->before) out += fmt::format("  {:{}}  {}\n", "", width, line);
  out += fmt::format("  {:{}}  {}\n", expected, width, paint("32", difference->expected));
  out += fmt::format("  {:{}}  {}\n", found, width, paint("31", difference->found));
  out += fmt::format("  {:{}}  {}^\n", "", width, std::string(difference->mark, ' '));
  return out;
}

std::string operation_text(const Finding& finding) {
  const std::string& words = finding.expected.empty() ? finding.found : finding.expected;
  if (words.empty()) return "";
  std::string out = "\nThe operation:\n";
  std::string_view rest = words;
  for (std::size_t lines = 0; !rest.empty() && lines < 12; ++lines) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    out += fmt::format("  {}\n", report::cut(report::printable(line), kLongestLine));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return out;
}

std::string finding_text(const Verdict& verdict, const Paint& paint) {
  const Finding& finding = *verdict.finding;
  std::string out;
  for (const std::string& sentence : finding_sentences(verdict)) out += report::printable(sentence) + "\n";
  if (!finding.cycle.empty()) out += cycle_text(verdict);
  if (!finding.expected.empty() && !finding.found.empty()) {
    out += difference_text(finding, paint);
  } else {
    out += operation_text(finding);
  }
  return out;
}

std::string cost_text(const AuditCost& cpu) {
  return fmt::format(
      "cpu        {:.2f} s: reading {:.2f}, ordering {:.2f}, redo {:.2f}, re-execution {:.2f}\n", cpu.total(),
      cpu.reading, cpu.ordering, cpu.redo, cpu.rerun);
}

}  // namespace

std::string verdict_text(const Verdict& verdict, bool colour) {
  const Paint paint{colour};
  std::string out =
      fmt::format("audited    {} requests, {} operations", verdict.requests, verdict.operations);
  if (verdict.groups > 0) out += fmt::format(", {} groups", verdict.groups);
  out += "\n";
  if (verdict.not_whole > 0)
    out += fmt::format("           {} requests have no whole response; what there is of them was checked\n",
                       verdict.not_whole);
  if (verdict.not_performed > 0)
    out += fmt::format("           {} operations are said not to have been performed (busy, locked, full)\n",
                       verdict.not_performed);
  for (const std::string& note : verdict.notes)
    out += fmt::format("note:      {}\n", report::printable(note));
  switch (verdict.decision) {
    case Decision::accepted:
      out += fmt::format("{}   every response is what the program gives\n", paint("32", "accepted"));
      break;
    case Decision::rejected:
      out += fmt::format("{}   {}\n", paint("31", "rejected"), name(verdict.finding->reason));
      break;
    case Decision::undecided:
      out += fmt::format("{}  {}\n", paint("33", "undecided"), name(verdict.finding->reason));
      break;
  }
  out += cost_text(verdict.cpu);
  if (verdict.finding) out += "\n" + finding_text(verdict, paint);
  return out;
}

}  // namespace assay::audit
