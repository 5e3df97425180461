// Every history with a known verdict, in its own format, through the readers and all checkers.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "format/format.hpp"
#include "support/judge/replay.hpp"
#include "support/neutral.hpp"

namespace assay::check {
namespace {

// Its values repeat, so a read may have several writers; the label takes 17 reads for reads of the reader's
// own later write, although others wrote the same values. Assay finds an order for each level, and it
// replays.
constexpr std::string_view kDoubtful = "veristrong/history/fig5/twitter-1k";

void compare(const std::string& file, format::FailedStatements failed_statements) {
  if (!std::filesystem::exists(shared_histories())) GTEST_SKIP() << "no ../shared/histories";
  std::map<std::string, std::vector<Label>> by_path;
  for (const Label& label : labels_in(file)) {
    if (label.path != kDoubtful) by_path[label.path].push_back(label);
  }
  ASSERT_FALSE(by_path.empty());
  format::ReadOptions options;
  options.failed_statements = failed_statements;
  for (const auto& [path, labels] : by_path) {
    const History history = format::read_history(shared_histories() + "/" + path, options);
    std::vector<Level> levels;
    for (const Label& label : labels) levels.push_back(label.level);
    const std::vector<Outcome> outcomes = check(history, levels);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Outcome& outcome = outcomes[i];
      EXPECT_EQ(outcome.verdict, labels[i].satisfies ? Verdict::holds : Verdict::violated)
          << path << " at " << info(labels[i].level).name << " " << outcome.reason;
      if (outcome.verdict == Verdict::holds && implies(outcome.level, Level::prefix)) {
        EXPECT_EQ(replay(history, outcome.level, true, {}, outcome.order), std::nullopt) << path;
      }
    }
  }
}

TEST(Labels, Agree) {
  compare("labels.csv", format::FailedStatements::drop);
}

TEST(Labels, AgreeWithPartlyFailedTransactionsOfUnknownFate) {
  compare("labels_partial_as_unknown.csv", format::FailedStatements::unknown);
}

// Two methods that share nothing with the engine but the resolved reads, where they finish.
TEST(Labels, SecondOpinionsAgree) {
  if (!std::filesystem::exists(shared_histories())) GTEST_SKIP() << "no ../shared/histories";
  format::ReadOptions options;
  options.failed_statements = format::FailedStatements::drop;
  std::uint32_t finished = 0;
  for (const Label& label : labels_in("labels.csv")) {
    if (!implies(label.level, Level::prefix) || label.path == kDoubtful) continue;
    if (!label.path.starts_with("made/neutral/") && !label.path.starts_with("random/neutral/") &&
        !label.path.starts_with("polysi/") && !label.path.starts_with("elle-cli/")) {
      continue;
    }
    const History history = format::read_history(shared_histories() + "/" + label.path, options);
    for (const Method method : {Method::width, Method::sat}) {
      Options asked;
      asked.method = method;
      asked.timeout_seconds = 1;
      const Outcome outcome = check(history, std::span(&label.level, 1), asked)[0];
      if (outcome.verdict == Verdict::undecided) continue;
      ++finished;
      EXPECT_EQ(outcome.verdict, label.satisfies ? Verdict::holds : Verdict::violated) << label.path;
    }
  }
  EXPECT_GT(finished, 1000U);
}

}  // namespace
}  // namespace assay::check
