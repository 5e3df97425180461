#include "report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/printable.hpp"
#include "report/report.hpp"
#include "report/selection.hpp"
#include "report/sentence.hpp"
#include "report/story.hpp"

namespace assay::report {

using check::Outcome;
using check::Verdict;
using evidence::Examination;
using evidence::refuted_by;

namespace {

double seconds_of(const Outcome& outcome) {
  double seconds = 0;
  for (const check::Phase& phase : outcome.phases) seconds += phase.seconds;
  return seconds;
}

// One line that says what is wrong.
std::string message(const Examination& examination, const Outcome& outcome) {
  const std::string_view level = info(outcome.level).name;
  if (outcome.verdict == Verdict::undecided)
    return fmt::format("{} is undecided{}", level,
                       outcome.reason.empty() ? "" : ": " + printable(outcome.reason));
  const Outcome* weaker = refuted_by(outcome, examination.outcomes);
  if (weaker != nullptr) return fmt::format("{} is violated, since {} is", level, info(weaker->level).name);
  if (const auto story = story_of(examination, outcome.level))
    return fmt::format("{} is violated: {}", level, info(story->counterexample.anomaly).title);
  if (outcome.bad_reads.empty()) return fmt::format("{} is violated", level);
  return fmt::format("{} is violated: {}", level, sentence(*examination.history, outcome.bad_reads.front()));
}

// A case that found nothing to test must not look like one that passed.
bool is_of_nothing(const Examination& examination, const Outcome& outcome) {
  return outcome.verdict == Verdict::holds && evidence::committed(*examination.history) == 0;
}

std::size_t skipped(const Examination& examination) {
  return static_cast<std::size_t>(std::count_if(
      examination.outcomes.begin(), examination.outcomes.end(),
      [&](const Outcome& o) { return o.verdict == Verdict::undecided || is_of_nothing(examination, o); }));
}

std::size_t count(const Examination& examination, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(examination.outcomes.begin(), examination.outcomes.end(),
                                                [&](const Outcome& o) { return o.verdict == verdict; }));
}

// What GitHub reads in the message of a workflow command, and in a property of one.
std::string command_data(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else {
      out += c;
    }
  }
  return out;
}

std::string command_property(std::string_view text) {
  std::string out;
  for (const char c : command_data(text)) {
    if (c == ':') {
      out += "%3A";
    } else if (c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string junit(const Examination& examination) {
  const std::string suite = markup(printable(examination.history->path()));
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.6f}\"",
                  examination.outcomes.size(), count(examination, Verdict::violated), skipped(examination),
                  examination.read_seconds + examination.check_seconds);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\" {}>\n  <testsuite name=\"{}\" "
      "{}>\n",
      counts, suite, counts);
  for (const Outcome& outcome : examination.outcomes) {
    out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"", suite,
                       info(outcome.level).name, seconds_of(outcome));
    const std::string said = markup(message(examination, outcome));
    switch (outcome.verdict) {
      case Verdict::holds:
        out += is_of_nothing(examination, outcome)
                   ? ">\n      <skipped message=\"nothing was tested: no transaction committed\"/>\n    "
                     "</testcase>\n"
                   : "/>\n";
        break;
      case Verdict::violated:
        out += fmt::format(
            ">\n      <failure type=\"violated\" message=\"{}\">{}</failure>\n    </testcase>\n", said,
            markup(explanation(*examination.history, outcome, story_of(examination, outcome.level))));
        break;
      case Verdict::undecided:
        out += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", said);
        break;
    }
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string annotations(const Examination& examination) {
  std::string out;
  for (const Outcome& outcome : examination.outcomes) {
    if (outcome.verdict == Verdict::holds) continue;
    const bool violated = outcome.verdict == Verdict::violated;
    std::string body = message(examination, outcome);
    if (violated && refuted_by(outcome, examination.outcomes) == nullptr)
      body += "\n" + explanation(*examination.history, outcome, story_of(examination, outcome.level));
    const std::string title =
        fmt::format("{} {}", info(outcome.level).name, violated ? "is violated" : "is undecided");
    out += fmt::format("::{} file={},title={}::{}\n", violated ? "error" : "warning",
                       command_property(printable(examination.history->path())), command_property(title),
                       command_data(body));
  }
  return out;
}

}  // namespace assay::report
