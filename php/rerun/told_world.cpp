#include "rerun/told_world.hpp"

#include <sqlite3.h>

#include <cstring>

#include "audit/wire/results.hpp"
#include "superpose/lanes.hpp"

namespace assay::php {

namespace {

SqlResult to_php(const wire::SqlResult& told) {
  SqlResult result;
  result.code = static_cast<int>(told.code);
  result.message = told.message;
  result.tail = told.consumed;
  result.changes = told.changes;
  result.last_rowid = told.last_rowid;
  for (const wire::SqlColumn& column : told.columns) result.columns.emplace_back(column.name);
  result.cells.resize(told.cells.size());
  for (std::size_t i = 0; i < told.cells.size(); ++i) {
    const wire::SqlValue& cell = told.cells[i];
    zval& out = result.cells[i];
    switch (cell.type) {
      case wire::SqlType::null:
        ZVAL_NULL(&out);
        break;
      case wire::SqlType::integer:
        ZVAL_LONG(&out, static_cast<zend_long>(cell.integer));
        break;
      case wire::SqlType::real:
        ZVAL_DOUBLE(&out, cell.real);
        break;
      default:
        ZVAL_STRINGL_FAST(&out, cell.bytes.empty() ? "" : cell.bytes.data(), cell.bytes.size());
    }
  }
  return result;
}

}  // namespace

void ToldWorld::begin(const wire::RunOrder& order) {
  for (Stream& stream : streams_) stream = Stream();
  for (const wire::ToldValue& told : order.told) {
    streams_[static_cast<std::uint8_t>(told.kind)].values.push_back({told.repeat, std::string(told.value)});
  }
  asked_.clear();
  databases_.clear();
  ending_ = wire::Ending::complete;
  why_.clear();
  // The recorder told the clock once when the request began, for C code to read.
  if (has(wire::NdKind::clock)) ask_clock();
}

// Before the program runs there is nothing to leave at once; it is not run at all then.
bool ToldWorld::has(wire::NdKind kind) {
  if (!streams_[static_cast<std::uint8_t>(kind)].values.empty()) return true;
  asked_.push_back({kind, 1});
  ending_ = wire::Ending::nothing_to_tell;
  return false;
}

std::uint64_t ToldWorld::seed() {
  return has(wire::NdKind::random_seed) ? tell_number(wire::NdKind::random_seed) : 0;
}

void ToldWorld::stop(wire::Ending how) {
  if (ending_ == wire::Ending::complete) ending_ = how;
  if (superposed()) deny("one lane is not what was recorded");
  if (EG(bailout) != nullptr) zend_bailout();  // with nowhere to go, it would end the process
}

std::vector<wire::Asked> ToldWorld::take_asked() {
  std::vector<wire::Asked> asked;
  asked.swap(asked_);
  return asked;
}

std::string ToldWorld::tell(wire::NdKind kind) {
  Stream& stream = streams_[static_cast<std::uint8_t>(kind)];
  if (stream.next < stream.values.size() && stream.given == stream.values[stream.next].repeat) {
    ++stream.next;
    stream.given = 0;
  }
  if (ending_ != wire::Ending::complete) return {};
  if (asked_.empty() || asked_.back().kind != kind) asked_.push_back({kind, 0});
  ++asked_.back().times;
  if (stream.next >= stream.values.size()) {
    stop(wire::Ending::nothing_to_tell);
    return {};
  }
  ++stream.given;
  return stream.values[stream.next].bytes;
}

std::uint64_t ToldWorld::tell_number(wire::NdKind kind) {
  const std::string value = tell(kind);
  return value.size() == 8 ? wire::load_u64(value.data()) : 0;
}

std::uint64_t ToldWorld::ask_clock() {
  const std::uint64_t now = tell_number(wire::NdKind::clock);
  if (now != 0) clock_ = now;
  return clock_;
}

void ToldWorld::random_bytes(void* out, std::size_t size) {
  std::memset(out, 0, size);
  const std::string value = tell(wire::NdKind::random_bytes);
  if (ending_ == wire::Ending::complete && value.size() != size) refuse_told();
  if (value.size() == size) std::memcpy(out, value.data(), size);
}

std::uint64_t ToldWorld::process_id() {
  return tell_number(wire::NdKind::process_id);
}

std::string ToldWorld::host_name() {
  return tell(wire::NdKind::host_name);
}

std::string ToldWorld::fact(std::string (*)(void*), void*) {
  return tell(wire::NdKind::file_fact);
}

void ToldWorld::cannot_repeat(const std::string& what) {
  if (ending_ == wire::Ending::complete) why_ = "it " + what;
  stop(wire::Ending::trouble);
}

// After a stop the program may still run destructors; they get empty answers and nobody hears of it.
ToldWorld::Answer ToldWorld::ask(wire::ObjectKind object, std::string_view name, wire::OperationType type,
                                 std::string_view contents) {
  if (ending_ != wire::Ending::complete) return {};
  pipe_->send(wire::FromWorker::operation,
              wire::encode(wire::WorkerOperation{take_asked(), object, name, type, contents}));
  const auto body = pipe_->receive(wire::ToWorker::answer);
  if (!body) _exit(0);
  wire::Cursor in(*body);
  const wire::WorkerAnswer answer = wire::decode_worker_answer(in);
  if (answer.stop && superposed())
    deny("one lane is not what was recorded, in operation " + std::to_string(static_cast<int>(type)) +
         " on " + std::to_string(static_cast<int>(object)));
  if (!in.finished() || answer.stop) {
    stop(wire::Ending::stopped);
    return {};
  }
  return {answer.outcome, answer.result};
}

SqlResult ToldWorld::ask_sql(std::uint64_t connection, wire::OperationType type, std::string_view contents) {
  const std::string name = connection <= databases_.size() ? databases_[connection - 1] : "";
  const Answer answer = ask(wire::ObjectKind::database, name, type, contents);
  SqlResult result;
  if (answer.outcome != 0) {  // it was not performed on the server: somebody else was in the way
    result.code = static_cast<int>(answer.outcome);
    result.message = sqlite3_errstr(result.code);
    return result;
  }
  if (answer.result.empty()) return result;
  wire::Cursor in(answer.result);
  const wire::SqlResult told = wire::decode_sql_result(in);
  if (!in.finished()) {
    stop(wire::Ending::trouble);
    return result;
  }
  return to_php(told);
}

SqlResult ToldWorld::sql_open(std::uint64_t connection, const std::string& path, wire::OpenMode mode) {
  databases_.resize(connection);
  databases_[connection - 1] = path;
  return ask_sql(connection, wire::OperationType::sql_open, wire::sql_open(connection, mode));
}

SqlResult ToldWorld::sql_prepare(std::uint64_t connection, std::string_view sql) {
  return ask_sql(connection, wire::OperationType::sql_prepare, wire::sql_statement(connection, sql, {}));
}

SqlResult ToldWorld::sql_statement(std::uint64_t connection, std::string_view sql,
                                   const std::vector<wire::SqlParameter>& parameters) {
  return ask_sql(connection, wire::OperationType::sql_statement,
                 wire::sql_statement(connection, sql, parameters));
}

void ToldWorld::sql_close(std::uint64_t connection) {
  ask_sql(connection, wire::OperationType::sql_close, wire::sql_close(connection));
}

void ToldWorld::sql_timeout(std::uint64_t, int) {}

ToldWorld::Answer ToldWorld::ask_kv(wire::OperationType type, std::string_view contents) {
  return ask(wire::ObjectKind::key_value, {}, type, contents);
}

bool ToldWorld::ask_kv_yes(wire::OperationType type, std::string_view contents) {
  const Answer answer = ask_kv(type, contents);
  return answer.outcome == 0 && !answer.result.empty() && answer.result.front() == 1;
}

std::optional<StoredValue> ToldWorld::kv_fetch(std::string_view key) {
  const Answer answer = ask_kv(wire::OperationType::kv_fetch, wire::kv_keys(ask_clock(), {key}));
  wire::Cursor in(answer.result);
  if (in.byte() != 1) return std::nullopt;
  const wire::KvValue value = wire::take_kv_value(in);
  return StoredValue{value.is_integer, value.integer, std::string(value.bytes)};
}

bool ToldWorld::kv_exists(std::string_view key) {
  return ask_kv_yes(wire::OperationType::kv_exists, wire::kv_keys(ask_clock(), {key}));
}

bool ToldWorld::kv_store(std::string_view key, const wire::KvValue& value, std::uint64_t ttl) {
  return ask_kv(wire::OperationType::kv_store, wire::kv_entries(ask_clock(), ttl, {{key, value}})).outcome ==
         0;
}

bool ToldWorld::kv_add(std::string_view key, const wire::KvValue& value, std::uint64_t ttl) {
  return ask_kv_yes(wire::OperationType::kv_add, wire::kv_entries(ask_clock(), ttl, {{key, value}}));
}

bool ToldWorld::kv_delete(std::string_view key) {
  return ask_kv_yes(wire::OperationType::kv_delete, wire::kv_keys(ask_clock(), {key}));
}

std::optional<std::int64_t> ToldWorld::kv_inc(std::string_view key, std::int64_t step, std::uint64_t ttl) {
  const Answer answer = ask_kv(wire::OperationType::kv_inc, wire::kv_inc(ask_clock(), ttl, key, step));
  wire::Cursor in(answer.result);
  if (in.byte() != 1) return std::nullopt;
  return in.integer();
}

bool ToldWorld::kv_cas(std::string_view key, std::int64_t expected, std::int64_t desired) {
  return ask_kv_yes(wire::OperationType::kv_cas, wire::kv_cas(ask_clock(), key, expected, desired));
}

void ToldWorld::kv_clear() {
  ask_kv(wire::OperationType::kv_clear, {});
}

std::optional<std::string> ToldWorld::session_read(std::string_view id) {
  const Answer answer = ask(wire::ObjectKind::session, id, wire::OperationType::register_read, {});
  wire::Cursor in(answer.result);
  if (in.byte() != 1) return std::nullopt;
  return std::string(in.bytes());
}

bool ToldWorld::session_write(std::string_view id, std::string_view value) {
  return ask(wire::ObjectKind::session, id, wire::OperationType::register_write, value).outcome == 0;
}

void ToldWorld::session_delete(std::string_view id) {
  ask(wire::ObjectKind::session, id, wire::OperationType::register_delete, {});
}

bool ToldWorld::lock_acquire(std::string_view name, std::uint64_t handle, wire::LockMode mode, bool wait,
                             bool (*)(void*), void*) {
  const std::string contents = wire::lock_acquire(name, handle, mode, wait);
  return ask(wire::ObjectKind::locks, {}, wire::OperationType::lock_acquire, contents).outcome == 0;
}

void ToldWorld::lock_release(std::string_view name, std::uint64_t handle) {
  ask(wire::ObjectKind::locks, {}, wire::OperationType::lock_release, wire::lock_release(name, handle));
}

}  // namespace assay::php
