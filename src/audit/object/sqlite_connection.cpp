#include "audit/object/sqlite_connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string_view>

namespace assay::audit {

namespace {

constexpr int kInstructionsBetweenLooks = 10'000;
constexpr std::size_t kLongestKept = 1 << 14;
constexpr std::size_t kMostKept = 1024;

// SQLite asks its file system for the time; this one notes that it was asked. Set while a statement runs.
thread_local bool clock_was_read = false;

int note_and_read_clock(sqlite3_vfs*, sqlite3_int64* now) {
  clock_was_read = true;
  sqlite3_vfs* real = sqlite3_vfs_find(nullptr);
  return real->xCurrentTimeInt64(real, now);
}

int note_and_read_day(sqlite3_vfs*, double* now) {
  clock_was_read = true;
  sqlite3_vfs* real = sqlite3_vfs_find(nullptr);
  return real->xCurrentTime(real, now);
}

const char* watched_file_system() {
  static sqlite3_vfs watched;
  static std::once_flag once;
  std::call_once(once, [] {
    watched = *sqlite3_vfs_find(nullptr);
    watched.pNext = nullptr;
    watched.zName = "assay-audit";
    watched.xCurrentTime = note_and_read_day;
    watched.xCurrentTimeInt64 = note_and_read_clock;
    sqlite3_vfs_register(&watched, 0);
  });
  return watched.zName;
}

template <std::size_t N>
bool one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Answers that depend on nothing but the database and earlier statements of the same connection.
constexpr std::array<std::string_view, 17> kPragmas{
    "application_id", "busy_timeout", "case_sensitive_like", "collation_list",     "data_version",
    "encoding",       "foreign_keys", "foreign_key_check",   "foreign_key_list",   "index_info",
    "index_list",     "index_xinfo",  "page_size",           "recursive_triggers", "table_info",
    "table_xinfo",    "user_version"};
// Those of them that change the connection; others change the database, or only ask.
constexpr std::array<std::string_view, 5> kSettings{"case_sensitive_like", "encoding", "foreign_keys",
                                                    "page_size", "recursive_triggers"};
// Settings of speed and safety: the auditor's own copy does without them.
constexpr std::array<std::string_view, 3> kIgnoredPragmas{"cache_size", "synchronous", "temp_store"};
constexpr std::array<std::string_view, 4> kModules{"fts3", "fts4", "fts5", "rtree"};

std::string lower(const char* text) {
  std::string out = text == nullptr ? "" : text;
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

int bind_value(sqlite3_stmt* statement, int index, const wire::SqlValue& value) {
  switch (value.type) {
    case wire::SqlType::null:
      return sqlite3_bind_null(statement, index);
    case wire::SqlType::integer:
      return sqlite3_bind_int64(statement, index, value.integer);
    case wire::SqlType::real:
      return sqlite3_bind_double(statement, index, value.real);
    case wire::SqlType::text:
      return sqlite3_bind_text64(statement, index, value.bytes.data(), value.bytes.size(), SQLITE_TRANSIENT,
                                 SQLITE_UTF8);
    case wire::SqlType::blob:
      return sqlite3_bind_blob64(statement, index, value.bytes.data(), value.bytes.size(), SQLITE_TRANSIENT);
  }
  return SQLITE_MISUSE;
}

void put_cell(std::string& out, sqlite3_stmt* statement, int column) {
  wire::SqlValue value;
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      value.type = wire::SqlType::integer;
      value.integer = sqlite3_column_int64(statement, column);
      break;
    case SQLITE_FLOAT:
      value.type = wire::SqlType::real;
      value.real = sqlite3_column_double(statement, column);
      break;
    case SQLITE_TEXT:
      value.type = wire::SqlType::text;
      value.bytes = {reinterpret_cast<const char*>(sqlite3_column_text(statement, column)),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
      break;
    case SQLITE_BLOB:
      value.type = wire::SqlType::blob;
      value.bytes = {static_cast<const char*>(sqlite3_column_blob(statement, column)),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
      break;
    default:
      break;
  }
  wire::put_sql_value(out, value);
}

bool is_wait(int code) {
  return (code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_LOCKED;
}

// What reading and writing rows, and BEGIN and COMMIT, ask leave for. Whoever changes the schema writes to
// sqlite_master or asks for something else.
bool is_about_rows(int action, const char* table) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return true;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return table != nullptr && !lower(table).starts_with("sqlite_");
    default:
      return false;
  }
}

int open_flags(wire::OpenMode mode) {
  switch (mode) {
    case wire::OpenMode::read_only:
      return SQLITE_OPEN_READONLY;
    case wire::OpenMode::read_write:
      return SQLITE_OPEN_READWRITE;
    case wire::OpenMode::read_write_create:
      break;
  }
  return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
}

}  // namespace

SqliteConnection::SqliteConnection(const std::string& file, wire::OpenMode mode, const SqliteLimits& limits)
    : most_instructions_(limits.instructions), most_result_bytes_(limits.result_bytes) {
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(file.c_str(), &raw, open_flags(mode) | SQLITE_OPEN_NOMUTEX, watched_file_system());
  db_.reset(raw);
  if (code != SQLITE_OK) {
    throw std::runtime_error(fmt::format("{}: {}", file, raw != nullptr ? sqlite3_errmsg(raw) : "no memory"));
  }
  set_up(limits);
}

SqliteConnection::~SqliteConnection() = default;

void SqliteConnection::must(int code) const {
  if (code != SQLITE_OK) throw std::runtime_error(fmt::format("SQLite: {}", sqlite3_errmsg(db_.get())));
}

void SqliteConnection::set_up(const SqliteLimits& limits) {
  sqlite3* db = db_.get();
  sqlite3_hard_heap_limit64(limits.heap_bytes);
  sqlite3_extended_result_codes(db, 1);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, static_cast<int>(wire::kLargestString));
  must(sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr));
  // The copy is thrown away, so nothing need reach the disk; sorting happens within the limit on memory.
  // What another connection commits empties the cache, so pages are better read where they are.
  must(sqlite3_exec(db, "PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY; PRAGMA mmap_size=268435456",
                    nullptr, nullptr, nullptr));
  std::int64_t page = 4096;
  const auto read_page = [](void* to, int, char** cells, char**) {
    *static_cast<std::int64_t*>(to) = std::strtoll(cells[0], nullptr, 10);
    return 0;
  };
  must(sqlite3_exec(db, "PRAGMA page_size", read_page, &page, nullptr));
  const std::string pages =
      fmt::format("PRAGMA max_page_count={}", limits.file_bytes / std::max<std::int64_t>(page, 512));
  must(sqlite3_exec(db, pages.c_str(), nullptr, nullptr, nullptr));
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
  must(sqlite3_create_function(db, "random", 0, kFlags, this, refuse_function, nullptr, nullptr));
  must(sqlite3_create_function(db, "randomblob", 1, kFlags, this, refuse_function, nullptr, nullptr));
  must(sqlite3_create_function(db, "changes", 0, kFlags, this, changes_function, nullptr, nullptr));
  must(sqlite3_create_function(db, "total_changes", 0, kFlags, this, total_changes_function, nullptr,
                               nullptr));
  must(sqlite3_set_authorizer(db, authorize, this));
  sqlite3_progress_handler(db, kInstructionsBetweenLooks, progress, this);
}

int SqliteConnection::stop(std::string why) {
  if (!stopped_) stopped_ = std::move(why);
  return SQLITE_DENY;
}

int SqliteConnection::authorize(void* self, int action, const char* first, const char* second, const char*,
                                const char*) {
  auto& connection = *static_cast<SqliteConnection*>(self);
  if (connection.own_business_) return SQLITE_OK;
  if (!is_about_rows(action, first)) connection.may_change_schema_ = true;
  switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      return connection.stop("attaches another file");
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      connection.is_control_ = true;
      return SQLITE_OK;
    case SQLITE_PRAGMA:
      return connection.authorize_pragma(lower(first), second);
    case SQLITE_CREATE_VTABLE:
      if (!one_of(lower(second), kModules)) return connection.stop(fmt::format("uses the module {}", second));
      return SQLITE_OK;
    case SQLITE_FUNCTION: {
      const std::string function = lower(second);
      if (function == "load_extension" || function == "fts3_tokenizer") {
        return connection.stop(fmt::format("calls {}", function));
      }
      return SQLITE_OK;
    }
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_CREATE_TEMP_VIEW:
      connection.marked_ = true;
      connection.tells_past_ = false;
      return SQLITE_OK;
    default:
      return SQLITE_OK;
  }
}

int SqliteConnection::authorize_pragma(std::string name, const char* argument) {
  is_pragma_ = true;
  if (one_of(name, kIgnoredPragmas) && argument != nullptr) return SQLITE_IGNORE;
  // How long the application is willing to wait may have been set without a statement.
  if (name == "busy_timeout" && argument == nullptr) return stop("asks for PRAGMA busy_timeout");
  if (name == "journal_mode" && (argument == nullptr || lower(argument) == "wal")) return SQLITE_OK;
  if (!one_of(name, kPragmas)) return stop(fmt::format("uses PRAGMA {}", name));
  if (argument != nullptr && name == "case_sensitive_like") {
    like_was_set_ = true;  // MediaWiki does so on every connection
  } else if (argument != nullptr) {
    marked_ = true;
  }
  is_setting_ = argument != nullptr && one_of(name, kSettings);
  return SQLITE_OK;
}

int SqliteConnection::progress(void* self) {
  auto& connection = *static_cast<SqliteConnection*>(self);
  connection.instructions_ += kInstructionsBetweenLooks;
  if (connection.instructions_ <= connection.most_instructions_) return 0;
  connection.stop(fmt::format("took more than {} steps", connection.most_instructions_));
  return 1;
}

void SqliteConnection::refuse_function(sqlite3_context* context, int, sqlite3_value**) {
  static_cast<SqliteConnection*>(sqlite3_user_data(context))->stop("depends on chance");
  sqlite3_result_error(context, "this function is not supported in an audit", -1);
}

void SqliteConnection::changes_function(sqlite3_context* context, int, sqlite3_value**) {
  auto& connection = *static_cast<SqliteConnection*>(sqlite3_user_data(context));
  // A busy statement may have set the counter to zero, or not.
  if (connection.skipped_) connection.stop("calls changes() after a statement that was busy");
  if (connection.total_changes() == connection.total_at_cut_)
    connection.stop("asks for the changes of a statement of the period before");
  sqlite3_result_int64(context, connection.changes());
}

void SqliteConnection::total_changes_function(sqlite3_context* context, int, sqlite3_value**) {
  const auto& connection = *static_cast<SqliteConnection*>(sqlite3_user_data(context));
  sqlite3_result_int64(context, connection.total_changes() - connection.stale_total_);
}

std::int64_t SqliteConnection::changes() const {
  // Until a statement changes rows, or sets the counter to something else, it is still that of the past. A
  // statement that sets it to the same value without changing rows sets it to zero.
  const std::int64_t now = sqlite3_changes64(db_.get());
  const bool untouched = now == stale_changes_ && total_changes() == stale_total_;
  return untouched ? 0 : now;
}

void SqliteConnection::begin_watch() {
  stopped_.reset();
  instructions_ = 0;
  clock_was_read = false;
  total_before_ = total_changes();
}

SqliteConnection::Ran SqliteConnection::end_watch(int code) {
  Ran ran;
  sqlite3_busy_timeout(db_.get(), 0);  // whatever a PRAGMA has set: nobody else runs while this one waits
  if (clock_was_read) stop("depends on the clock");
  ran.would_wait = is_wait(code);
  switch (code & 0xFF) {
    case SQLITE_NOMEM:
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
    case SQLITE_INTERRUPT:
      stop(fmt::format("passed a limit of the audit ({})", sqlite3_errstr(code & 0xFF)));
      break;
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_CANTOPEN:
    case SQLITE_NOTADB:
    case SQLITE_PROTOCOL:
      stop(fmt::format("failed on the auditor's copy ({})", sqlite3_errmsg(db_.get())));
      break;
    default:
      break;
  }
  ran.unsupported = std::move(stopped_);
  stopped_.reset();
  return ran;
}

SqliteConnection::Statement* SqliteConnection::compile(wire::Bytes sql, int& code) {
  code = SQLITE_OK;
  const bool keep = sql.size() <= kLongestKept;
  if (keep) {
    const auto known = compiled_.find(std::string(sql));
    if (known != compiled_.end()) return &known->second;
  }
  Statement statement;
  is_pragma_ = is_setting_ = is_control_ = may_change_schema_ = false;
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  code = sqlite3_prepare_v2(db_.get(), sql.data(), static_cast<int>(sql.size()), &raw, &rest);
  statement.handle.reset(raw);
  if (is_setting_) note_settings(sql);
  if (code != SQLITE_OK) return nullptr;
  statement.consumed = static_cast<std::size_t>(rest - sql.data());
  statement.controls = is_control_;
  statement.may_change_schema = may_change_schema_;
  if (!keep || stopped_ || is_pragma_) {
    uncached_ = std::move(statement);
    return &uncached_;
  }
  if (compiled_.size() >= kMostKept) compiled_.clear();
  return &compiled_.insert_or_assign(std::string(sql), std::move(statement)).first->second;
}

int SqliteConnection::bind(sqlite3_stmt* statement, const std::vector<wire::SqlParameter>& parameters) {
  for (const wire::SqlParameter& parameter : parameters) {
    int index = static_cast<int>(std::min<std::uint64_t>(parameter.index, wire::kMostInList));
    if (index == 0) index = sqlite3_bind_parameter_index(statement, std::string(parameter.name).c_str());
    const int code = bind_value(statement, index, parameter.value);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int SqliteConnection::fetch(sqlite3_stmt* statement, std::string& cells) {
  int code = SQLITE_OK;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    const int columns = sqlite3_data_count(statement);
    for (int i = 0; i < columns; ++i) put_cell(cells, statement, i);
    if (cells.size() > most_result_bytes_) {
      stop(fmt::format("gives more than {} bytes", most_result_bytes_));
      return SQLITE_INTERRUPT;
    }
  }
  return code;
}

void SqliteConnection::put_result(std::string& result, int code, const Statement* statement,
                                  std::uint64_t consumed) const {
  wire::SqlResult head;
  const bool good = code == SQLITE_OK || code == SQLITE_DONE;
  head.code = good ? 0 : static_cast<std::uint64_t>(code);
  if (!good) head.message = sqlite3_errmsg(db_.get());
  head.consumed = consumed;
  head.changes = total_changes() > total_before_ ? sqlite3_changes64(db_.get()) : 0;
  head.last_rowid = sqlite3_last_insert_rowid(db_.get());
  if (good && statement != nullptr && statement->handle) {
    sqlite3_stmt* handle = statement->handle.get();
    head.columns.resize(static_cast<std::size_t>(sqlite3_column_count(handle)));
    for (std::size_t i = 0; i < head.columns.size(); ++i) {
      const char* column = sqlite3_column_name(handle, static_cast<int>(i));
      const char* declared = sqlite3_column_decltype(handle, static_cast<int>(i));
      head.columns[i] = {column == nullptr ? "" : column, declared == nullptr ? "" : declared};
    }
  }
  wire::put_sql_result_head(result, head);
}

SqliteConnection::Ran SqliteConnection::run(wire::Bytes sql,
                                            const std::vector<wire::SqlParameter>& parameters,
                                            std::string& result) {
  begin_watch();
  int code = SQLITE_OK;
  Statement* statement = compile(sql, code);
  std::string cells;
  sqlite3_stmt* handle = statement == nullptr ? nullptr : statement->handle.get();
  if (handle != nullptr) {
    sqlite3_clear_bindings(handle);
    code = bind(handle, parameters);
    if (code == SQLITE_OK) code = fetch(handle, cells);
    // How many commits of others a connection has noticed is nobody's business but its own.
    const char* column = sqlite3_column_count(handle) == 1 ? sqlite3_column_name(handle, 0) : nullptr;
    if (column != nullptr && std::strcmp(column, "data_version") == 0) stop("uses PRAGMA data_version");
  }
  put_result(result, code, statement, statement == nullptr ? sql.size() : statement->consumed);
  if (code == SQLITE_DONE) result += cells;
  if (handle != nullptr) sqlite3_reset(handle);
  Ran ran = end_watch(code);
  ran.controls = statement != nullptr && statement->controls;
  ran.may_change_schema = statement != nullptr && statement->may_change_schema;
  return ran;
}

SqliteConnection::Ran SqliteConnection::prepare(wire::Bytes sql, std::string& result) {
  begin_watch();
  int code = SQLITE_OK;
  compiled_.erase(std::string(sql));  // what compiled once need not compile now
  const Statement* statement = compile(sql, code);
  put_result(result, code, nullptr, statement == nullptr ? sql.size() : statement->consumed);
  return end_watch(code);
}

std::int64_t SqliteConnection::ask(std::unique_ptr<sqlite3_stmt, FinalizeStatement>& statement,
                                   const char* pragma) {
  own_business_ = true;
  if (!statement) {
    sqlite3_stmt* raw = nullptr;
    must(sqlite3_prepare_v2(db_.get(), pragma, -1, &raw, nullptr));
    statement.reset(raw);
  }
  if (sqlite3_step(statement.get()) != SQLITE_ROW) {
    throw std::runtime_error(fmt::format("SQLite: {}", sqlite3_errmsg(db_.get())));
  }
  const std::int64_t answer = sqlite3_column_int64(statement.get(), 0);
  sqlite3_reset(statement.get());
  own_business_ = false;
  return answer;
}

std::int64_t SqliteConnection::schema_version() {
  return ask(schema_version_, "PRAGMA main.schema_version");
}

std::int64_t SqliteConnection::data_version() {
  return ask(data_version_, "PRAGMA main.data_version");
}

void SqliteConnection::know_schema(std::int64_t version) {
  if (version == known_schema_) return;
  compiled_.clear();
  own_business_ = true;
  must(sqlite3_exec(db_.get(), "PRAGMA writable_schema=RESET", nullptr, nullptr, nullptr));
  own_business_ = false;
  // Within a transaction it sees the tables of its snapshot and has to look again afterwards.
  if (sqlite3_get_autocommit(db_.get()) != 0) known_schema_ = version;
}

// The one setting that is undone exactly: SQLite registers the functions that it began with.
bool SqliteConnection::forget_like() {
  if (sqlite3_compileoption_used("CASE_SENSITIVE_LIKE") != 0) return false;
  compiled_.clear();
  own_business_ = true;
  const int code = sqlite3_exec(db_.get(), "PRAGMA case_sensitive_like=0", nullptr, nullptr, nullptr);
  own_business_ = false;
  like_was_set_ = false;
  return code == SQLITE_OK;
}

bool SqliteConnection::renew() {
  begin_watch();
  if (sqlite3_get_autocommit(db_.get()) == 0 &&
      sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr) != SQLITE_OK) {
    return false;
  }
  if (like_was_set_ && !forget_like()) return false;
  settings_.clear();
  tells_past_ = true;
  sqlite3_set_last_insert_rowid(db_.get(), 0);
  stale_changes_ = sqlite3_changes64(db_.get());
  stale_total_ = total_changes();
  skipped_ = false;
  total_at_cut_ = -1;
  return !marked_;
}

}  // namespace assay::audit
