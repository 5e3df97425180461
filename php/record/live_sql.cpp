#include "record/live_sql.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace assay::php {

namespace {

constexpr std::size_t kMostPrepared = 100;

// Depends on who else is there: the report says that it happened, and the auditor does not try.
std::uint64_t outcome_of(const SqlResult& result) {
  const int primary = result.code & 0xff;
  return primary == SQLITE_BUSY || primary == SQLITE_LOCKED ? static_cast<std::uint64_t>(result.code) : 0;
}

void take_cell(sqlite3_stmt* statement, int column, zval& out) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      ZVAL_NULL(&out);
      break;
    case SQLITE_INTEGER:
      ZVAL_LONG(&out, static_cast<zend_long>(sqlite3_column_int64(statement, column)));
      break;
    case SQLITE_FLOAT:
      ZVAL_DOUBLE(&out, sqlite3_column_double(statement, column));
      break;
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
      ZVAL_STRINGL_FAST(&out, size == 0 ? "" : bytes, size);
      break;
    }
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      ZVAL_STRINGL_FAST(&out, text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
  }
}

int bind_value(sqlite3_stmt* statement, int index, const wire::SqlValue& value) {
  const auto size = static_cast<int>(value.bytes.size());
  const char* bytes = value.bytes.data() != nullptr ? value.bytes.data() : "";
  switch (value.type) {
    case wire::SqlType::null:
      return sqlite3_bind_null(statement, index);
    case wire::SqlType::integer:
      return sqlite3_bind_int64(statement, index, value.integer);
    case wire::SqlType::real:
      return sqlite3_bind_double(statement, index, value.real);
    case wire::SqlType::text:
      return sqlite3_bind_text(statement, index, bytes, size, SQLITE_STATIC);
    case wire::SqlType::blob:
      return sqlite3_bind_blob(statement, index, bytes, size, SQLITE_STATIC);
  }
  return SQLITE_MISUSE;
}

}  // namespace

// The last connection to be closed removes the write-ahead log, in which the traces of a dead process are.
LiveConnection::~LiveConnection() {
  take_slot();
  for (auto& [sql, each] : prepared_) sqlite3_finalize(each.statement);
  sqlite3_close_v2(database_);
  give_slot();
}

void LiveConnection::take_slot() {
  order_->begin_read();
  has_slot_ = true;
}

void LiveConnection::give_slot() {
  if (has_slot_) order_->end_read();
  has_slot_ = false;
}

int LiveConnection::on_commit(void* self) {
  auto* connection = static_cast<LiveConnection*>(self);
  if (connection->commit_number_ != 0) return 0;
  connection->give_slot();  // its own would be in the way; with the write lock nobody else can commit
  connection->order_->begin_commit();
  if (connection->defines_) connection->order_->schema_changes();
  connection->commit_number_ = connection->log_->next_sequence();
  connection->note_commit();
  return 0;
}

// From here on the commit and its record are one: last_step.hpp.
void LiveConnection::note_commit() {
  log_->stage(wire::ObjectKind::database, path_, commit_number_, wire::OperationType::sql_statement,
              contents_);
  SharedHead::CommitStep& step = order_->commit_step();
  if (path_.size() >= sizeof step.database) return;
  std::memcpy(step.database, path_.c_str(), path_.size() + 1);
  step.before = wal_position(database_);
  log_->note_step(step);
}

// The first time that the statement has the write lock. It may lose it before it returns: a failure, RAISE(ROLLBACK).
int LiveConnection::on_progress(void* self) {
  auto* connection = static_cast<LiveConnection*>(self);
  if (sqlite3_txn_state(connection->database_, "main") != SQLITE_TXN_WRITE) return 0;
  connection->number_taken_ = connection->log_->next_sequence();
  connection->give_slot();
  sqlite3_progress_handler(connection->database_, 0, nullptr, nullptr);
  return 0;
}

// Another connection has the write lock. It needs all slots to commit and give it up, so this one's is given back as
// long as the wait lasts. SQLite calls here only if it holds nothing of the database.
int LiveConnection::on_busy(void* self, int times) {
  auto* connection = static_cast<LiveConnection*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (times == 0) connection->wait_until_ = now + connection->longest_wait_;
  if (now >= connection->wait_until_) return 0;
  const bool had_slot = connection->has_slot_;
  connection->give_slot();
  const std::chrono::milliseconds pause(std::min(1 << std::min(times, 10), 50));
  std::this_thread::sleep_until(std::min(now + pause, connection->wait_until_));
  if (had_slot) connection->take_slot();
  return 1;
}

// The statement is over: its record, at the latest now.
void LiveConnection::record(std::uint64_t number, std::uint64_t outcome) {
  const bool staged = commit_number_ != 0;
  if (staged && outcome == 0) {
    log_->confirm();
  } else {
    if (staged) log_->discard();
    log_->operation(wire::ObjectKind::database, path_, number, wire::OperationType::sql_statement, contents_,
                    outcome);
  }
  if (!staged) return;
  order_->commit_step().worker.store(0);
  order_->end_commit();
  commit_number_ = 0;
}

void LiveConnection::take_error(SqlResult& result, int status) {
  result.code = sqlite3_extended_errcode(database_);
  if ((result.code & 0xff) != (status & 0xff)) result.code = status;
  result.message = sqlite3_errmsg(database_);
}

SqlResult LiveConnection::open(wire::OpenMode mode) {
  SqlResult result;
  int flags = SQLITE_OPEN_READWRITE;
  if (mode == wire::OpenMode::read_only) flags = SQLITE_OPEN_READONLY;
  if (mode == wire::OpenMode::read_write_create) flags |= SQLITE_OPEN_CREATE;
  const int status = sqlite3_open_v2(path_.c_str(), &database_, flags, nullptr);
  if (status != SQLITE_OK) {
    take_error(result, status);
    return result;
  }
  sqlite3_busy_timeout(database_, 60000);
  sqlite3_commit_hook(database_, on_commit, this);
  take_slot();
  known_schemas_ = order_->schemas();
  sqlite3_stmt* statement = nullptr;
  bool good = false;
  if (sqlite3_prepare_v2(database_, "PRAGMA journal_mode", -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    good = std::string_view(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0))) == "wal";
  }
  sqlite3_finalize(statement);
  give_slot();
  if (!good) {
    result.code = SQLITE_ERROR;
    result.message =
        "assay: " + path_ + " is not in WAL mode (PRAGMA journal_mode = WAL), so it cannot be audited";
    return result;
  }
  log_->operation(wire::ObjectKind::database, path_, log_->next_sequence(), wire::OperationType::sql_open,
                  wire::sql_open(number_, mode));
  return result;
}

void LiveConnection::close() {
  log_->operation(wire::ObjectKind::database, path_, log_->next_sequence(), wire::OperationType::sql_close,
                  wire::sql_close(number_));
}

// REQUIRES: a read slot is held. SQLite notices a new schema only when a statement runs, and some errors of
// compilation it gives without noticing.
void LiveConnection::know_schema() {
  // A snapshot has the schema that it has, and the statement that took it knew it.
  if (order_->schemas() == known_schemas_ || sqlite3_txn_state(database_, "main") == SQLITE_TXN_READ) return;
  sqlite3_exec(database_, "PRAGMA writable_schema = RESET", nullptr, nullptr, nullptr);
  known_schemas_ = order_->schemas();
}

// REQUIRES: a read slot is held, for compiling looks at the schema. Null, and the error in `result`, if it
// failed.
LiveConnection::Prepared* LiveConnection::compile(std::string_view sql, SqlResult& result) {
  know_schema();
  const auto known = prepared_.find(std::string(sql));
  if (known != prepared_.end()) return &known->second;
  Prepared prepared;
  const char* tail = nullptr;
  const int status =
      sqlite3_prepare_v2(database_, sql.data(), static_cast<int>(sql.size()), &prepared.statement, &tail);
  if (status != SQLITE_OK) {
    take_error(result, status);
    return nullptr;
  }
  prepared.tail = static_cast<std::size_t>(tail - sql.data());
  if (prepared_.size() >= kMostPrepared) {
    for (auto& [text, each] : prepared_) sqlite3_finalize(each.statement);
    prepared_.clear();
  }
  return &prepared_.emplace(sql, prepared).first->second;
}

bool LiveConnection::bind(sqlite3_stmt* statement, const std::vector<wire::SqlParameter>& parameters,
                          SqlResult& result) {
  for (const wire::SqlParameter& parameter : parameters) {
    const int index = parameter.index != 0
                          ? static_cast<int>(parameter.index)
                          : sqlite3_bind_parameter_index(statement, std::string(parameter.name).c_str());
    const int status = bind_value(statement, index, parameter.value);
    if (status == SQLITE_OK) continue;
    take_error(result, status);
    return false;
  }
  return true;
}

int LiveConnection::step(sqlite3_stmt* statement, SqlResult& result) {
  const int status = sqlite3_step(statement);
  if (status != SQLITE_ROW) return status;
  const int width = sqlite3_column_count(statement);
  const std::size_t first = result.cells.size();
  result.cells.resize(first + static_cast<std::size_t>(width));
  for (int column = 0; column < width; ++column)
    take_cell(statement, column, result.cells[first + static_cast<std::size_t>(column)]);
  return status;
}

// Takes the remaining rows, and what there is to say at the end.
void LiveConnection::finish(sqlite3_stmt* statement, int status, SqlResult& result) {
  while (status == SQLITE_ROW) status = step(statement, result);
  if (status != SQLITE_DONE) take_error(result, status);
  const int width = sqlite3_column_count(statement);
  for (int column = 0; column < width; ++column)
    result.columns.emplace_back(sqlite3_column_name(statement, column));
  result.changes = sqlite3_changes(database_);
  result.last_rowid = sqlite3_last_insert_rowid(database_);
}

// BEGIN, COMMIT and so on. REQUIRES: a read slot is held; gives it back.
std::uint64_t LiveConnection::control(sqlite3_stmt* statement, Verb kind, SqlResult& result) {
  give_slot();
  const bool was_open = sqlite3_get_autocommit(database_) == 0;
  const std::uint64_t before = log_->next_sequence();
  finish(statement, step(statement, result), result);
  if (commit_number_ != 0) return commit_number_;
  const bool ended = was_open && sqlite3_get_autocommit(database_) != 0;
  return ended || kind == Verb::roll_back ? before : log_->next_sequence();
}

// In milliseconds. The application may have set it by an attribute or by a PRAGMA.
int LiveConnection::timeout() {
  sqlite3_stmt* statement = nullptr;
  int answer = 0;
  if (sqlite3_prepare_v2(database_, "PRAGMA busy_timeout", -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    answer = sqlite3_column_int(statement, 0);
  }
  sqlite3_finalize(statement);
  return answer;
}

// The first step of a statement that may want the write lock.
int LiveConnection::step_and_wait(sqlite3_stmt* statement, SqlResult& result) {
  const int milliseconds = timeout();
  longest_wait_ = std::chrono::milliseconds(milliseconds);
  sqlite3_busy_handler(database_, on_busy, this);
  sqlite3_progress_handler(database_, 1, on_progress, this);
  const int status = step(statement, result);
  sqlite3_progress_handler(database_, 0, nullptr, nullptr);
  sqlite3_busy_timeout(database_, milliseconds);
  return status;
}

// Anything else. REQUIRES: a read slot is held; gives it back.
std::uint64_t LiveConnection::perform(sqlite3_stmt* statement, bool may_change, SqlResult& result) {
  number_taken_ = 0;
  const bool has_write_lock = sqlite3_txn_state(database_, "main") == SQLITE_TXN_WRITE;
  if (has_write_lock) {
    number_taken_ = log_->next_sequence();
    give_slot();
  }
  const bool may_want_it = may_change && !has_write_lock;
  const int status = may_want_it ? step_and_wait(statement, result) : step(statement, result);
  if (number_taken_ == 0) number_taken_ = log_->next_sequence();
  give_slot();
  finish(statement, status, result);
  return commit_number_ != 0 ? commit_number_ : number_taken_;
}

// Some statements act when they are compiled, and what was compiled once may not compile again.
void LiveConnection::forget(std::string_view sql) {
  const auto known = prepared_.find(std::string(sql));
  if (known == prepared_.end()) return;
  sqlite3_finalize(known->second.statement);
  prepared_.erase(known);
}

SqlResult LiveConnection::prepare(std::string_view sql) {
  SqlResult result;
  forget(sql);
  take_slot();
  compile(sql, result);
  const std::uint64_t number = log_->next_sequence();
  give_slot();
  if (verb(sql) == Verb::pragma) forget(sql);
  result.changes = sqlite3_changes(database_);
  result.last_rowid = sqlite3_last_insert_rowid(database_);
  log_->operation(wire::ObjectKind::database, path_, number, wire::OperationType::sql_prepare,
                  wire::sql_statement(number_, sql, {}), outcome_of(result));
  return result;
}

SqlResult LiveConnection::run(std::string_view sql, const std::vector<wire::SqlParameter>& parameters) {
  SqlResult result;
  std::uint64_t number = 0;
  contents_ = wire::sql_statement(number_, sql, parameters);
  take_slot();
  Prepared* prepared = compile(sql, result);
  sqlite3_stmt* statement = prepared != nullptr ? prepared->statement : nullptr;
  const Verb kind = verb(sql);
  if (prepared != nullptr) result.tail = prepared->tail;
  if (kind == Verb::define) defines_ = true;
  if (statement == nullptr || !bind(statement, parameters, result)) {  // an error, or a comment
    number = log_->next_sequence();
    give_slot();
    result.changes = sqlite3_changes(database_);
    result.last_rowid = sqlite3_last_insert_rowid(database_);
  } else if (kind == Verb::begin || kind == Verb::commit || kind == Verb::roll_back) {
    number = control(statement, kind, result);
  } else {
    number = perform(statement, kind == Verb::define || sqlite3_stmt_readonly(statement) == 0, result);
  }
  record(number, outcome_of(result));
  if (sqlite3_get_autocommit(database_) != 0) defines_ = false;
  if (statement != nullptr) {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }
  if (kind == Verb::pragma) forget(sql);
  return result;
}

}  // namespace assay::php
