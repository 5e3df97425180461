// The database as a machine against SQLite itself: what several connections saw, statement by statement, is
// what the redo of their log gives; one after the other, and from threads that take their numbers as
// docs/audit.md, Lemma C says.
#include "audit/object/database.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <shared_mutex>
#include <thread>

#include "audit/wire/contents.hpp"
#include "audit/wire/results.hpp"
#include "support/program.hpp"
#include "support/random/random_history.hpp"

namespace assay::audit::testing {
namespace {

struct Done {
  std::uint64_t seq = 0;
  std::uint64_t rid = 0;
  wire::OperationType type = wire::OperationType::sql_statement;
  std::string sql;
  std::string result;  // encoded
  bool busy = false;
};

// A connection as an application has it, with nothing of the auditor's.
class Plain {
 public:
  explicit Plain(const std::string& file) {
    // One thread uses it: a lock of its own would only be one more to reason about.
    EXPECT_EQ(sqlite3_open_v2(file.c_str(), &db_,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr),
              SQLITE_OK);
    sqlite3_exec(db_, "PRAGMA synchronous=OFF", nullptr, nullptr, nullptr);
    sqlite3_extended_result_codes(db_, 1);
  }
  ~Plain() { sqlite3_close(db_); }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  sqlite3* handle() { return db_; }
  int state() { return sqlite3_txn_state(db_, "main"); }

  // SQLite looks for a new schema when a statement runs; until then it may refuse to compile because of an
  // index that is gone. The machine's connections know it at once, and so the recorder's do.
  void forget_schema() {
    if (state() == SQLITE_TXN_READ) return;
    sqlite3_exec(db_, "PRAGMA writable_schema = RESET", nullptr, nullptr, nullptr);
  }

  // The result of a statement that was compiled with this code; steps it to its end.
  std::string finish(
      sqlite3_stmt* statement, int code, std::size_t consumed,
      const std::function<void()>& after_first_step = [] {}) {
    wire::SqlResult result;
    std::vector<std::string> owned;
    bool first = true;
    const int total = sqlite3_total_changes(db_);
    while (statement != nullptr && code != SQLITE_DONE) {
      code = sqlite3_step(statement);
      if (first) after_first_step();
      first = false;
      if (code != SQLITE_ROW) break;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) owned.push_back(cell(statement, i));
    }
    const bool good = code == SQLITE_OK || code == SQLITE_DONE;
    const std::string message = good ? "" : sqlite3_errmsg(db_);
    result.code = good ? 0 : static_cast<std::uint64_t>(code);
    result.message = message;
    result.consumed = consumed;
    result.changes = sqlite3_total_changes(db_) > total ? sqlite3_changes(db_) : 0;
    result.last_rowid = sqlite3_last_insert_rowid(db_);
    for (int i = 0; good && i < sqlite3_column_count(statement); ++i) {
      const char* declared = sqlite3_column_decltype(statement, i);
      result.columns.push_back({sqlite3_column_name(statement, i), declared == nullptr ? "" : declared});
    }
    std::string bytes = wire::encode(result);
    for (const std::string& value : owned) {
      if (good) bytes += value;
    }
    sqlite3_finalize(statement);
    code_ = code;
    return bytes;
  }
  int code() const { return code_; }

 private:
  static std::string cell(sqlite3_stmt* statement, int i) {
    wire::SqlValue value;
    value.type = wire::SqlType::null;
    const int type = sqlite3_column_type(statement, i);
    if (type == SQLITE_INTEGER) {
      value.type = wire::SqlType::integer;
      value.integer = sqlite3_column_int64(statement, i);
    } else if (type == SQLITE_TEXT) {
      value.type = wire::SqlType::text;
      value.bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
    }
    std::string bytes;
    wire::put_sql_value(bytes, value);
    return bytes;
  }

  sqlite3* db_ = nullptr;
  int code_ = 0;
};

std::string random_statement(Rng& rng) {
  const auto n = [&](std::uint32_t below) { return rng.below(below); };
  switch (n(36)) {
    case 0:
      return "BEGIN";
    case 1:
      return "BEGIN IMMEDIATE";
    case 2:
    case 3:
      return "COMMIT";
    case 4:
      return "ROLLBACK";
    case 5:
      return fmt::format("SAVEPOINT s{}", n(2));
    case 6:
      return fmt::format("RELEASE s{}", n(2));
    case 7:
      return fmt::format("ROLLBACK TO s{}", n(2));
    case 8:
      return fmt::format("INSERT INTO t (k, v) VALUES ({}, 'v{}')", n(8), n(100));
    case 9:
      return fmt::format("INSERT OR REPLACE INTO t (k, v) VALUES ({}, 'r{}')", n(8), n(100));
    case 10:
      return fmt::format("INSERT OR IGNORE INTO t (k, v) VALUES ({}, 'i{}')", n(8), n(100));
    case 11:
      return fmt::format("INSERT INTO a (n) VALUES ({})", n(100));
    case 12:
      return fmt::format("UPDATE t SET v = v || '{}' WHERE k > {}", n(10), n(8));
    case 13:
      return fmt::format("UPDATE a SET n = {} WHERE n < {}", n(6), n(100));  // n is UNIQUE
    case 14:
      return fmt::format("DELETE FROM t WHERE k = {}", n(8));
    case 15:
      return fmt::format("CREATE TABLE x{} (p, q)", n(2));
    case 16:
      return fmt::format("DROP TABLE x{}", n(2));
    case 17:
      return fmt::format("INSERT INTO x{} VALUES ({}, 'q')", n(2), n(5));
    case 18:
      return fmt::format("SELECT * FROM x{}", n(2));
    case 19:
      return "SELECT * FROM t";
    case 20:
      return "SELECT count(*), max(id), sum(n) FROM a";
    case 21:
      return "SELECT a.id, t.v FROM a JOIN t ON a.n % 8 = t.k";
    case 22:
      return "SELECT total_changes(), last_insert_rowid()";
    case 23:
      return fmt::format("CREATE INDEX IF NOT EXISTS i{} ON t (v)", n(2));
    case 24:
      return "INSERT INTO a (n) SELECT k + 200 FROM t";
    case 25:
      return fmt::format("PRAGMA user_version = {}", n(5));
    // Changes that may find nothing to do
    case 26:
      return fmt::format("CREATE TABLE IF NOT EXISTS x{} (p, q)", n(2));
    case 27:
      return fmt::format("DROP TABLE IF EXISTS x{}", n(2));
    case 28:
      return fmt::format("DROP INDEX IF EXISTS i{}", n(2));
    case 29:
      return fmt::format("CREATE INDEX i{} ON t (v)", n(2));
    case 30:
      return "CREATE TRIGGER IF NOT EXISTS log AFTER UPDATE ON a BEGIN UPDATE t SET v = 'log' WHERE k = 1; "
             "END";
    case 31:
      return "DROP TRIGGER IF EXISTS log";
    // Changes that give their transaction up
    case 32:
      return fmt::format("INSERT OR ROLLBACK INTO a (n) VALUES ({})", n(6));
    case 33:
      return fmt::format("INSERT INTO t (k, v) VALUES ({}, 'never')", 990 + n(10));
    case 34:
      return fmt::format("INSERT OR FAIL INTO a (n) VALUES ({}), ({}), ({})", n(100), n(6), n(100));
    default:
      return "INSERT INTO a (n) SELECT max(n) + 1 FROM a RETURNING id, n";
  }
}

void make_schema(const std::string& file) {
  Plain db(file);
  ASSERT_EQ(
      sqlite3_exec(db.handle(),
                   "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
                   "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT);"
                   "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER UNIQUE);"
                   "CREATE TRIGGER tr AFTER DELETE ON t BEGIN INSERT INTO a (n) VALUES (old.k + 500); END;"
                   "CREATE TRIGGER never BEFORE INSERT ON t WHEN new.k >= 990 BEGIN SELECT RAISE(ROLLBACK, "
                   "'never'); END;"
                   "INSERT INTO t VALUES (1, 'one'), (2, 'two'); INSERT INTO a (n) VALUES (1)",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
}

bool is_busy(int code) {
  return (code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_LOCKED;
}

std::string readable(const std::string& bytes) {
  wire::Cursor in(bytes);
  const wire::SqlResult result = wire::decode_sql_result(in);
  std::string text = fmt::format("code {} '{}' consumed {} changes {} rowid {}:", result.code, result.message,
                                 result.consumed, result.changes, result.last_rowid);
  for (const wire::SqlValue& cell : result.cells) {
    text +=
        cell.type == wire::SqlType::text ? fmt::format(" {}", cell.bytes) : fmt::format(" {}", cell.integer);
  }
  return text;
}

// Performs the log and says where it differs, or nothing.
// Redoes a log; now and then, if there are cuts, what was done so far is saved and another machine goes on.
class Redoing {
 public:
  Redoing(const assay::testing::TemporaryFolder& folder, Rng* cuts) : folder_(folder), cuts_(cuts) {}

  // What was different, if anything.
  std::string compare(const std::vector<Done>& log) {
    std::string context;
    for (const Done& done : log) {
      if (cuts_ != nullptr && cuts_->chance(0.1)) {
        go_on();
        context += "-- cut\n";
      }
      context += fmt::format("{}: rid {} {} {}\n", done.seq, done.rid, done.sql, done.busy ? "(busy)" : "");
      std::string& contents = contents_.emplace_back(wire::sql_statement(1, done.sql, {}));
      if (done.busy) {
        machine_->skip({done.rid, done.type, contents});
        continue;
      }
      if (done.type == wire::OperationType::sql_open)
        contents = wire::sql_open(1, wire::OpenMode::read_write);
      if (done.type == wire::OperationType::sql_close) contents = wire::sql_close(1);
      std::string result;
      const Step step = machine_->step({done.rid, done.type, contents}, result);
      if (step.kind != Step::Kind::done)
        return context + "saw  " + readable(done.result) + "\nredo " + step.why;
      if (done.type == wire::OperationType::sql_statement && result != done.result) {
        return context + "saw  " + readable(done.result) + "\nredo " + readable(result);
      }
    }
    return "";
  }

 private:
  void go_on() {
    const std::filesystem::path files = folder_ / fmt::format("saved-{}", ++saved_);
    std::string& state = contents_.emplace_back();
    ASSERT_EQ(machine_->save(state, files), std::nullopt);
    wire::Cursor in(state);
    machine_ = std::make_unique<Database>(folder_ / fmt::format("redo-{}.sqlite", saved_), in, files);
    EXPECT_TRUE(in.finished());
  }

  const assay::testing::TemporaryFolder& folder_;
  Rng* cuts_;
  int saved_ = 0;
  std::deque<std::string> contents_;  // they outlive the machine
  std::unique_ptr<Database> machine_ =
      std::make_unique<Database>(folder_ / "redo.sqlite", folder_ / "initial.sqlite");
};

TEST(AuditDatabase, RedoGivesWhatThreeConnectionsSaw) {
  const std::uint64_t seed = random_seed();
  std::uint64_t errors = 0, busy = 0, statements = 0;
  for (std::uint64_t round = 0; round < random_cases(60); ++round) {
    Rng rng(seed + round);
    assay::testing::TemporaryFolder folder;
    make_schema(folder.file("initial.sqlite"));
    std::filesystem::copy_file(folder / "initial.sqlite", folder / "online.sqlite");
    std::vector<Done> log;
    struct Client {
      std::unique_ptr<Plain> connection;
      std::uint64_t rid = 0;
    };
    std::vector<Client> clients(3);
    std::uint64_t rids = 0;
    for (std::uint64_t i = 0; i < 120; ++i) {
      Client& client = clients[rng.below(3)];
      if (!client.connection) {
        client.connection = std::make_unique<Plain>(folder.file("online.sqlite"));
        client.rid = ++rids;
        log.push_back({i, client.rid, wire::OperationType::sql_open, {}, {}, false});
        continue;
      }
      if (rng.chance(0.04)) {  // a later client gets a connection that remembers nothing
        client.connection.reset();
        log.push_back({i, client.rid, wire::OperationType::sql_close, {}, {}, false});
        continue;
      }
      Done done{i, client.rid, wire::OperationType::sql_statement, random_statement(rng), {}, false};
      client.connection->forget_schema();
      sqlite3_stmt* statement = nullptr;
      const int code =
          sqlite3_prepare_v2(client.connection->handle(), done.sql.c_str(), -1, &statement, nullptr);
      done.result = client.connection->finish(statement, code, done.sql.size());
      done.busy = is_busy(client.connection->code());
      busy += done.busy ? 1 : 0;
      errors += client.connection->code() != SQLITE_DONE && !done.busy ? 1 : 0;
      ++statements;
      log.push_back(std::move(done));
    }
    ASSERT_EQ(Redoing(folder, nullptr).compare(log), "") << "seed " << seed + round;
    std::filesystem::remove(folder / "redo.sqlite");
    ASSERT_EQ(Redoing(folder, &rng).compare(log), "") << "with cuts, seed " << seed + round;
  }
  EXPECT_GT(errors, statements / 50);
  EXPECT_GT(busy, statements / 100);
}

// ---- Threads

// Takes numbers as Lemma C says.
class RecordingThread {
 public:
  struct Shared {
    std::shared_mutex order;
    std::atomic<std::uint64_t> counter = 0;
    std::atomic<std::uint64_t> schemas = 0;
  };

  // `patience`: how often it tries again to get the write lock.
  RecordingThread(Shared& shared, const std::string& file, std::uint64_t rid, int patience)
      : shared_(shared), connection_(file), rid_(rid), patience_(patience) {
    sqlite3_commit_hook(connection_.handle(), on_commit, this);
    sqlite3_busy_handler(connection_.handle(), on_busy, this);
    log_.push_back({next(), rid, wire::OperationType::sql_open, {}, {}, false});
  }

  void run(const std::string& sql) {
    Done done{0, rid_, wire::OperationType::sql_statement, sql, {}, false};
    const bool defines = sql.starts_with("CREATE") || sql.starts_with("DROP");
    const bool ends = sql.starts_with("COMMIT") || sql == "ROLLBACK";
    const bool controls =
        ends || sql.starts_with("BEGIN") || sql.starts_with("RELEASE") || sql.starts_with("ROLLBACK");
    committed_ = number_ = 0;
    defines_ = defines_ || defines;
    sqlite3_stmt* statement = nullptr;
    const int compiled = compile(sql, statement);
    if (compiled == SQLITE_OK && controls) unlock();
    if (compiled == SQLITE_OK && (ends || connection_.state() == SQLITE_TXN_WRITE)) {
      number_ = next();
    } else if (!controls) {
      sqlite3_progress_handler(connection_.handle(), 1, on_progress, this);
    }
    done.result = connection_.finish(statement, compiled, sql.size(), [&] { certain(); });
    certain();
    if (sqlite3_get_autocommit(connection_.handle()) != 0) defines_ = false;
    done.seq = committed_ != 0 ? committed_ : number_;
    if (committed_ != 0) shared_.order.unlock();
    done.busy = is_busy(connection_.code());
    log_.push_back(std::move(done));
  }
  void close() { log_.push_back({next(), rid_, wire::OperationType::sql_close, {}, {}, false}); }
  const std::vector<Done>& log() const { return log_; }

 private:
  std::uint64_t next() { return ++shared_.counter; }
  void lock() {
    shared_.order.lock_shared();
    holds_ = true;
  }
  void unlock() {
    if (holds_) shared_.order.unlock_shared();
    holds_ = false;
  }

  int compile(const std::string& sql, sqlite3_stmt*& statement) {
    lock();
    if (known_schemas_ != shared_.schemas && connection_.state() != SQLITE_TXN_READ) {
      connection_.forget_schema();
      known_schemas_ = shared_.schemas;
    }
    return sqlite3_prepare_v2(connection_.handle(), sql.c_str(), -1, &statement, nullptr);
  }
  // The place of the statement that runs is certain now, if it was not before.
  void certain() {
    if (number_ == 0) number_ = next();
    unlock();
    sqlite3_progress_handler(connection_.handle(), 0, nullptr, nullptr);
  }

  static int on_commit(void* self) {
    auto& thread = *static_cast<RecordingThread*>(self);
    thread.unlock();
    thread.shared_.order.lock();
    if (thread.defines_) ++thread.shared_.schemas;
    thread.committed_ = thread.next();
    return 0;
  }
  static int on_progress(void* self) {
    auto& thread = *static_cast<RecordingThread*>(self);
    if (thread.connection_.state() == SQLITE_TXN_WRITE) thread.certain();
    return 0;
  }
  static int on_busy(void* self, int times) {
    auto& thread = *static_cast<RecordingThread*>(self);
    if (times >= thread.patience_) return 0;
    const bool held = thread.holds_;
    thread.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (held) thread.lock();
    return 1;
  }

  Shared& shared_;
  Plain connection_;
  std::uint64_t rid_;
  int patience_;
  bool holds_ = false, defines_ = false;
  std::uint64_t known_schemas_ = 0;
  std::uint64_t committed_ = 0, number_ = 0;
  std::vector<Done> log_;
};

TEST(AuditDatabase, RedoGivesWhatThreadsSawInTheOrderOfTheirNumbers) {
  const std::uint64_t seed = random_seed();
  for (std::uint64_t round = 0; round < random_cases(10); ++round) {
    assay::testing::TemporaryFolder folder;
    make_schema(folder.file("initial.sqlite"));
    std::filesystem::copy_file(folder / "initial.sqlite", folder / "online.sqlite");
    RecordingThread::Shared shared;
    std::vector<std::unique_ptr<RecordingThread>> recorders;
    for (std::uint64_t rid = 1; rid <= 3; ++rid) {
      recorders.push_back(
          std::make_unique<RecordingThread>(shared, folder.file("online.sqlite"), rid, rid == 1 ? 0 : 40));
    }
    std::vector<std::thread> threads;
    for (auto& recorder : recorders) {
      threads.emplace_back([&, index = threads.size()] {
        Rng rng(seed + 10 * round + index);
        for (int i = 0; i < 100; ++i) recorder->run(random_statement(rng));
        recorder->close();
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<Done> log;
    for (const auto& recorder : recorders)
      log.insert(log.end(), recorder->log().begin(), recorder->log().end());
    std::sort(log.begin(), log.end(), [](const Done& a, const Done& b) { return a.seq < b.seq; });
    ASSERT_EQ(Redoing(folder, nullptr).compare(log), "") << "seed " << seed << " round " << round;
  }
}

}  // namespace
}  // namespace assay::audit::testing
