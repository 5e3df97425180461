// The one table of anomalies: every row can be found, and what the generator plants agrees with it.
#include "level/anomaly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace assay {
namespace {

TEST(AnomalyTable, HasARowForEachInTheOrderOfTheEnum) {
  std::set<std::string_view> names;
  ASSERT_EQ(anomalies().size(), kAnomalies);
  for (std::size_t i = 0; i < kAnomalies; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(anomalies()[i].anomaly), i);
    EXPECT_TRUE(names.insert(anomalies()[i].name).second) << anomalies()[i].name;
    EXPECT_NE(anomalies()[i].consequence, "") << anomalies()[i].name;
  }
}

TEST(AnomalyTable, TextbookInstancesAreFoundByTheirNames) {
  for (const Anomaly anomaly : textbook_anomalies())
    EXPECT_EQ(find_textbook_anomaly(info(anomaly).textbook.name), anomaly) << info(anomaly).name;
  EXPECT_EQ(find_textbook_anomaly("causality"), Anomaly::causality_violation);
  EXPECT_EQ(find_textbook_anomaly("no-such-anomaly"), std::nullopt);
  EXPECT_EQ(find_textbook_anomaly("non-repeatable-read"), std::nullopt) << "has a name, and no instance";
  EXPECT_EQ(find_textbook_anomaly(""), std::nullopt) << "those without an instance have an empty name";
  const auto planted = textbook_anomalies();
  for (const AnomalyInfo& row : anomalies()) {
    EXPECT_EQ(std::find(planted.begin(), planted.end(), row.anomaly) != planted.end(),
              !row.textbook.name.empty())
        << row.name;
  }
}

// An instance breaks whatever forbids the anomaly in general, but for the levels that cannot see it: the
// session guarantees, which say nothing about how registers that nobody reads back were overwritten.
TEST(AnomalyTable, TextbookInstancesBreakWhatForbidsThem) {
  for (const Anomaly anomaly : textbook_anomalies()) {
    for (const Level level : levels_that_forbid(anomaly)) {
      if (anomaly == Anomaly::dirty_write && !implies(level, Level::read_committed)) continue;
      EXPECT_TRUE(textbook_breaks(anomaly, level)) << info(anomaly).name << " at " << info(level).name;
    }
  }
}

TEST(AnomalyTable, OnlyAStaleReadNeedsTimes) {
  for (const Anomaly anomaly : textbook_anomalies())
    EXPECT_EQ(needs_times(anomaly), anomaly == Anomaly::stale_read) << info(anomaly).name;
}

}  // namespace
}  // namespace assay
