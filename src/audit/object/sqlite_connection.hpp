// One connection to the auditor's copy of a SQLite database, fenced in: the statements come from a log that a
// hostile server may have written. Whatever reaches outside the database, depends on time or chance, or
// passes a limit is stopped and named; everything else gives what SQLite gives.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/wire/results.hpp"

namespace assay::audit {

struct SqliteLimits {
  std::uint64_t instructions = 400'000'000;  // of SQLite's virtual machine, for one statement
  std::uint64_t result_bytes = std::uint64_t{1} << 26;
  std::int64_t heap_bytes = std::int64_t{1} << 30;  // of all of SQLite in this process
  std::int64_t file_bytes = std::int64_t{1} << 34;
  std::size_t connections = 400;  // open at the same time on one database
};

class SqliteConnection {
 public:
  // Throws std::runtime_error if SQLite cannot open the file.
  SqliteConnection(const std::string& file, wire::OpenMode mode, const SqliteLimits& limits);
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;
  ~SqliteConnection();

  struct Ran {
    bool would_wait = false;                 // SQLite says BUSY or LOCKED
    std::optional<std::string> unsupported;  // why this program cannot tell the result
    bool controls = false;                   // it is a BEGIN, SAVEPOINT or the like
    bool may_change_schema = true;
  };
  // Runs the first statement of `sql` to its end, or only compiles it, and appends the result.
  Ran run(wire::Bytes sql, const std::vector<wire::SqlParameter>& parameters, std::string& result);
  Ran prepare(wire::Bytes sql, std::string& result);

  // A connection that has not noticed new tables takes locks that it does not need: one that would do
  // nothing, CREATE TABLE IF NOT EXISTS, still asks for the write lock first. Whether it has noticed depends
  // on statements that were busy and are not redone. So here every connection knows the schema that was
  // committed last.
  std::int64_t schema_version();
  void know_schema(std::int64_t version);
  // This connection is new: what it will read, or has just read, is of this version.
  void knows_schema(std::int64_t version) { known_schema_ = version; }
  // Changes with every commit of another connection.
  std::int64_t data_version();

  enum class Transaction : std::uint8_t { none, begun, reads, writes };  // begun: it has no snapshot yet
  Transaction transaction() const;

  // What the application can see of a connection's past when no transaction is open.
  struct Past {
    std::vector<std::string> settings;  // the statements that made them
    std::int64_t last_rowid = 0, total_changes = 0;
  };
  // Nothing if it has made what cannot be told in this way.
  std::optional<Past> past() const;
  // Makes this connection, which is new, one with that past; inside a transaction, or before it.
  void take_settings(const Past& past);
  void take_counters(const Past& past);
  // Writes the database as this connection sees it. REQUIRES: it has changed nothing that is not committed.
  // Throws std::runtime_error.
  void copy_to(const std::string& file);

  // A statement of this connection was busy at the server and is left out.
  void skip() { skipped_ = true; }

  // Rolls back what is open and forgets what the application could see of the past. False if that is not
  // possible: settings were changed or temporary tables made.
  bool renew();

 private:
  struct CloseDatabase {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  struct Statement {
    std::unique_ptr<sqlite3_stmt, FinalizeStatement> handle;
    std::size_t consumed = 0;
    bool controls = false;
    bool may_change_schema = true;
  };

  static int authorize(void* self, int action, const char* first, const char* second, const char*,
                       const char*);
  static int progress(void* self);
  static void refuse_function(sqlite3_context* context, int, sqlite3_value**);
  static void changes_function(sqlite3_context* context, int, sqlite3_value**);
  static void total_changes_function(sqlite3_context* context, int, sqlite3_value**);

  int authorize_pragma(std::string name, const char* argument);
  int stop(std::string why);
  void must(int code) const;
  bool forget_like();
  std::int64_t ask(std::unique_ptr<sqlite3_stmt, FinalizeStatement>& statement, const char* pragma);
  void note_settings(wire::Bytes sql);
  void set_up(const SqliteLimits& limits);
  void begin_watch();
  Ran end_watch(int code);
  // Compiles, or finds what was compiled before; `code` is SQLite's.
  Statement* compile(wire::Bytes sql, int& code);
  int bind(sqlite3_stmt* statement, const std::vector<wire::SqlParameter>& parameters);
  int fetch(sqlite3_stmt* statement, std::string& cells);
  void put_result(std::string& result, int code, const Statement* statement, std::uint64_t consumed) const;
  // What sqlite3_changes() would say had the connection been opened anew by renew().
  std::int64_t changes() const;
  std::int64_t total_changes() const { return sqlite3_total_changes64(db_.get()); }

  std::unique_ptr<sqlite3, CloseDatabase> db_;
  std::unique_ptr<sqlite3_stmt, FinalizeStatement> schema_version_, data_version_;
  std::int64_t known_schema_ = -1;
  std::unordered_map<std::string, Statement> compiled_;
  Statement uncached_;  // the latest one that is not kept
  std::uint64_t most_instructions_, most_result_bytes_;
  std::uint64_t instructions_ = 0;
  std::optional<std::string> stopped_;
  bool marked_ = false;     // renew() cannot undo what was done
  bool is_pragma_ = false;  // what was compiled last: it may act when it is compiled, so it is not kept
  bool like_was_set_ = false;
  bool is_control_ = false;
  bool may_change_schema_ = false;  // it does more than to read and write rows
  bool skipped_ = false;
  bool is_setting_ = false;  // it is a PRAGMA that changes the connection
  bool tells_past_ = true;   // past() can tell it
  std::vector<std::string> settings_;
  std::int64_t total_at_cut_ = -1;                    // SQLite's count when take_counters() was called
  bool own_business_ = false;                         // a statement of this class, not of the log
  std::int64_t stale_changes_ = 0, stale_total_ = 0;  // at the latest renew()
  std::int64_t total_before_ = 0;                     // this statement
};

}  // namespace assay::audit
