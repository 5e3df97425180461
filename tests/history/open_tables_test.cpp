// Tables that others may write unseen: what is no evidence there goes, and nobody is accused of what the unseen did.
#include "history/open_tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "check/check.hpp"
#include "evidence/certificate.hpp"
#include "evidence/counterexample.hpp"
#include "format/format.hpp"
#include "support/judge/brute_force_queries.hpp"
#include "support/random/random_queries.hpp"
#include "verify/verify.hpp"

namespace assay {
namespace {

using check::Verdict;

History read(const std::string& text) {
  return format::read_history({"test", false, {{"test", text}}}, {}, "jsonl");
}

Verdict verdict(const History& h, Level level) {
  const std::array<Level, 1> asked{level};
  return check::check(h, asked)[0].verdict;
}

const std::string kHeader = R"({"assay":"history","version":1,"open":["t:"]})"
                            "\n";

History one_transaction(const std::string& operations) {
  return read(kHeader + R"({"s":1,"t":1,"status":"ok","ops":[)" + operations + "]}\n" +
              R"({"assay":"end","transactions":1})" + "\n");
}

TEST(OpenTables, WhatNobodyWroteIsNoEvidenceThere) {
  const History open = one_transaction(R"(["r","t:1",7],["r","t:1",null],["r","t:1",[1]])");
  EXPECT_EQ(open.operations(), 0U);
  EXPECT_EQ(open.notes().size(), 1U);
  EXPECT_EQ(verdict(open, Level::serializable), Verdict::holds);
  EXPECT_EQ(verdict(one_transaction(R"(["r","u:1",7])"), Level::serializable), Verdict::violated);
}

TEST(OpenTables, WhatSomebodyWroteIs) {
  const History h = one_transaction(R"(["w","t:1",1],["w","t:1",2],["r","t:1",1])");
  EXPECT_EQ(h.operations(), 3U);
  EXPECT_EQ(verdict(h, Level::read_committed), Verdict::violated);
}

TEST(OpenTables, OfAQueryThatMayMissSomethingThereOnlyTheRowsCount) {
  const auto kind = [](const std::string& query) {
    const History h = one_transaction(query);
    return h.kind(Op{0});
  };
  for (const char* query : {R"(["predicate","t:* where a = 1",[]])", R"(["predicate","a = 1",[]])",
                            R"(["predicate","* where a = 1",[]])", R"(["predicate","t:1* where a = 1",[]])",
                            R"(["range",null,null,[]])", R"(["range","a","t:1",[]])",
                            R"(["range","t:5","z",[]])", R"(["predicate","no such language",[["t:1",null]]])",
                            R"(["predicate",{"is":1},[["t:1",null]]])", R"(["rows",[["t:1",5]]])"}) {
    EXPECT_EQ(kind(query), OpKind::rows_read) << query;
  }
  for (const char* query : {R"(["predicate","u:* where a = 1",[]])", R"(["predicate","key > 3",[]])",
                            R"(["predicate",{"is":1},[]])"}) {
    EXPECT_EQ(kind(query), OpKind::predicate_read) << query;
  }
  for (const char* query : {R"(["range","u","v",[]])", R"(["range",1,9,[]])", R"(["range","a","b",[]])",
                            R"(["range",1,null,[]])"}) {
    EXPECT_EQ(kind(query), OpKind::range_read) << query;
  }
  // A row from before the first transaction was there; one that nobody wrote says nothing.
  const History h = one_transaction(R"(["rows",[["t:1",5],["t:2",null],["u:1",null]]])");
  EXPECT_EQ(h.query(Op{0}).results.size(), 2U);
}

std::string fault_in_certificate(const History& h, Level level) {
  const std::array<Level, 1> asked{level};
  const check::Outcome outcome = std::move(check::check(h, asked)[0]);
  evidence::Counterexample found;
  const bool violated = outcome.verdict == Verdict::violated;
  if (violated) found = evidence::find_counterexample(h, outcome, {});
  const auto text = evidence::certificate(h, outcome, violated ? &found : nullptr, {});
  return text ? verify::verify(*text, "test", h).reason : "no certificate";
}

// The whole run, with those that nobody sees, decides: if it satisfies the level, what is seen must.
TEST(OpenTables, NobodyIsAccusedOfWhatTheUnseenDid) {
  const std::uint64_t seed = random_seed();
  const std::array<std::string, 1> open{"t:"};
  std::uint64_t hidden = 0, holds = 0, violated = 0;
  for (std::uint64_t i = 0; i < random_cases(1500); ++i) {
    Rng rng(seed + i);
    QueryDraft draft = random_query_draft(rng, 4);
    if (!draft.named) continue;
    QueryDraft seen = draft;
    // Keys 1 and 2 are in the open table. A version is of one transaction: what the unseen write nobody else does.
    std::set<std::pair<std::int64_t, QueryDraft::Value>> unseen;
    std::erase_if(seen.transactions, [&](const QueryDraft::Transaction& t) {
      const auto is_there = [](const auto& op) { return !writes(op.kind) || op.key < 3; };
      if (!std::all_of(t.operations.begin(), t.operations.end(), is_there) || rng.chance(0.6)) return false;
      for (const auto& op : t.operations) {
        if (writes(op.kind) && op.value) unseen.emplace(op.key, op.value);
      }
      return true;
    });
    const bool repeated = std::any_of(seen.transactions.begin(), seen.transactions.end(), [&](const auto& t) {
      return std::any_of(t.operations.begin(), t.operations.end(), [&](const auto& op) {
        return writes(op.kind) && unseen.contains({op.key, op.value});
      });
    });
    if (repeated) continue;
    hidden += draft.transactions.size() - seen.transactions.size();
    const History whole = draft.build(), left = without_unseen(seen.build(), open);
    for (const LevelInfo& level : levels()) {
      if (level.real_time) continue;
      const Verdict found = verdict(left, level.level);
      ASSERT_EQ(found == Verdict::holds, brute_force_with_queries(left, level.level))
          << "seed " << seed + i << ", " << level.name << "\n"
          << seen.text();
      ASSERT_EQ(fault_in_certificate(left, level.level), "") << "seed " << seed + i << "\n" << seen.text();
      ++(found == Verdict::holds ? holds : violated);
      if (found == Verdict::holds) continue;
      ASSERT_FALSE(brute_force_with_queries(whole, level.level))
          << "seed " << seed + i << ", " << level.name << "\n"
          << draft.text() << "seen:\n"
          << seen.text();
    }
  }
  EXPECT_GT(hidden, 0U);
  EXPECT_GT(holds, 0U);
  EXPECT_GT(violated, 0U);
}

}  // namespace
}  // namespace assay
