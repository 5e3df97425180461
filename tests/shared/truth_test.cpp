// What reports tell of the public histories that violate a level, and of every textbook anomaly planted into a
// larger history, is so.
#include "support/judge/truth.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <set>

#include "evidence/examine.hpp"
#include "format/format.hpp"
#include "level/weakest.hpp"
#include "record/generate/generate.hpp"
#include "report/report.hpp"
#include "support/examined.hpp"
#include "support/neutral.hpp"

namespace assay {
namespace {

// The levels in turn, not all at once: each tells its own story. Returns how many violations were told.
std::size_t tell(const History& h, std::span<const Level> levels, const std::string& name) {
  std::size_t told = 0;
  for (const Level level : levels) {
    const auto found = evidence::examine(borrowed(h), std::array{level}, {});
    if (found.explanations.empty()) continue;
    ++told;
    const Anomaly anomaly = found.explanations[0].counterexample.anomaly;
    EXPECT_NE(anomaly, Anomaly::unnamed_cycle) << name << " at " << info(level).name;
    EXPECT_TRUE(anomaly == Anomaly::unnamed_cycle || implies_any(level, info(anomaly).forbidden_by))
        << name << " at " << info(level).name << ": " << info(anomaly).name;
    EXPECT_EQ(untrue(found), std::vector<std::string>{}) << name << " at " << info(level).name;
  }
  return told;
}

TEST(TruthOfShared, EverythingTold) {
  if (!std::filesystem::exists(shared_histories())) GTEST_SKIP() << "no ../shared/histories";
  constexpr std::uint32_t kMostTransactions = 4000;
  std::set<std::string> paths;
  for (const Label& label : labels_in("labels.csv")) paths.insert(label.path);
  format::ReadOptions options;
  options.failed_statements = format::FailedStatements::drop;
  const std::vector<Level> asked{Level::read_committed,
                                 Level::read_atomic,
                                 Level::causal,
                                 Level::prefix,
                                 Level::snapshot_isolation,
                                 Level::serializable,
                                 Level::strict_serializable};
  std::size_t told = 0;
  for (const std::string& path : paths) {
    const History h = format::read_history(shared_histories() + "/" + path, options);
    if (h.transactions() > kMostTransactions) continue;
    told += tell(h, asked, path);
  }
  std::printf("%zu violations told\n", told);
  EXPECT_GT(told, 500U);
}

TEST(TruthOfGallery, ADuplicateRow) {
  const History h = format::read_history(ASSAY_SOURCE_DIR "/docs/gallery/postgres-duplicate-row.jsonl", {});
  const auto found = evidence::examine(borrowed(h), std::array{Level::snapshot_isolation}, {});
  ASSERT_EQ(found.explanations.size(), 1U);
  EXPECT_EQ(found.explanations[0].counterexample.anomaly, Anomaly::duplicate_row);
  EXPECT_EQ(tell(h, std::array{Level::snapshot_isolation}, "postgres-duplicate-row"), 1U);
}

TEST(TruthOfGallery, ReadsThatOwnWritesChange) {
  const History h =
      format::read_history(ASSAY_SOURCE_DIR "/docs/gallery/mariadb-non-repeatable-read.jsonl", {});
  const auto found = evidence::examine(borrowed(h), std::array{Level::repeatable_read}, {});
  ASSERT_EQ(found.explanations.size(), 1U);
  EXPECT_EQ(found.explanations[0].counterexample.anomaly, Anomaly::non_repeatable_read);
  EXPECT_EQ(tell(h, std::array{Level::repeatable_read}, "mariadb-non-repeatable-read"), 1U);
}

// What scripts/gallery lets happen in Assay's own store, over registers and lists.
struct Fault {
  Anomaly anomaly;
  Level kept;   // but for the fault
  Level asked;  // that the fault breaks
};
const Fault kGallery[] = {
    {Anomaly::lost_update, Level::snapshot_isolation, Level::snapshot_isolation},
    {Anomaly::write_skew, Level::serializable, Level::serializable},
    {Anomaly::long_fork, Level::snapshot_isolation, Level::snapshot_isolation},
    {Anomaly::read_skew, Level::snapshot_isolation, Level::read_atomic},
    {Anomaly::fractured_read, Level::read_atomic, Level::read_atomic},
    {Anomaly::causality_violation, Level::causal, Level::causal},
    {Anomaly::stale_read, Level::strict_serializable, Level::strict_serializable},
    {Anomaly::aborted_read, Level::serializable, Level::serializable},
    {Anomaly::intermediate_read, Level::read_committed, Level::read_committed},
    {Anomaly::dirty_write, Level::read_committed, Level::read_committed},
    {Anomaly::phantom, Level::serializable, Level::serializable},
};

TEST(TruthOfGallery, EverythingTold) {
  std::size_t told = 0;
  for (const Fault& fault : kGallery) {
    for (const auto model :
         {record::GenerateOptions::Model::registers, record::GenerateOptions::Model::lists}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        record::GenerateOptions options;
        options.transactions = 400;
        options.keys = 10;
        options.min_operations = 2;
        options.max_operations = 4;
        options.model = model;
        options.fault = fault.anomaly;
        options.level = fault.kept;
        options.seed = seed;
        if (model == record::GenerateOptions::Model::registers) {
          options.deletes = 0.1;
          if (fault.anomaly == Anomaly::phantom) options.ranges = 0.5;
        } else if (fault.anomaly == Anomaly::phantom) {
          continue;
        }
        const record::Generated made = record::generate(options);
        told += tell(made.history, std::array{fault.asked}, std::string(info(fault.anomaly).name));
      }
    }
  }
  std::printf("%zu violations told\n", told);
  EXPECT_GT(told, 30U);
}

}  // namespace
}  // namespace assay
