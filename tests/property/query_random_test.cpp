// Range and predicate reads: the checker against the brute force at every level, each verdict with a
// certificate that the verifier accepts, and the levels against each other.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "evidence/certificate.hpp"
#include "evidence/counterexample.hpp"
#include "evidence/verify.hpp"
#include "support/brute_force_queries.hpp"
#include "support/random_queries.hpp"

namespace assay {
namespace {

using check::Outcome;
using check::Verdict;

std::vector<Level> levels_without_time() {
  std::vector<Level> found;
  for (const LevelInfo& level : levels()) {
    if (!level.real_time) found.push_back(level.level);
  }
  return found;
}

std::string fault_in_evidence(const History& h, const Outcome& outcome) {
  const check::Options options;
  evidence::Counterexample found;
  const bool violated = outcome.verdict == Verdict::violated;
  if (violated) found = evidence::find_counterexample(h, outcome, options);
  const auto text = evidence::certificate(h, outcome, violated ? &found : nullptr, options);
  if (!text) return "no certificate";
  const evidence::Verification verification = evidence::verify(*text, "test", h);
  if (!verification.accepted) return "the certificate is rejected: " + verification.reason + "\n" + *text;
  return verification.holds == violated ? "the certificate says something else" : "";
}

// What is wrong with the answer at this level; empty if nothing.
std::string fault(const History& h, Level level, bool evidence) {
  const std::array<Level, 1> asked{level};
  const Outcome outcome = std::move(check::check(h, asked)[0]);
  const bool expected = brute_force_with_queries(h, level);
  const std::string where = std::string(info(level).name) + ": ";
  if (outcome.verdict == Verdict::undecided) return where + "undecided: " + outcome.reason;
  if ((outcome.verdict == Verdict::holds) != expected) {
    return where + (expected ? "should hold" : "should be violated");
  }
  const std::string wrong = evidence ? fault_in_evidence(h, outcome) : "";
  return wrong.empty() ? "" : where + wrong;
}

void compare(std::uint32_t most_transactions, std::uint64_t cases, bool evidence) {
  const std::uint64_t seed = random_seed();
  std::array<std::uint64_t, 2> seen{};
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const QueryDraft draft = random_query_draft(rng, most_transactions);
    for (const Level level : levels_without_time()) {
      const auto fails = [&](const QueryDraft& d) { return !fault(d.build(), level, evidence).empty(); };
      ++seen[brute_force_with_queries(draft.build(), level) ? 1 : 0];
      if (!fails(draft)) continue;
      const QueryDraft small = shrink(draft, fails);
      FAIL() << "seed " << seed + i << "\n" << small.text() << fault(small.build(), level, evidence);
    }
  }
  // A generator of histories that all hold, or all do not, would compare nothing.
  EXPECT_GT(seen[0], cases / 4);
  EXPECT_GT(seen[1], cases / 4);
}

TEST(QueryRandom, AgreesWithBruteForce) {
  compare(4, random_cases(3000), false);
}

TEST(QueryRandom, AgreesWithBruteForceOnFiveTransactions) {
  compare(5, random_cases(500), false);
}

TEST(QueryRandom, ProvesEveryVerdict) {
  compare(4, random_cases(300), true);
}

TEST(QueryRandom, SecondOpinionsAgree) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(300); ++i) {
    Rng rng(seed + i);
    const QueryDraft draft = random_query_draft(rng, 5);
    const std::array<Level, 3> strong{Level::prefix, Level::snapshot_isolation, Level::serializable};
    for (const check::Method method : {check::Method::width, check::Method::sat}) {
      check::Options options;
      options.method = method;
      const std::vector<Outcome> second = check::check(draft.build(), strong, options);
      const std::vector<Outcome> first = check::check(draft.build(), strong);
      for (std::size_t level = 0; level < strong.size(); ++level) {
        if (second[level].verdict == Verdict::undecided) continue;
        ASSERT_EQ(second[level].verdict, first[level].verdict)
            << "seed " << seed + i << ", " << info(strong[level]).name << "\n"
            << draft.text();
      }
    }
  }
}

TEST(QueryRandom, AHistoryThatSatisfiesALevelSatisfiesAllThatItImplies) {
  const std::uint64_t seed = random_seed();
  const std::vector<Level> all = levels_without_time();
  for (std::uint64_t i = 0; i < random_cases(500); ++i) {
    Rng rng(seed + i);
    const QueryDraft draft = random_query_draft(rng, 7);
    const std::vector<Outcome> outcomes = check::check(draft.build(), all);
    for (const Outcome& strong : outcomes) {
      for (const Outcome& weak : outcomes) {
        if (strong.verdict != Verdict::holds || !implies(strong.level, weak.level)) continue;
        ASSERT_EQ(weak.verdict, Verdict::holds) << "seed " << seed + i << ": " << info(strong.level).name
                                                << " holds, " << info(weak.level).name << " does not\n"
                                                << draft.text();
      }
    }
  }
}

}  // namespace
}  // namespace assay
