// Every verdict comes with a certificate that the verifier accepts, every counterexample is a violation of
// its own and would be none without any one of its transactions, and no changed certificate gets a false
// verdict accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "check/check.hpp"
#include "check/implied.hpp"
#include "evidence/certificate.hpp"
#include "evidence/counterexample.hpp"
#include "history/sub_history.hpp"
#include "support/judge/brute_force.hpp"
#include "support/judge/replay.hpp"
#include "support/neutral.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_history.hpp"
#include "support/tampering.hpp"
#include "system/input_error.hpp"
#include "verify/verify.hpp"

namespace assay::evidence {
namespace {

using check::Outcome;
using check::Verdict;

struct Tally {
  std::uint64_t held = 0, violated = 0, undecided = 0;
};

History part_of(const History& h, Level level, const std::vector<Txn>& set) {
  return sub_history(h, set,
                     implies(level, Level::prefix) ? ListPart::of_members : ListPart::if_source_is_member)
      .history;
}

// What is wrong with the evidence of this verdict; empty if nothing.
std::string fault(const History& h, const Outcome& outcome, const check::Options& options) {
  if (outcome.verdict == Verdict::undecided) return "";
  const Reading reading{.session_order = options.sessions == check::SessionOrder::keep,
                        .drift = options.clock_drift.value_or(std::chrono::nanoseconds(0))};
  Counterexample found;
  const bool violated = outcome.verdict == Verdict::violated;
  if (violated) {
    found = find_counterexample(h, outcome, options);
    if (!found.minimal) return "not minimal";
    if (brute_force(part_of(h, outcome.level, found.transactions), outcome.level, reading)) {
      return "the counterexample is none";
    }
    for (std::size_t i = 0; i < found.transactions.size(); ++i) {
      std::vector<Txn> rest = found.transactions;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      const History part = part_of(h, outcome.level, rest);
      // Who shows a read that nothing explains may show other contradictions beside it.
      const bool told = found.bad_reads.empty()
                            ? !brute_force(part, outcome.level, reading)
                            : !check::check(part, std::array{outcome.level}, options)[0].bad_reads.empty();
      if (told) return "the counterexample can do without one of its transactions";
    }
  }
  const auto text = certificate(h, outcome, violated ? &found : nullptr, options);
  if (!text) return "no certificate";
  const verify::Verification verification = verify::verify(*text, "test", h);
  if (!verification.accepted) return "the certificate is rejected: " + verification.reason + "\n" + *text;
  if (verification.claim.holds == violated || verification.claim.level != outcome.level)
    return "the certificate says something else";
  return "";
}

check::Options random_options(Rng& rng) {
  check::Options options;
  options.sessions = rng.chance(0.2) ? check::SessionOrder::ignore : check::SessionOrder::keep;
  options.clock_drift = std::chrono::nanoseconds(rng.chance(0.5) ? 0 : 1);
  return options;
}

// With every level asked at once: what one comes to serves the others.
Outcome outcome_among_all(const History& h, Level level, const check::Options& options) {
  std::vector<Level> all;
  for (const LevelInfo& each : levels()) all.push_back(each.level);
  std::vector<Outcome> outcomes = check::check(h, all, options);
  return std::move(*std::find_if(outcomes.begin(), outcomes.end(),
                                 [&](const Outcome& outcome) { return outcome.level == level; }));
}

void prove_all(const Shape& shape, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  std::map<Level, Tally> tally;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    const check::Options options = random_options(rng);
    const bool together = rng.chance(0.5);
    for (const LevelInfo& level : levels()) {
      const auto outcome_of = [&](const History& g) {
        return together ? outcome_among_all(g, level.level, options)
                        : std::move(check::check(g, std::array{level.level}, options)[0]);
      };
      const auto wrong = [&](const History& g) { return fault(g, outcome_of(g), options); };
      const Outcome outcome = outcome_of(h);
      Tally& seen = tally[level.level];
      ++(outcome.verdict == Verdict::holds      ? seen.held
         : outcome.verdict == Verdict::violated ? seen.violated
                                                : seen.undecided);
      if (fault(h, outcome, options).empty()) continue;
      const History small = shrink(h, [&](const History& g) { return !wrong(g).empty(); });
      FAIL() << "seed " << seed + i << ", " << level.name
             << (options.sessions == check::SessionOrder::keep ? "" : ", sessions ignored") << "\n"
             << drawing(small) << "\n"
             << wrong(small);
    }
  }
  for (const auto& [level, seen] : tally) {
    std::printf("%s: %llu hold, %llu violated, %llu undecided\n", std::string(info(level).name).c_str(),
                static_cast<unsigned long long>(seen.held), static_cast<unsigned long long>(seen.violated),
                static_cast<unsigned long long>(seen.undecided));
  }
}

TEST(EvidenceRandom, ProvesEveryVerdictOnRegisters) {
  Shape shape;
  shape.times = true;
  prove_all(shape, random_cases(300));
}

TEST(EvidenceRandom, ProvesEveryVerdictOnEverything) {
  Shape shape = shape_with_everything();
  shape.times = true;
  prove_all(shape, random_cases(300));
}

TEST(EvidenceRandom, ProvesEveryVerdictOnLists) {
  Shape shape = shape_of_lists();
  shape.times = true;
  prove_all(shape, random_cases(300));
}

TEST(EvidenceRandom, ProvesEveryVerdictOnManyCandidates) {
  Shape shape = shape_with_everything();
  shape.duplicates = 0.6;
  shape.unknown = 0.3;
  shape.times = true;
  prove_all(shape, random_cases(100));
}

// A verdict as a verdict on each level that it settles.
TEST(EvidenceRandom, AVerdictProvesWhatItImplies) {
  Shape shape = shape_with_everything();
  shape.duplicates = 0.5;
  shape.times = true;
  const std::uint64_t seed = random_seed();
  std::uint64_t held = 0, violated = 0;
  for (std::uint64_t i = 0; i < random_cases(150); ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    const check::Options options = random_options(rng);
    const check::Reads reads = check::resolve_reads(h);
    for (const LevelInfo& decided : levels()) {
      const Outcome outcome = std::move(check::check(h, std::array{decided.level}, options)[0]);
      for (const LevelInfo& level : levels()) {
        if (!check::settles(outcome, level.level)) continue;
        ++(outcome.verdict == Verdict::holds ? held : violated);
        const Outcome implied = check::implied(h, reads, outcome, level.level);
        ASSERT_EQ(fault(h, implied, options), "")
            << "seed " << seed + i << ", " << level.name << " by " << decided.name << "\n"
            << drawing(h);
      }
    }
  }
  EXPECT_GT(held, 0U);
  EXPECT_GT(violated, 0U);
}

TEST(EvidenceRandom, ProvesEveryVerdictOnLongSessions) {
  Shape shape;
  shape.max_transactions = 9;
  shape.max_sessions = 3;
  shape.max_operations = 3;
  shape.times = true;
  prove_all(shape, random_cases(100));
}

TEST(EvidenceRandom, ProvesEveryVerdictOnThePublicHistories) {
  for (const char* folder : {"made", "random"}) {
    const std::vector<Label> labels = labels_of(folder);
    if (labels.empty()) GTEST_SKIP() << "no public histories here";
    for (const Label& label : labels) {
      const std::string path = shared_histories() + "/" + label.path;
      if (!label.path.ends_with(".jsonl")) continue;
      const History h = read_neutral(path);
      const std::array<Level, 1> asked{label.level};
      const check::Options options;
      const Outcome outcome = std::move(check::check(h, asked, options)[0]);
      EXPECT_EQ(outcome.verdict, label.satisfies ? Verdict::holds : Verdict::violated) << label.path;
      EXPECT_EQ(fault(h, outcome, options), "") << label.path << " " << info(label.level).name;
    }
  }
}

// --- somebody changes a certificate ---

bool accepted(const std::string& text, const History& h) {
  try {
    return verify::verify(text, "test", h).accepted;
  } catch (const InputError&) {
    return false;
  }
}

// Whoever changes a certificate and repairs its sum can at best make another true statement.
void tamper(const Shape& shape, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  std::uint64_t rejected = 0, still_true = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const History h = random_history(rng, shape);
    const check::Options options = random_options(rng);
    const Level level = levels()[rng.below(kLevels)].level;
    const std::array<Level, 1> asked{level};
    const Outcome outcome = std::move(check::check(h, asked, options)[0]);
    if (outcome.verdict == Verdict::undecided) continue;
    Counterexample found;
    if (outcome.verdict == Verdict::violated) found = find_counterexample(h, outcome, options);
    const auto text = certificate(h, outcome, &found, options);
    if (!text) continue;
    const std::string body = body_of(*text);
    for (int tries = 0; tries < 30; ++tries) {
      std::string other = tampered(rng, body);
      if (rng.chance(0.3)) other = tampered(rng, other);
      if (other == body) continue;
      ASSERT_FALSE(accepted(other + text->substr(body.size()), h)) << "without a new sum";
      const std::string signed_again = with_end(other);
      if (!accepted(signed_again, h)) {
        ++rejected;
        continue;
      }
      ++still_true;
      const verify::Claim claim = verify::verify(signed_again, "test", h).claim;
      const bool holds =
          brute_force(h, claim.level, {.session_order = claim.keep_sessions, .drift = claim.clock_drift});
      ASSERT_EQ(claim.holds, holds) << "seed " << seed + i << "\n" << drawing(h) << "\n" << signed_again;
    }
  }
  std::printf("%llu changed certificates rejected, %llu still true\n",
              static_cast<unsigned long long>(rejected), static_cast<unsigned long long>(still_true));
  if (cases >= 50) {
    EXPECT_GT(rejected, still_true);
  }
}

TEST(EvidenceRandom, AChangedCertificateProvesNothingFalse) {
  Shape shape;
  shape.times = true;
  tamper(shape, random_cases(200));
  Shape everything = shape_with_everything();
  everything.times = true;
  tamper(everything, random_cases(200));
  Shape lists = shape_of_lists();
  lists.times = true;
  tamper(lists, random_cases(200));
}

}  // namespace
}  // namespace assay::evidence
