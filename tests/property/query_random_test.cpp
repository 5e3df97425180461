// Range and predicate reads: the checker against the brute force at every level, each verdict with a
// certificate that the verifier accepts, and the levels against each other.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "evidence/certificate.hpp"
#include "evidence/counterexample.hpp"
#include "support/judge/brute_force_queries.hpp"
#include "support/judge/replay.hpp"
#include "support/random/random_queries.hpp"
#include "support/tampering.hpp"
#include "verify/verify.hpp"

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

std::optional<std::string> certificate_of(const History& h, const Outcome& outcome) {
  const check::Options options;
  evidence::Counterexample found;
  const bool violated = outcome.verdict == Verdict::violated;
  if (violated) found = evidence::find_counterexample(h, outcome, options);
  return evidence::certificate(h, outcome, violated ? &found : nullptr, options);
}

std::string fault_in_evidence(const History& h, const Outcome& outcome) {
  const bool violated = outcome.verdict == Verdict::violated;
  const auto text = certificate_of(h, outcome);
  if (!text) return "no certificate";
  const verify::Verification verification = verify::verify(*text, "test", h);
  if (!verification.accepted) return "the certificate is rejected: " + verification.reason + "\n" + *text;
  return verification.claim.holds == violated ? "the certificate says something else" : "";
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

// What a learned predicate returned is the least that it can mean, and to mean more only forbids more: so to know no
// more than that decides whether there is a meaning with which the level holds.
TEST(QueryRandom, WhatAPredicateReturnedIsMeaningEnough) {
  const std::uint64_t seed = random_seed();
  std::array<std::uint64_t, 2> seen{};
  for (std::uint64_t i = 0; i < random_cases(150); ++i) {
    Rng rng(seed + i);
    const QueryDraft draft = random_query_draft(rng, 3, 1.0);
    const History h = draft.build();
    for (const Level level : levels_without_time()) {
      const bool holds = brute_force_with_some_meaning(h, level);
      ++seen[holds ? 1 : 0];
      ASSERT_EQ(brute_force_with_queries(h, level), holds) << "seed " << seed + i << "\n" << draft.text();
      ASSERT_EQ(fault(h, level, true), "") << "seed " << seed + i << "\n" << draft.text();
    }
  }
  EXPECT_GT(seen[0], 0U);
  EXPECT_GT(seen[1], 0U);
}

// Whoever changes a certificate and repairs its sum can at best make another true statement.
TEST(QueryRandom, AChangedCertificateProvesNothingFalse) {
  const std::uint64_t seed = random_seed();
  const std::vector<Level> all = levels_without_time();
  std::uint64_t rejected = 0, still_true = 0;
  for (std::uint64_t i = 0; i < random_cases(200); ++i) {
    Rng rng(seed + i);
    const QueryDraft draft = random_query_draft(rng, 4);
    const History h = draft.build();
    const std::array<Level, 1> asked{all[rng.below(static_cast<std::uint32_t>(all.size()))]};
    const auto text = certificate_of(h, check::check(h, asked)[0]);
    ASSERT_TRUE(text);
    for (int tries = 0; tries < 30; ++tries) {
      const std::string other = with_end(tampered(rng, body_of(*text)));
      const verify::Verification found = verify::verify(other, "test", h);
      const verify::Claim& claim = found.claim;
      if (!claim.keep_sessions || info(claim.level).real_time) continue;
      ++(found.accepted ? still_true : rejected);
      if (!found.accepted) continue;
      ASSERT_EQ(claim.holds, brute_force_with_queries(h, claim.level)) << "seed " << seed + i << "\n"
                                                                       << draft.text() << other;
    }
  }
  EXPECT_GT(rejected, still_true);
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
