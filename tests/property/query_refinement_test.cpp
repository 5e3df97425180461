// Queries by refinement against the expansion, which makes each query a read of every key that it asks for: two
// ways to one verdict. Every step of the ladder has to refine now and then, with few rows and few candidates
// at a time, and every verdict proves itself.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "check/check.hpp"
#include "check/expand.hpp"
#include "check/fates.hpp"
#include "check/strong/query/query_plan.hpp"
#include "check/strong/strong.hpp"
#include "support/judge/brute_force_queries.hpp"
#include "support/judge/replay.hpp"
#include "support/random/random_ladder.hpp"
#include "support/random/random_queries.hpp"

namespace assay::check {
namespace {

Outcome by_refinement(const History& h, Level level, const Options& options, const Ladder& ladder) {
  Limits limits;
  const QueryPlan plan(h);
  return decide_fates(
      h, resolve_reads(h, {}, QueryReads::returned_rows),
      [&](const Reads& reads) { return decide_strong(h, reads, level, options, limits, ladder, &plan); },
      QueryReads::returned_rows);
}

Outcome by_expansion(const History& h, Level level, const Options& options) {
  const Expanded expanded = expand_queries(h, NotReturned::is_read);
  const std::array<Level, 1> levels{level};
  return std::move(check(expanded.history, levels, options)[0]);
}

std::string fault(const QueryDraft& draft, Level level, const Options& options, const Ladder& ladder) {
  const History h = draft.build();
  const Outcome refined = by_refinement(h, level, options, ladder);
  const Outcome expanded = by_expansion(h, level, options);
  if (refined.verdict != expanded.verdict) {
    return refined.verdict == Verdict::holds ? "only refinement holds" : "only the expansion holds";
  }
  if (refined.verdict == Verdict::violated) {
    return refined.bad_reads.empty() && refined.core.empty() ? "nothing is blamed" : "";
  }
  const auto wrong = replay(h, level, options.sessions == SessionOrder::keep,
                            options.clock_drift.value_or(std::chrono::nanoseconds(0)), refined.order);
  return wrong ? "the order does not replay: " + *wrong : "";
}

void compare(std::uint32_t most_transactions, std::uint64_t cases, bool times) {
  const std::uint64_t seed = random_seed();
  std::array<std::uint64_t, 2> seen{};
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    QueryDraft draft = random_query_draft(rng, most_transactions);
    // Of whom nothing is known, reads of rows do not tell whether they count; check() sees to that.
    for (QueryDraft::Transaction& t : draft.transactions) {
      if (t.status == Status::unknown) t.status = Status::committed;
    }
    if (times) draw_times(rng, draft);
    Options options;
    options.sessions = rng.chance(0.8) ? SessionOrder::keep : SessionOrder::ignore;
    options.clock_drift = std::chrono::nanoseconds(rng.below(2));
    for (const Level level : {Level::prefix, Level::snapshot_isolation, Level::serializable,
                              Level::strong_snapshot_isolation, Level::strict_serializable}) {
      if (info(level).real_time && !times) continue;
      const Ladder ladder = random_ladder(rng);
      const auto fails = [&](const QueryDraft& d) { return !fault(d, level, options, ladder).empty(); };
      ++seen[by_expansion(draft.build(), level, options).verdict == Verdict::holds ? 1 : 0];
      if (!fails(draft)) continue;
      const QueryDraft small = shrink(draft, fails);
      FAIL() << "seed " << seed + i << ", " << info(level).name << "\n"
             << small.text() << fault(small, level, options, ladder);
    }
  }
  EXPECT_GT(seen[0], cases / 4);
  EXPECT_GT(seen[1], cases / 4);
}

TEST(QueryRefinement, AgreesWithTheExpansion) {
  compare(5, random_cases(1500), false);
}

TEST(QueryRefinement, AgreesWithTheExpansionInRealTime) {
  compare(5, random_cases(1500), true);
}

TEST(QueryRefinement, AgreesWithTheExpansionOnMoreTransactions) {
  compare(12, random_cases(300), false);
}

}  // namespace
}  // namespace assay::check
