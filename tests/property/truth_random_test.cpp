// Every sentence that reports tell of a violation is so: of random violations of every level, over registers, lists
// and queries, with deletes, unknown fates and repeated values. ASSAY_RANDOM_CASES is how many violations of each
// level are told; as often what is said of a level that holds is judged.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>
#include <map>

#include "evidence/examine.hpp"
#include "level/weakest.hpp"
#include "report/report.hpp"
#include "support/examined.hpp"
#include "support/judge/truth.hpp"
#include "support/random/random_history.hpp"
#include "support/random/random_queries.hpp"

namespace assay {
namespace {

using check::Verdict;

struct Violations {
  std::uint64_t told = 0, believed = 0;
  std::map<std::string, std::uint64_t> names;
};

evidence::Examination examine_at(const History& h, Level level, const check::Options& options) {
  evidence::ExamineOptions asked;
  asked.check = options;
  return evidence::examine(borrowed(h), std::array{level}, asked);
}

// What is wrong with what is told, and with the name; empty if nothing.
std::string fault(const evidence::Examination& found) {
  const std::vector<std::string> wrong = untrue(found);
  if (!wrong.empty()) return wrong.front();
  const evidence::Explanation& why = found.explanations.front();
  const Anomaly anomaly = why.counterexample.anomaly;
  if (anomaly == Anomaly::unnamed_cycle) return "a cycle without a name";
  if (!implies_any(why.level, info(anomaly).forbidden_by))
    return std::string(info(anomaly).name) + " is nothing that the level forbids";
  return "";
}

check::Options random_options(Rng& rng) {
  check::Options options;
  options.sessions = rng.chance(0.2) ? check::SessionOrder::ignore : check::SessionOrder::keep;
  options.clock_drift = std::chrono::nanoseconds(0);
  return options;
}

// Draws histories until so many violations of each level were told; a level that is hardly ever violated by them
// ends the search.
void tell_all(const std::function<std::pair<History, std::string>(Rng&)>& make, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  std::map<Level, Violations> seen;
  for (std::uint64_t i = 0; i < 40 * cases; ++i) {
    Rng rng(seed + i);
    const auto [h, drawn] = make(rng);
    const check::Options options = random_options(rng);
    bool enough = true;
    for (const LevelInfo& level : levels()) {
      Violations& all = seen[level.level];
      if (all.told >= cases || (level.real_time && !h.has_times())) continue;
      enough = false;
      const evidence::Examination found = examine_at(h, level.level, options);
      if (found.explanations.empty()) {
        if (++all.believed > cases) continue;
        ASSERT_EQ(untrue(found), std::vector<std::string>{})
            << "seed " << seed + i << ", " << level.name << "\n"
            << drawn;
        continue;
      }
      ++all.told;
      ++all.names[std::string(info(found.explanations[0].counterexample.anomaly).name)];
      const std::string wrong = fault(found);
      ASSERT_EQ(wrong, "") << "seed " << seed + i << ", " << level.name
                           << (options.sessions == check::SessionOrder::keep ? "" : ", sessions ignored")
                           << "\n"
                           << drawn << "\n"
                           << report::text(found, {});
    }
    if (enough) break;
  }
  for (const auto& [level, all] : seen) {
    std::printf("%s: %llu told:", std::string(info(level).name).c_str(),
                static_cast<unsigned long long>(all.told));
    for (const auto& [name, count] : all.names)
      std::printf(" %s %llu", name.c_str(), static_cast<unsigned long long>(count));
    std::printf("\n");
  }
}

void tell_all(const Shape& shape, std::uint64_t cases) {
  tell_all(
      [&](Rng& rng) {
        History h = random_history(rng, shape);
        std::string drawn = drawing(h);
        return std::pair(std::move(h), std::move(drawn));
      },
      cases);
}

TEST(TruthRandom, OfRegisters) {
  Shape shape;
  shape.times = true;
  tell_all(shape, random_cases(60));
}

TEST(TruthRandom, OfEverything) {
  tell_all(shape_with_everything(), random_cases(60));
}

TEST(TruthRandom, OfRepeatedValues) {
  Shape shape = shape_with_everything();
  shape.duplicates = 0.5;
  shape.erases = 0.2;
  tell_all(shape, random_cases(30));
}

TEST(TruthRandom, OfLists) {
  tell_all(shape_of_lists(), random_cases(60));
}

TEST(TruthRandom, OfQueries) {
  tell_all(
      [](Rng& rng) {
        const QueryDraft draft = random_query_draft(rng, 5);
        return std::pair(draft.build(), draft.text());
      },
      random_cases(60));
}

}  // namespace
}  // namespace assay
