// Schedules and workloads on real databases: the table must be the one that their manuals promise.
#include "matrix/matrix.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>

#include "database/server/start.hpp"
#include "matrix/table.hpp"
#include "support/program.hpp"

namespace assay::matrix {
namespace {

using check::Verdict;

Matrix matrix_of(const database::TargetOptions& address) {
  const testing::TemporaryFolder folder;
  MatrixOptions options;
  options.recorded_by = "a test";
  options.folder = folder.path();
  options.patience = std::chrono::milliseconds(150);
  database::Target target(address);
  std::atomic<bool> stop = false;
  return make_matrix(target, options, stop);
}

Matrix matrix_of_memory(const std::string& level) {
  return matrix_of({"memory:" + level, std::nullopt, {}});
}

const Cell& cell_of(const Matrix& matrix, std::string_view row, std::string_view mode) {
  for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
    for (std::size_t c = 0; c < matrix.modes.size(); ++c) {
      if (matrix.rows[r].name == row && matrix.modes[c].called == mode) return matrix.cells[r][c];
    }
  }
  ADD_FAILURE() << "no cell " << row << " at " << mode;
  static const Cell none;
  return none;
}

// By column, the rows that were seen. Everything must have run and been decided.
std::map<std::string, std::set<std::string>> seen_in(const Matrix& matrix) {
  std::map<std::string, std::set<std::string>> seen;
  for (std::size_t c = 0; c < matrix.modes.size(); ++c) {
    std::set<std::string>& column = seen[std::string(matrix.modes[c].called)];
    for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
      const Cell& cell = matrix.cells[r][c];
      const std::string place = matrix.rows[r].name + " at " + std::string(matrix.modes[c].called);
      EXPECT_NE(cell.finding, Finding::not_run) << place;
      EXPECT_NE(cell.finding, Finding::undecided) << place;
      EXPECT_NE(cell.finding, Finding::other) << place << ": " << anomalies_told(cell);
      if (cell.finding == Finding::seen) column.insert(matrix.rows[r].name);
    }
  }
  return seen;
}

using Rows = std::set<std::string>;

Rows with(Rows rows, const Rows& more) {
  rows.insert(more.begin(), more.end());
  return rows;
}

const Rows kBelowSerializable{"write-skew", "read-only-transaction", "predicate-write-skew"};
const Rows kBelowSnapshots = with(kBelowSerializable, {"lost-update", "write-after-stale-read"});
// InnoDB's own writes go to the newest rows, whatever the transaction's snapshot is.
const Rows kWritesBesideTheSnapshot{"read-after-own-update", "delete-of-what-is-gone"};
const Rows kReadCommitted =
    with(with(kBelowSnapshots, kWritesBesideTheSnapshot),
         {"non-repeatable-read", "read-skew", "phantom", "predicate-many-preceders", "long-fork"});
const Rows kReadUncommitted =
    with(kReadCommitted,
         {"aborted-read", "intermediate-read", "circular-information-flow", "observed-transaction-vanishes"});

TEST(Matrix, OfPostgresIsWhatItsManualPromisesButForARowSeenTwice) {
  if (const auto missing = database::missing_for_server("postgres")) GTEST_SKIP() << *missing;
  const Matrix matrix = matrix_of({std::nullopt, "postgres", {}});
  auto seen = seen_in(matrix);
  EXPECT_EQ(seen["READ COMMITTED"], kReadCommitted);
  EXPECT_EQ(seen["REPEATABLE READ"], with(kBelowSerializable, {"duplicate-row"}));
  EXPECT_EQ(seen["SERIALIZABLE"], Rows{});
  EXPECT_FALSE(matrix.keeps_promises());
  EXPECT_EQ(promise_told(matrix, 0), "kept");
  EXPECT_EQ(promise_told(matrix, 1), "broken: duplicate row");
  EXPECT_EQ(promise_told(matrix, 2), "kept");
  EXPECT_EQ(cell_of(matrix, "lost-update", "REPEATABLE READ").finding, Finding::error);
  EXPECT_EQ(cell_of(matrix, "dirty-write", "READ COMMITTED").finding, Finding::blocked);
  EXPECT_EQ(cell_of(matrix, "read-skew", "REPEATABLE READ").finding, Finding::prevented);
}

TEST(Matrix, OfMariadbIsWhatItsManualPromisesButForReadsThatItsOwnWritesChange) {
  if (const auto missing = database::missing_for_server("mariadb")) GTEST_SKIP() << *missing;
  const Matrix matrix = matrix_of({std::nullopt, "mariadb", {}});
  auto seen = seen_in(matrix);
  EXPECT_EQ(seen["READ UNCOMMITTED"], kReadUncommitted);
  EXPECT_EQ(seen["READ COMMITTED"], kReadCommitted);
  EXPECT_EQ(seen["REPEATABLE READ"], with(kBelowSnapshots, kWritesBesideTheSnapshot));
  EXPECT_EQ(seen["SERIALIZABLE"], Rows{});
  const std::string snapshots = "REPEATABLE READ with innodb_snapshot_isolation";
  if (seen.count(snapshots) != 0) {
    EXPECT_EQ(seen[snapshots], kBelowSerializable);
  }
  for (std::size_t column = 0; column < matrix.modes.size(); ++column) {
    if (!matrix.modes[column].promised) continue;
    EXPECT_EQ(promise_told(matrix, column), matrix.modes[column].called == "REPEATABLE READ"
                                                ? "broken: read after an own update, delete finds nothing"
                                                : "kept")
        << matrix.modes[column].called;
  }
  EXPECT_EQ(cell_of(matrix, "aborted-read", "SERIALIZABLE").finding, Finding::blocked);
}

TEST(Matrix, OfSqliteHasNoAnomaly) {
  const Matrix matrix = matrix_of({});
  for (const auto& [mode, rows] : seen_in(matrix)) EXPECT_EQ(rows, Rows{}) << mode;
  EXPECT_TRUE(matrix.keeps_promises());
}

TEST(Matrix, OfAStoreThatKeepsALevelBreaksNoPromise) {
  for (const std::string level : {"read-committed", "read-atomic", "causal", "prefix", "snapshot-isolation",
                                  "serializable", "strict-serializable"}) {
    const Matrix matrix = matrix_of_memory(level);
    EXPECT_TRUE(matrix.keeps_promises()) << level << ": " << promise_told(matrix, 0);
    EXPECT_TRUE(matrix.is_decided()) << level;
  }
}

TEST(Matrix, FindsWhatAStoreLetsThrough) {
  for (const std::string fault : {"lost-update", "write-skew", "read-skew", "dirty-write", "phantom"}) {
    const Matrix matrix = matrix_of_memory("serializable?fault=" + fault);
    EXPECT_EQ(cell_of(matrix, fault, "serializable").finding, Finding::seen) << fault;
    EXPECT_FALSE(matrix.keeps_promises()) << fault;
  }
}

TEST(Matrix, RandomWorkloadsFindWhatASchedulesLevelAllows) {
  const testing::TemporaryFolder folder;
  MatrixOptions options;
  options.recorded_by = "a test";
  options.folder = folder.path();
  options.random = std::chrono::minutes(1);
  options.random_transactions = 2000;
  database::Target target({"memory:read-committed", std::nullopt, {}});
  std::atomic<bool> stop = false;
  const Matrix matrix = make_matrix(target, options, stop);
  const Cell& cell = cell_of(matrix, "random-list-append", "read-committed");
  EXPECT_EQ(cell.finding, Finding::seen);
  EXPECT_FALSE(cell.anomalies.empty());
  EXPECT_EQ(cell.promise, Verdict::holds);
}

TEST(Matrix, EveryScheduleEndsAllItsTransactions) {
  std::set<std::string_view> names;
  for (const Schedule& schedule : schedules()) {
    EXPECT_TRUE(names.insert(schedule.name).second) << schedule.name;
    std::set<std::uint32_t> open;
    for (const Step& step : schedule.steps) {
      EXPECT_GE(step.session, 1U) << schedule.name;
      if (step.act == Act::commit || step.act == Act::abort) {
        EXPECT_EQ(open.erase(step.session), 1U) << schedule.name << ": ends nothing";
      } else {
        open.insert(step.session);
      }
    }
    EXPECT_TRUE(open.empty()) << schedule.name;
  }
}

}  // namespace
}  // namespace assay::matrix
