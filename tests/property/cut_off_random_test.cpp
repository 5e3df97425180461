// A recording that was cut off never accuses: whatever level the whole history keeps, its beginning does.
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <vector>

#include "check/check.hpp"
#include "format/assay/jsonl.hpp"
#include "format/cut_off.hpp"
#include "level/level.hpp"
#include "support/inputs.hpp"
#include "support/memory_input.hpp"
#include "support/program.hpp"
#include "support/random/random_history.hpp"
#include "support/random/random_queries.hpp"

namespace assay {
namespace {

using testing::OwnedInput;
using testing::slurp;
using testing::TemporaryFolder;

// The lines of several sessions in a random order, the first of them.
std::string cut(const History& history, Rng& rng) {
  const TemporaryFolder folder;
  format::write_jsonl(history, folder / "h");
  std::vector<std::string> lines;
  std::istringstream in(slurp(folder / "h"));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::vector<std::vector<std::string>> sessions(history.sessions());
  std::size_t next = 1;
  for (const Txn t : history.all_transactions())
    sessions[index(history.session_of(t))].push_back(lines.at(next++));
  std::string text = lines.front() + "\n";
  for (std::size_t left = rng.below(history.transactions() + 1); left > 0; --left) {
    std::size_t s = rng.below(history.sessions());
    while (sessions[s].empty()) s = (s + 1) % sessions.size();
    text += sessions[s].front() + "\n";
    sessions[s].erase(sessions[s].begin());
  }
  return text;
}

// A value that only what is missing writes a second time looks like one that does not repeat.
bool values_repeat(const History& history) {
  std::set<Version> written;
  for (const Txn t : history.all_transactions()) {
    for (const Op op : history.operations_of(t)) {
      if (writes(history.kind(op)) && !history.is_initial(history.version(op)) &&
          !written.insert(history.version(op)).second)
        return true;
    }
  }
  return false;
}

void expect_no_accusation(const History& whole, Rng& rng, std::size_t& kept) {
  const std::string text = cut(whole, rng);
  format::ReadOptions options;
  options.accept_truncated = true;
  if (values_repeat(whole)) return;
  const History beginning = format::read_jsonl(OwnedInput(text), options);
  for (const LevelInfo& level : levels()) {
    const Level one[] = {level.level};
    if (check::check(whole, one, {}).front().verdict != check::Verdict::holds) continue;
    ++kept;
    EXPECT_NE(check::check(beginning, one, {}).front().verdict, check::Verdict::violated)
        << level.name << "\n"
        << text;
  }
}

TEST(CutOffRandom, OfRegistersAndLists) {
  Rng rng(random_seed());
  std::size_t kept = 0;
  Shape everything = shape_with_everything();
  everything.duplicates = 0;
  for (std::uint64_t i = 0; i < random_cases(400); ++i) {
    expect_no_accusation(random_history(rng, i % 2 == 0 ? everything : shape_of_lists()), rng, kept);
  }
  EXPECT_GT(kept, random_cases(400));
}

TEST(CutOffRandom, OfQueries) {
  Rng rng(random_seed());
  std::size_t kept = 0;
  for (std::uint64_t i = 0; i < random_cases(400); ++i) {
    expect_no_accusation(random_query_draft(rng, 6).build(), rng, kept);
  }
  EXPECT_GT(kept, random_cases(400));
}

TEST(CutOff, WhatIsStillSeenAndWhatIsNot) {
  const auto verdict = [](const std::string& lines) {
    format::ReadOptions options;
    options.accept_truncated = true;
    const History h =
        format::read_jsonl(OwnedInput("{\"assay\":\"history\",\"version\":1}\n" + lines), options);
    const Level serializable[] = {Level::serializable};
    return check::check(h, serializable, {}).front().verdict;
  };
  const std::string write = "{\"s\":1,\"t\":1,\"status\":\"ok\",\"ops\":[[\"w\",\"x\",1],[\"w\",\"y\",1]]}\n";
  const std::string again = "{\"s\":1,\"t\":2,\"status\":\"ok\",\"ops\":[[\"w\",\"x\",2],[\"w\",\"y\",2]]}\n";
  const auto reads = [](const std::string& x, const std::string& y) {
    return "{\"s\":2,\"t\":1,\"status\":\"ok\",\"ops\":[[\"r\",\"x\"," + x + "],[\"r\",\"y\"," + y + "]]}\n";
  };
  EXPECT_EQ(verdict(write + again + reads("1", "2")), check::Verdict::violated);
  EXPECT_EQ(verdict(write + reads("1", "7")), check::Verdict::holds);     // somebody may have written 7
  EXPECT_EQ(verdict(write + reads("1", "null")), check::Verdict::holds);  // somebody may have deleted y
  EXPECT_EQ(verdict(write + write.substr(0, 5) + "3" + write.substr(6) + reads("1", "1")),
            check::Verdict::holds);
}

}  // namespace
}  // namespace assay
