#include "report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/printable.hpp"
#include "report/selection.hpp"
#include "report/sentence.hpp"

namespace assay::report {

using check::Outcome;
using check::Verdict;

namespace {

// For element content and attributes. XML 1.0 has no way to write most control characters, and U+FFFE and
// U+FFFF are no characters of it.
std::string xml(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        if (text.substr(i, 2) == "\xEF\xBF" && i + 2 < text.size() &&
            static_cast<unsigned char>(text[i + 2]) >= 0xBE) {
          i += 2;
        } else if (static_cast<unsigned char>(c) >= 0x20 && c != '\x7F') {
          out += c;
        }
    }
  }
  return out;
}

double seconds_of(const Outcome& outcome) {
  double seconds = 0;
  for (const check::Phase& phase : outcome.phases) seconds += phase.seconds;
  return seconds;
}

// One line that says what is wrong.
std::string message(const Checked& checked, const Outcome& outcome) {
  const std::string_view level = info(outcome.level).name;
  if (outcome.verdict == Verdict::undecided)
    return fmt::format("{} is undecided{}", level,
                       outcome.reason.empty() ? "" : ": " + printable(outcome.reason));
  const Outcome* weaker = refuted_by(outcome, checked.outcomes);
  if (weaker != nullptr) return fmt::format("{} is violated, since {} is", level, info(weaker->level).name);
  if (const Story* story = story_of(checked.stories, outcome.level))
    return fmt::format("{} is violated: {}", level, evidence::info(story->counterexample.anomaly).title);
  if (outcome.bad_reads.empty()) return fmt::format("{} is violated", level);
  return fmt::format("{} is violated: {}", level, sentence(checked.history, outcome.bad_reads.front()));
}

std::size_t count(const Checked& checked, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(checked.outcomes.begin(), checked.outcomes.end(),
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

std::string junit(const Checked& checked) {
  const std::string suite = xml(printable(checked.history.path()));
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.6f}\"",
                  checked.outcomes.size(), count(checked, Verdict::violated),
                  count(checked, Verdict::undecided), checked.read_seconds + checked.check_seconds);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\" {}>\n  <testsuite name=\"{}\" "
      "{}>\n",
      counts, suite, counts);
  for (const Outcome& outcome : checked.outcomes) {
    out += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"", suite,
                       info(outcome.level).name, seconds_of(outcome));
    const std::string said = xml(message(checked, outcome));
    switch (outcome.verdict) {
      case Verdict::holds:
        out += "/>\n";
        break;
      case Verdict::violated:
        out += fmt::format(
            ">\n      <failure type=\"violated\" message=\"{}\">{}</failure>\n    </testcase>\n", said,
            xml(explanation(checked.history, outcome, story_of(checked.stories, outcome.level))));
        break;
      case Verdict::undecided:
        out += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", said);
        break;
    }
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string annotations(const Checked& checked) {
  std::string out;
  for (const Outcome& outcome : checked.outcomes) {
    if (outcome.verdict == Verdict::holds) continue;
    const bool violated = outcome.verdict == Verdict::violated;
    std::string body = message(checked, outcome);
    if (violated && refuted_by(outcome, checked.outcomes) == nullptr)
      body += "\n" + explanation(checked.history, outcome, story_of(checked.stories, outcome.level));
    const std::string title =
        fmt::format("{} {}", info(outcome.level).name, violated ? "is violated" : "is undecided");
    out += fmt::format("::{} file={},title={}::{}\n", violated ? "error" : "warning",
                       command_property(printable(checked.history.path())), command_property(title),
                       command_data(body));
  }
  return out;
}

}  // namespace assay::report
