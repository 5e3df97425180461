// The world outside a PHP program: everything that a request reads or changes beyond its own memory and its
// input. The functions of PHP that touch it are replaced (intercept.hpp) by ones that ask here, and they are
// the same when the server records and when the auditor runs the request again. Only who answers differs:
// the recorder lets it happen and writes it down (record/live_world.hpp), the worker asks the auditor
// (rerun/told_world.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/wire/contents.hpp"
#include "audit/wire/report_records.hpp"
#include "common/php.hpp"

namespace assay::php {

namespace wire = audit::wire;

// What one statement gave. Rows are complete: a statement runs to its end before the program goes on.
struct SqlResult {
  int code = 0;  // SQLite's extended code; if there are rows, of what happened after the last
  std::string message;
  std::vector<std::string> columns;
  std::vector<zval> cells;  // row by row, owned
  std::string statement;    // one that stands for the text that was asked, if that is none itself
  std::int64_t changes = 0;
  std::int64_t last_rowid = 0;
  std::size_t tail = 0;  // where the next statement of the text begins

  SqlResult() = default;
  SqlResult(const SqlResult&) = delete;
  SqlResult& operator=(const SqlResult&) = delete;
  SqlResult(SqlResult&& other) noexcept = default;
  SqlResult& operator=(SqlResult&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SqlResult() {
    for (zval& cell : cells) zval_ptr_dtor(&cell);
  }
  std::size_t rows() const { return columns.empty() ? 0 : cells.size() / columns.size(); }
  void swap(SqlResult& other) noexcept {
    std::swap(code, other.code);
    message.swap(other.message);
    columns.swap(other.columns);
    cells.swap(other.cells);
    statement.swap(other.statement);
    std::swap(changes, other.changes);
    std::swap(last_rowid, other.last_rowid);
    std::swap(tail, other.tail);
  }
};

// A value of the key-value table that outlives the call.
struct StoredValue {
  bool is_integer = false;
  std::int64_t integer = 0;
  std::string bytes;
};

class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  // Does the original of a replaced function have its effect, or is only its answer told?
  virtual bool live() const = 0;

  // Nanoseconds since 1970. The clock stands still between questions; C code reads it without asking.
  virtual std::uint64_t ask_clock() = 0;
  virtual std::uint64_t ask_clock_after_sleep() = 0;
  virtual std::uint64_t clock_standing() const = 0;
  virtual void random_bytes(void* out, std::size_t size) = 0;
  virtual std::uint64_t process_id() = 0;
  virtual std::string host_name() = 0;
  // A fact about the machine: `truth` is called where it is known, its answer is what everybody gets.
  virtual std::string fact(std::string (*truth)(void*), void* context) = 0;
  // What was told is nothing that can be the answer here. Where it was told, this ends the request, and the
  // server is wrong.
  virtual void refuse_told() = 0;
  // The program does `what`, which really happens on the server and which nobody could do again. Where nothing
  // happens, this ends the request, without a verdict about it.
  virtual void cannot_repeat(const std::string& what) = 0;

  virtual SqlResult sql_open(std::uint64_t connection, const std::string& path, wire::OpenMode mode) = 0;
  virtual SqlResult sql_prepare(std::uint64_t connection, std::string_view sql) = 0;
  virtual SqlResult sql_statement(std::uint64_t connection, std::string_view sql,
                                  const std::vector<wire::SqlParameter>& parameters) = 0;
  virtual void sql_close(std::uint64_t connection) = 0;
  virtual void sql_timeout(std::uint64_t connection, int milliseconds) = 0;
  // What the program gets of a cell.
  virtual void copy_cell(zval* out, zval* cell) const { ZVAL_COPY(out, cell); }

  virtual std::optional<StoredValue> kv_fetch(std::string_view key) = 0;
  virtual bool kv_exists(std::string_view key) = 0;
  virtual bool kv_store(std::string_view key, const wire::KvValue& value, std::uint64_t ttl) = 0;
  virtual bool kv_add(std::string_view key, const wire::KvValue& value, std::uint64_t ttl) = 0;
  virtual bool kv_delete(std::string_view key) = 0;
  virtual std::optional<std::int64_t> kv_inc(std::string_view key, std::int64_t step, std::uint64_t ttl) = 0;
  virtual bool kv_cas(std::string_view key, std::int64_t expected, std::int64_t desired) = 0;
  virtual void kv_clear() = 0;

  virtual std::optional<std::string> session_read(std::string_view id) = 0;
  // False if there is no room.
  virtual bool session_write(std::string_view id, std::string_view value) = 0;
  virtual void session_delete(std::string_view id) = 0;

  // `grant` really takes the lock, where that is possible; false if it is not to be had.
  virtual bool lock_acquire(std::string_view name, std::uint64_t handle, wire::LockMode mode, bool wait,
                            bool (*grant)(void*), void* context) = 0;
  virtual void lock_release(std::string_view name, std::uint64_t handle) = 0;
};

// The world of the request that runs now; null between requests and while nothing is to be intercepted.
extern World* world;

}  // namespace assay::php
