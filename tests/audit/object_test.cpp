// The objects by themselves: what each operation answers, and what the auditor's copy of a database refuses.
#include <gtest/gtest.h>

#include "audit/object/database.hpp"
#include "audit/object/key_value.hpp"
#include "audit/object/lock_table.hpp"
#include "audit/object/session.hpp"
#include "audit/wire/contents.hpp"
#include "audit/wire/results.hpp"
#include "support/program.hpp"

namespace assay::audit::testing {
namespace {

using Type = wire::OperationType;
constexpr std::uint64_t kSecond = 1'000'000'000;

std::string ask(Machine& machine, Type type, const std::string& contents, std::uint64_t rid = 1) {
  std::string result;
  const Step step = machine.step({rid, type, contents}, result);
  EXPECT_EQ(step.kind, Step::Kind::done) << step.why;
  return result;
}

Step::Kind kind_of(Machine& machine, Type type, const std::string& contents, std::uint64_t rid = 1) {
  std::string result;
  return machine.step({rid, type, contents}, result).kind;
}

TEST(AuditSession, HoldsAValueOrNone) {
  Session session;
  EXPECT_EQ(ask(session, Type::register_read, ""), std::string(1, '\0'));
  ask(session, Type::register_write, "abc");
  EXPECT_EQ(ask(session, Type::register_read, ""),
            "\x01\x03"
            "abc");
  ask(session, Type::register_delete, "");
  EXPECT_EQ(ask(session, Type::register_read, ""), std::string(1, '\0'));
  EXPECT_EQ(kind_of(session, Type::register_read, "x"), Step::Kind::impossible);
}

class AuditKeyValue : public ::testing::Test {
 protected:
  std::string fetch(std::uint64_t clock, std::string_view key) {
    const std::string result = ask(table, Type::kv_fetch, wire::kv_keys(clock, {key}));
    wire::Cursor in(result);
    if (in.byte() == 0) return "-";
    const wire::KvValue value = wire::take_kv_value(in);
    return value.is_integer ? std::to_string(value.integer) : std::string(value.bytes);
  }
  void store(std::uint64_t clock, std::uint64_t ttl, std::string_view key, std::string_view value) {
    ask(table, Type::kv_store, wire::kv_entries(clock, ttl, {{key, {false, 0, value}}}));
  }
  KeyValueTable table;
};

TEST_F(AuditKeyValue, AnEntryDiesByTheClockOfWhoeverAsks) {
  store(100 * kSecond, 5, "k", "v");
  EXPECT_EQ(fetch(100 * kSecond, "k"), "v");
  EXPECT_EQ(fetch(105 * kSecond - 1, "k"), "v");
  EXPECT_EQ(fetch(105 * kSecond, "k"), "-");
  EXPECT_EQ(fetch(104 * kSecond, "k"), "v");  // looking has changed nothing
  store(100 * kSecond, 0, "k", "for ever");
  EXPECT_EQ(fetch(~std::uint64_t{0} - 1, "k"), "for ever");
}

TEST_F(AuditKeyValue, AddStoresOnlyWhatIsAbsentOrDead) {
  const auto add = [&](std::uint64_t clock, std::string_view value) {
    return ask(table, Type::kv_add, wire::kv_entries(clock, 1, {{"k", {false, 0, value}}})) == "\x01";
  };
  EXPECT_TRUE(add(0, "first"));
  EXPECT_FALSE(add(kSecond - 1, "second"));
  EXPECT_EQ(fetch(0, "k"), "first");
  EXPECT_TRUE(add(kSecond, "third"));
  EXPECT_EQ(fetch(kSecond, "k"), "third");
}

TEST_F(AuditKeyValue, IncreasesIntegersOnly) {
  const auto inc = [&](std::int64_t step) -> std::optional<std::int64_t> {
    const std::string result = ask(table, Type::kv_inc, wire::kv_inc(0, 0, "n", step));
    wire::Cursor in(result);
    if (in.byte() == 0) return std::nullopt;
    return in.integer();
  };
  EXPECT_EQ(inc(5), 5);  // absent: the step itself
  EXPECT_EQ(inc(-7), -2);
  EXPECT_EQ(inc(INT64_MIN), std::nullopt);
  EXPECT_EQ(fetch(0, "n"), "-2");
  store(0, 0, "n", "text");
  EXPECT_EQ(inc(1), std::nullopt);
  EXPECT_EQ(fetch(0, "n"), "text");
}

TEST_F(AuditKeyValue, SwapsDeletesAndClears) {
  ask(table, Type::kv_inc, wire::kv_inc(0, 0, "n", 1));
  EXPECT_EQ(ask(table, Type::kv_cas, wire::kv_cas(0, "n", 2, 3)), std::string(1, '\0'));
  EXPECT_EQ(ask(table, Type::kv_cas, wire::kv_cas(0, "n", 1, 3)), "\x01");
  EXPECT_EQ(fetch(0, "n"), "3");
  EXPECT_EQ(ask(table, Type::kv_exists, wire::kv_keys(0, {"n", "m"})), std::string("\x01\x00", 2));
  EXPECT_EQ(ask(table, Type::kv_delete, wire::kv_keys(0, {"n", "n"})), std::string("\x01\x00", 2));
  store(0, 0, "a", "1");
  ask(table, Type::kv_clear, "");
  EXPECT_EQ(fetch(0, "a"), "-");
  EXPECT_EQ(kind_of(table, Type::kv_fetch, "\x01"), Step::Kind::impossible);
}

TEST(AuditLocks, AreGrantedOnlyIfNobodyIsInTheWay) {
  LockTable locks;
  const auto take = [&](std::uint64_t rid, wire::LockMode mode) {
    return kind_of(locks, Type::lock_acquire, wire::lock_acquire("l", 1, mode, true), rid);
  };
  EXPECT_EQ(take(1, wire::LockMode::shared), Step::Kind::done);
  EXPECT_EQ(take(2, wire::LockMode::shared), Step::Kind::done);
  EXPECT_EQ(take(1, wire::LockMode::exclusive), Step::Kind::impossible);
  ask(locks, Type::lock_release, wire::lock_release("l", 1), 2);
  EXPECT_EQ(take(1, wire::LockMode::exclusive), Step::Kind::done);  // it had it shared
  EXPECT_EQ(take(2, wire::LockMode::shared), Step::Kind::impossible);
  locks.abandon(1);
  EXPECT_EQ(take(2, wire::LockMode::exclusive), Step::Kind::done);
}

class AuditSqlite : public ::testing::Test {
 protected:
  AuditSqlite() : database(folder / "copy.sqlite", std::nullopt, limits()) {
    ask(database, Type::sql_open, wire::sql_open(1, wire::OpenMode::read_write_create));
    run("CREATE TABLE t (k INTEGER PRIMARY KEY, v UNIQUE)");
  }
  static SqliteLimits limits() {
    SqliteLimits made;
    made.instructions = 2'000'000;
    made.result_bytes = 10'000;
    made.connections = 3;
    return made;
  }
  Step step(const std::string& sql, std::string& result, std::uint64_t rid = 1) {
    return database.step({rid, Type::sql_statement, wire::sql_statement(1, sql, {})}, result);
  }
  // The first cell, or the error.
  std::string run(const std::string& sql, std::uint64_t rid = 1) {
    std::string result;
    const Step done = step(sql, result, rid);
    EXPECT_EQ(done.kind, Step::Kind::done) << sql << ": " << done.why;
    wire::Cursor in(result);
    const wire::SqlResult decoded = wire::decode_sql_result(in);
    if (decoded.code != 0) return std::string(decoded.message);
    if (decoded.cells.empty()) return "";
    return decoded.cells[0].type == wire::SqlType::integer ? std::to_string(decoded.cells[0].integer)
                                                           : std::string(decoded.cells[0].bytes);
  }
  std::string why_unsupported(const std::string& sql) {
    std::string result;
    const Step done = step(sql, result);
    EXPECT_EQ(done.kind, Step::Kind::unsupported) << sql;
    return done.why;
  }

  assay::testing::TemporaryFolder folder;
  Database database;
};

TEST_F(AuditSqlite, ErrorsAreResults) {
  run("INSERT INTO t VALUES (1, 'a')");
  EXPECT_EQ(run("INSERT INTO t VALUES (2, 'a')"), "UNIQUE constraint failed: t.v");
  EXPECT_EQ(run("SELECT * FROM nowhere"), "no such table: nowhere");
  EXPECT_EQ(run("SELEC 1"), "near \"SELEC\": syntax error");
}

TEST_F(AuditSqlite, WhatDependsOnTimeOrChanceIsNotSupported) {
  EXPECT_EQ(why_unsupported("SELECT random()"), "depends on chance");
  EXPECT_EQ(why_unsupported("SELECT * FROM (SELECT 1) ORDER BY random()"), "depends on chance");
  EXPECT_EQ(why_unsupported("SELECT hex(randomblob(4))"), "depends on chance");
  EXPECT_EQ(why_unsupported("SELECT datetime('now')"), "depends on the clock");
  EXPECT_EQ(why_unsupported("SELECT CURRENT_TIMESTAMP"), "depends on the clock");
  run("CREATE TABLE d (a, at DEFAULT CURRENT_TIMESTAMP)");
  EXPECT_EQ(why_unsupported("INSERT INTO d (a) VALUES (1)"), "depends on the clock");
  EXPECT_EQ(run("SELECT datetime(86400, 'unixepoch')"), "1970-01-02 00:00:00");
}

TEST_F(AuditSqlite, WhatReachesOutsideIsNotSupported) {
  EXPECT_EQ(why_unsupported("ATTACH ':memory:' AS other"), "attaches another file");
  EXPECT_EQ(why_unsupported("VACUUM INTO 'elsewhere.sqlite'"), "attaches another file");
  EXPECT_EQ(why_unsupported("SELECT load_extension('x')"), "calls load_extension");
  EXPECT_EQ(why_unsupported("PRAGMA writable_schema = ON"), "uses PRAGMA writable_schema");
  EXPECT_EQ(why_unsupported("PRAGMA journal_mode = DELETE"), "uses PRAGMA journal_mode");
  EXPECT_EQ(why_unsupported("CREATE VIRTUAL TABLE x USING dbstat"), "uses the module dbstat");
}

TEST_F(AuditSqlite, LimitsAreNotResults) {
  EXPECT_NE(
      why_unsupported("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
          .find("steps"),
      std::string::npos);
  EXPECT_NE(why_unsupported(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000) SELECT i FROM n")
                .find("bytes"),
            std::string::npos);
  EXPECT_NE(why_unsupported("SELECT zeroblob(100000000)").find("limit"), std::string::npos);
  for (std::uint64_t rid = 2; rid <= 3; ++rid) {
    ask(database, Type::sql_open, wire::sql_open(1, wire::OpenMode::read_write), rid);
  }
  EXPECT_EQ(kind_of(database, Type::sql_open, wire::sql_open(1, wire::OpenMode::read_write), 4),
            Step::Kind::unsupported);
}

TEST_F(AuditSqlite, SettingsOfSpeedAreIgnoredAndThoseOfMeaningKept) {
  EXPECT_EQ(run("PRAGMA synchronous = FULL"), "");
  EXPECT_EQ(run("PRAGMA foreign_keys = ON"), "");
  EXPECT_EQ(run("PRAGMA foreign_keys"), "1");
  EXPECT_EQ(run("PRAGMA journal_mode"), "wal");
  // A connection with settings is not given to the next request.
  ask(database, Type::sql_close, wire::sql_close(1));
  ask(database, Type::sql_open, wire::sql_open(1, wire::OpenMode::read_write), 2);
  EXPECT_EQ(run("PRAGMA foreign_keys", 2), "0");
}

TEST_F(AuditSqlite, AConnectionRemembersNothingOfTheRequestBefore) {
  run("INSERT INTO t VALUES (7, 'x'), (8, 'y')");
  EXPECT_EQ(run("SELECT changes()"), "2");
  run("BEGIN");
  run("INSERT INTO t VALUES (9, 'z')");
  ask(database, Type::sql_close, wire::sql_close(1));
  ask(database, Type::sql_open, wire::sql_open(1, wire::OpenMode::read_write), 2);
  EXPECT_EQ(run("SELECT changes()", 2), "0");
  EXPECT_EQ(run("SELECT total_changes()", 2), "0");
  EXPECT_EQ(run("SELECT last_insert_rowid()", 2), "0");
  EXPECT_EQ(run("SELECT count(*) FROM t", 2), "2");
}

TEST_F(AuditSqlite, AStatementThatWouldHaveToWaitIsALie) {
  ask(database, Type::sql_open, wire::sql_open(1, wire::OpenMode::read_write), 2);
  run("BEGIN IMMEDIATE");
  std::string result;
  EXPECT_EQ(step("INSERT INTO t VALUES (1, 'a')", result, 2).kind, Step::Kind::impossible);
  database.abandon(1);
  EXPECT_EQ(run("INSERT INTO t VALUES (1, 'a')", 2), "");
  EXPECT_EQ(step("SELECT 1", result, 1).kind, Step::Kind::impossible);  // it has no connection any more
}

TEST_F(AuditSqlite, OnlyTheFirstStatementOfATextIsRun) {
  const std::string text = "INSERT INTO t VALUES (1, 'a'); INSERT INTO t VALUES (2, 'b')";
  std::string result;
  ASSERT_EQ(step(text, result).kind, Step::Kind::done);
  wire::Cursor in(result);
  const std::uint64_t consumed = wire::decode_sql_result(in).consumed;
  EXPECT_EQ(text.substr(consumed), " INSERT INTO t VALUES (2, 'b')");
  EXPECT_EQ(run("SELECT count(*) FROM t"), "1");
}

TEST_F(AuditSqlite, PreparingOnlyCompiles) {
  const auto prepare = [&](const std::string& sql) {
    const std::string result = ask(database, Type::sql_prepare, wire::sql_statement(1, sql, {}));
    wire::Cursor in(result);
    return wire::decode_sql_result(in).code;
  };
  EXPECT_EQ(prepare("DELETE FROM t"), 0U);
  EXPECT_EQ(prepare("DELETE FROM nowhere"), 1U);
}

}  // namespace
}  // namespace assay::audit::testing
