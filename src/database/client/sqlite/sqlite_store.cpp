// SQLite: one file in WAL mode, one connection per session. A transaction begins deferred: its first read
// fixes a snapshot, and its first write succeeds only if that snapshot is still the newest (SQLITE_BUSY
// otherwise). Update transactions therefore stand at their commit and readers at their snapshot, both between
// begin and end: strictly serializable. After a transaction that failed so, the session's next one takes the
// write lock when it begins: the writers would otherwise mostly abort each other. With begin=immediate all
// do.
#include <fmt/format.h>
#include <sqlite3.h>

#include "database/mark.hpp"
#include "database/product.hpp"
#include "database/row.hpp"

namespace assay::database {

namespace {

struct CloseConnection {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

struct SqliteOptions {
  std::string path;
  int busy_ms = 0;
  bool immediate = false;
  std::string synchronous;
};

Failure failure_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_INTERRUPT:
      return Failure::aborted;
    default:
      return Failure::fatal;
  }
}

[[noreturn]] void throw_error(sqlite3* connection, Failure failure) {
  throw StoreError(failure, fmt::format("sqlite: {}", sqlite3_errmsg(connection)));
}

void execute(sqlite3* connection, const std::string& sql) {
  const int code = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw_error(connection, failure_of(code));
}

Connection connect(const SqliteOptions& options) {
  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(options.path.c_str(), &raw, flags, nullptr);
  Connection connection(raw);
  if (code != SQLITE_OK) {
    throw StoreError(Failure::fatal,
                     fmt::format("sqlite: {}: {}", options.path,
                                 raw != nullptr ? sqlite3_errmsg(raw) : sqlite3_errstr(code)));
  }
  sqlite3_busy_timeout(raw, options.busy_ms);
  execute(raw, fmt::format("PRAGMA synchronous={}", options.synchronous));
  return connection;
}

class Statement {
 public:
  Statement(sqlite3* connection, std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    statement_.reset(raw);
    if (code != SQLITE_OK) throw_error(connection, failure_of(code));
  }

  // The texts must live until reset(). Binding fails only where a text is longer than SQLite allows, and the
  // step that follows would then use NULL.
  Statement& bind(int column, std::string_view text) {
    check(sqlite3_bind_text64(raw(), column, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
    return *this;
  }
  Statement& bind(int column, std::int64_t number) {
    check(sqlite3_bind_int64(raw(), column, number));
    return *this;
  }
  Statement& bind(int column, std::optional<std::int64_t> number) {
    check(number ? sqlite3_bind_int64(raw(), column, *number) : sqlite3_bind_null(raw(), column));
    return *this;
  }

  // Whether there is a row. Throws StoreError.
  bool step() {
    const int code = sqlite3_step(raw());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) throw_error(sqlite3_db_handle(raw()), failure_of(code));
    return false;
  }
  void reset() { sqlite3_reset(raw()); }

  std::string text(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(raw(), column));
    const int length = sqlite3_column_bytes(raw(), column);
    return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(length));
  }
  std::uint64_t version(int column) const {
    return static_cast<std::uint64_t>(sqlite3_column_int64(raw(), column));
  }

 private:
  sqlite3_stmt* raw() const { return statement_.get(); }
  void check(int code) const {
    if (code != SQLITE_OK) throw_error(sqlite3_db_handle(raw()), Failure::fatal);
  }

  std::unique_ptr<sqlite3_stmt, FinalizeStatement> statement_;
};

// A statement in use; another one cannot commit while its cursor is open.
class Use {
 public:
  explicit Use(Statement& statement) : statement_(statement) {}
  ~Use() { statement_.reset(); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  Statement* operator->() const { return &statement_; }

 private:
  Statement& statement_;
};

class SqliteSession final : public StoreSession {
 public:
  explicit SqliteSession(const SqliteOptions& options)
      : connection_(connect(options)),
        always_immediate_(options.immediate),
        begin_deferred_(connection_.get(), "BEGIN DEFERRED"),
        begin_immediate_(connection_.get(), "BEGIN IMMEDIATE"),
        commit_(connection_.get(), "COMMIT"),
        rollback_(connection_.get(), "ROLLBACK"),
        read_(connection_.get(), "SELECT value, version FROM assay_rows WHERE key = ?1"),
        write_(connection_.get(),
               "INSERT INTO assay_rows VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key) DO UPDATE SET "
               "value = excluded.value, number = excluded.number, version = excluded.version"),
        insert_(connection_.get(),
                "INSERT INTO assay_rows VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key) DO NOTHING"),
        erase_(connection_.get(), "DELETE FROM assay_rows WHERE key = ?1"),
        append_(connection_.get(),
                "INSERT INTO assay_lists VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET "
                "elements = elements || excluded.elements"),
        read_list_(connection_.get(), "SELECT elements FROM assay_lists WHERE key = ?1"),
        range_(connection_.get(),
               "SELECT key, value, version FROM assay_rows WHERE key BETWEEN ?1 AND ?2 ORDER BY key"),
        filter_(connection_.get(),
                "SELECT key, value, version FROM assay_rows WHERE key >= ?1 AND key < ?2 AND "
                "number BETWEEN ?3 AND ?4 ORDER BY key"),
        filter_to_the_end_(connection_.get(),
                           "SELECT key, value, version FROM assay_rows WHERE key >= ?1 AND "
                           "number BETWEEN ?2 AND ?3 ORDER BY key") {}

  void begin(std::optional<Level> level) override {
    if (level != Level::serializable && level != Level::strict_serializable) {
      throw StoreError(Failure::fatal, fmt::format("sqlite: there is no level {}", name_of(level)));
    }
    const bool immediate = always_immediate_ || failed_;
    failed_ = false;
    run(immediate ? begin_immediate_ : begin_deferred_, [](Statement& begin) { begin.step(); });
  }

  std::optional<StoredValue> read(std::string_view key) override {
    std::optional<StoredValue> found;
    run(read_, [&](Statement& read) {
      if (read.bind(1, key).step()) found = StoredValue{read.text(0), read.version(1)};
    });
    return found;
  }

  void write(std::string_view key, const StoredValue& value) override { put(write_, key, value); }

  bool insert(std::string_view key, const StoredValue& value) override {
    put(insert_, key, value);
    return sqlite3_changes(connection_.get()) != 0;
  }

  bool erase(std::string_view key) override {
    run(erase_, [&](Statement& erase) { erase.bind(1, key).step(); });
    return sqlite3_changes(connection_.get()) != 0;
  }

  void append(std::string_view key, std::uint64_t version) override {
    const std::string element = list_text(version);
    run(append_, [&](Statement& append) { append.bind(1, key).bind(2, element).step(); });
  }

  void read_list(std::string_view key, std::vector<ListElement>& elements) override {
    elements.clear();
    run(read_list_, [&](Statement& read) {
      if (read.bind(1, key).step()) read_list_text(read.text(0), elements);
    });
  }

  void range_read(std::string_view low, std::string_view high, std::vector<StoredRow>& rows) override {
    run(range_, [&](Statement& range) { fetch(range.bind(1, low).bind(2, high), rows); });
  }

  void filter_read(const NumberFilter& filter, std::vector<StoredRow>& rows) override {
    const auto end = end_of_prefix(filter.prefix);
    if (end) {
      run(filter_, [&](Statement& scan) {
        fetch(scan.bind(1, filter.prefix).bind(2, *end).bind(3, filter.low).bind(4, filter.high), rows);
      });
    } else {
      run(filter_to_the_end_, [&](Statement& scan) {
        fetch(scan.bind(1, filter.prefix).bind(2, filter.low).bind(3, filter.high), rows);
      });
    }
  }

  void commit() override {
    const Use commit(commit_);
    try {
      commit->step();
    } catch (const StoreError& error) {
      // A commit that finds no lock is undone as a whole. What an error of the disk leaves, nobody can tell.
      const bool undone = rolled_back();
      if (error.failure() == Failure::aborted && undone) throw;
      throw StoreError(Failure::unknown, error.what());
    }
  }

  void abort() override { rolled_back(); }

 private:
  // Runs a statement; if it fails, the transaction is over.
  template <typename Action>
  void run(Statement& statement, const Action& action) {
    try {
      const Use use(statement);
      action(statement);
    } catch (const StoreError&) {
      failed_ = true;
      rolled_back();
      throw;
    }
  }

  void put(Statement& statement, std::string_view key, const StoredValue& stored) {
    run(statement, [&](Statement& put) {
      put.bind(1, key)
          .bind(2, stored.value)
          .bind(3, number_in_value(stored.value))
          .bind(4, static_cast<std::int64_t>(stored.version))
          .step();
    });
  }

  static void fetch(Statement& select, std::vector<StoredRow>& rows) {
    rows.clear();
    while (select.step()) rows.push_back({select.text(0), {select.text(1), select.version(2)}});
  }

  // True also if there was no transaction left, as after some errors.
  bool rolled_back() {
    if (sqlite3_get_autocommit(connection_.get()) != 0) return true;
    const Use rollback(rollback_);
    try {
      rollback->step();
    } catch (const StoreError&) {
      return false;
    }
    return true;
  }

  Connection connection_;
  bool always_immediate_;
  bool failed_ = false;
  Statement begin_deferred_, begin_immediate_, commit_, rollback_, read_, write_, insert_, erase_, append_,
      read_list_, range_, filter_, filter_to_the_end_;
};

class Sqlite final : public Store {
 public:
  explicit Sqlite(SqliteOptions options) : options_(std::move(options)) {}

  std::string description() const override { return fmt::format("SQLite {}", sqlite3_libversion()); }

  std::vector<Mode> modes() const override {
    const std::string_view called = options_.immediate ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED";
    return {{Level::strict_serializable, Level::strict_serializable, called},
            {Level::serializable, Level::serializable, called}};
  }

  // A transaction that is left open by an error ends with the connection.
  void prepare() override {
    const Connection connection = connect(options_);
    refuse_tables_of_others(connection.get());  // before anything changes, the way of writing included
    execute(connection.get(), "PRAGMA journal_mode=WAL");
    execute(connection.get(), "BEGIN IMMEDIATE");
    refuse_tables_of_others(connection.get());  // now nobody can make one any more
    // Without rowid: the rows stand in the order of their keys.
    execute(connection.get(),
            fmt::format("DROP TABLE IF EXISTS assay_rows;"
                        "DROP TABLE IF EXISTS assay_lists;"
                        "CREATE TABLE assay_rows (/* {0} */ key TEXT PRIMARY KEY, value TEXT NOT NULL,"
                        " number INTEGER, version INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;"
                        "CREATE TABLE assay_lists (/* {0} */ key TEXT PRIMARY KEY, elements TEXT NOT NULL)"
                        " WITHOUT ROWID;"
                        "COMMIT",
                        kMark));
  }

  void remove() override {
    const Connection connection = connect(options_);
    execute(connection.get(), "BEGIN IMMEDIATE");
    refuse_tables_of_others(connection.get());
    execute(connection.get(), "DROP TABLE IF EXISTS assay_rows; DROP TABLE IF EXISTS assay_lists; COMMIT");
  }

  std::unique_ptr<StoreSession> open_session(std::uint32_t) override {
    return std::make_unique<SqliteSession>(options_);
  }

 private:
  // SQLite keeps the statement that made a table, comments included, and takes names for equal whatever their
  // case.
  static void refuse_tables_of_others(sqlite3* connection) {
    Statement unmarked(connection,
                       "SELECT type, name FROM sqlite_schema WHERE lower(name) IN ('assay_rows', "
                       "'assay_lists') AND (type <> 'table' OR instr(coalesce(sql, ''), ?1) = 0)");
    if (unmarked.bind(1, kMark).step()) {
      refuse_unmarked("sqlite", fmt::format("the {} {}", unmarked.text(0), unmarked.text(1)));
    }
  }

  SqliteOptions options_;
};

}  // namespace

void assay_open_store(StoreUrl& url, std::unique_ptr<Store>& store) {
  SqliteOptions options;
  options.path = url.path();
  // Several connections need a file.
  if (options.path.empty() || options.path.find(":memory:") != std::string::npos) {
    url.fail("expected sqlite:FILE");
  }
  options.busy_ms = static_cast<int>(url.take_number("timeout", 10, 86'400) * 1000);
  options.immediate = url.take_choice("begin", {"deferred", "immediate"}) == "immediate";
  options.synchronous = url.take_choice("sync", {"normal", "off", "full"});
  url.expect_no_more_options();
  store = std::make_unique<Sqlite>(std::move(options));
}

}  // namespace assay::database
