#include "report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/printable.hpp"
#include "report/report.hpp"
#include "report/selection.hpp"
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
std::string complaint(const Examination& examination, const Outcome& outcome) {
  return fmt::format("{} is {}{}", info(outcome.level).name, name(outcome.verdict),
                     in_short(examination, outcome));
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

// A workflow command: "::error file=run.jsonl,title=...::...".
std::string command(std::string_view name, const std::string& path, const std::string& title,
                    const std::string& body) {
  return fmt::format("::{} file={},title={}::{}\n", name, command_property(printable(path)),
                     command_property(title), command_data(body));
}

std::string attributes(const Suite& counts) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6f}\"",
                     counts.tests, counts.failures, counts.errors, counts.skipped, counts.seconds);
}

}  // namespace

Suite suite(const Examination& examination) {
  Suite out{.tests = examination.outcomes.size(),
            .failures = count(examination, Verdict::violated),
            .skipped = skipped(examination),
            .seconds = examination.read_seconds + examination.check_seconds};
  const std::string title = markup(printable(examination.history->path()));
  std::string& text = out.markup;
  text = fmt::format("  <testsuite name=\"{}\" {}>\n", title, attributes(out));
  for (const Outcome& outcome : examination.outcomes) {
    text += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"", title,
                        info(outcome.level).name, seconds_of(outcome));
    switch (outcome.verdict) {
      case Verdict::holds:
        text += is_of_nothing(examination, outcome)
                    ? ">\n      <skipped message=\"nothing was tested: no transaction committed\"/>\n    "
                      "</testcase>\n"
                    : "/>\n";
        break;
      case Verdict::violated:
        text += fmt::format(
            ">\n      <failure type=\"violated\" message=\"{}\">{}</failure>\n    </testcase>\n",
            markup(complaint(examination, outcome)),
            markup(explanation(*examination.history, outcome, story_of(examination, outcome.level))));
        break;
      case Verdict::undecided:
        text += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                            markup(complaint(examination, outcome)));
        break;
    }
  }
  text += "  </testsuite>\n";
  return out;
}

Suite suite_without_verdict(const std::string& path, const std::string& why, Unknown unknown) {
  const bool undecided = unknown == Unknown::undecided;
  Suite out{.tests = 1, .errors = undecided ? 0U : 1U, .skipped = undecided ? 1U : 0U};
  const std::string title = markup(printable(path));
  out.markup = fmt::format(
      "  <testsuite name=\"{0}\" {1}>\n    <testcase classname=\"{0}\" name=\"check\" time=\"0\">\n"
      "      <{2} message=\"{3}\"/>\n    </testcase>\n  </testsuite>\n",
      title, attributes(out), undecided ? "skipped" : "error", markup(printable(why)));
  return out;
}

std::string junit_file(std::span<const Suite> suites) {
  Suite all;
  for (const Suite& each : suites) {
    all.markup += each.markup;
    all.tests += each.tests;
    all.failures += each.failures;
    all.errors += each.errors;
    all.skipped += each.skipped;
    all.seconds += each.seconds;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\" {}>\n{}</testsuites>\n",
      attributes(all), all.markup);
}

std::string junit(const Examination& examination) {
  const Suite only = suite(examination);
  return junit_file(std::span(&only, 1));
}

std::string annotations(const Examination& examination) {
  std::string out;
  for (const Outcome& outcome : examination.outcomes) {
    if (outcome.verdict == Verdict::holds) continue;
    const bool violated = outcome.verdict == Verdict::violated;
    std::string body = complaint(examination, outcome);
    if (violated && refuted_by(outcome, examination.outcomes) == nullptr)
      body += "\n" + explanation(*examination.history, outcome, story_of(examination, outcome.level));
    const std::string title =
        fmt::format("{} {}", info(outcome.level).name, violated ? "is violated" : "is undecided");
    out += command(violated ? "error" : "warning", examination.history->path(), title, body);
  }
  return out;
}

std::string annotation_without_verdict(const std::string& path, const std::string& why, Unknown unknown) {
  const bool undecided = unknown == Unknown::undecided;
  return command(undecided ? "warning" : "error", path,
                 undecided ? "undecided" : "the history could not be checked", printable(why));
}

}  // namespace assay::report
