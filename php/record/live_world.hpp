// The world of a recorded request: everything really happens, and the log says in which order.
#pragma once

#include <map>
#include <memory>

#include "common/world.hpp"
#include "record/commit_order.hpp"
#include "record/kv_table.hpp"
#include "record/live_sql.hpp"
#include "record/log.hpp"
#include "record/path_locks.hpp"

namespace assay::php {

class LiveWorld final : public World {
 public:
  LiveWorld(Shared& shared, Log& log, std::size_t worker)
      : shared_(&shared),
        table_(shared),
        order_(shared, worker),
        log_(&log),
        path_locks_(shared.folder() + "/shared") {}

  void begin(std::uint64_t clock);
  void end();

  bool live() const override { return true; }
  std::uint64_t ask_clock() override;
  std::uint64_t ask_clock_after_sleep() override;
  std::uint64_t clock_standing() const override { return clock_; }
  void random_bytes(void* out, std::size_t size) override;
  std::uint64_t process_id() override;
  std::string host_name() override;
  std::string fact(std::string (*truth)(void*), void* context) override;
  void refuse_told() override {}
  void cannot_repeat(const std::string&) override {}

  SqlResult sql_open(std::uint64_t connection, const std::string& path, wire::OpenMode mode) override;
  SqlResult sql_prepare(std::uint64_t connection, std::string_view sql) override;
  SqlResult sql_statement(std::uint64_t connection, std::string_view sql,
                          const std::vector<wire::SqlParameter>& parameters) override;
  void sql_close(std::uint64_t connection) override;
  void sql_timeout(std::uint64_t connection, int milliseconds) override;

  std::optional<StoredValue> kv_fetch(std::string_view key) override;
  bool kv_exists(std::string_view key) override;
  bool kv_store(std::string_view key, const wire::KvValue& value, std::uint64_t ttl) override;
  bool kv_add(std::string_view key, const wire::KvValue& value, std::uint64_t ttl) override;
  bool kv_delete(std::string_view key) override;
  std::optional<std::int64_t> kv_inc(std::string_view key, std::int64_t step, std::uint64_t ttl) override;
  bool kv_cas(std::string_view key, std::int64_t expected, std::int64_t desired) override;
  void kv_clear() override;

  std::optional<std::string> session_read(std::string_view id) override;
  bool session_write(std::string_view id, std::string_view value) override;
  void session_delete(std::string_view id) override;

  bool lock_acquire(std::string_view name, std::uint64_t handle, wire::LockMode mode, bool wait,
                    bool (*grant)(void*), void* context) override;
  void lock_release(std::string_view name, std::uint64_t handle) override;

 private:
  void tell_clock();
  using Change = KvTable::Change;
  void log_kv(wire::OperationType type, std::string_view contents, const Change& change = {},
              bool performed = true);
  void log_table(wire::ObjectKind kind, std::string_view name, wire::OperationType type,
                 std::string_view contents, const Change& change, bool performed);

  Shared* shared_;
  KvTable table_;
  CommitOrder order_;
  Log* log_;
  std::uint64_t clock_ = 0;
  std::map<std::uint64_t, std::unique_ptr<LiveConnection>> connections_;
  PathLocks path_locks_;
};

// The system's clock, in nanoseconds but to the microsecond, which is what PHP shows.
std::uint64_t true_clock();

}  // namespace assay::php
