// The world of a request that is run again: nothing happens, everything is told by the auditor.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/world.hpp"
#include "rerun/pipe.hpp"

namespace assay::php {

class ToldWorld : public World {
 public:
  explicit ToldWorld(Pipe& pipe) : pipe_(&pipe) {}

  // What may be told is taken from `order`, whose bytes are copied.
  void begin(const wire::RunOrder& order);
  std::uint64_t seed();  // of mt_rand

  // Ends the request: nothing more is asked, and PHP leaves the program at once. Returns only where the program has been
  // left already and PHP gives back what it held (a connection in a static variable, say).
  void stop(wire::Ending how);
  wire::Ending ending() const { return ending_; }
  const std::string& why() const { return why_; }  // if the ending is trouble
  std::vector<wire::Asked> take_asked();

  bool live() const override { return false; }
  std::uint64_t ask_clock() override;
  std::uint64_t ask_clock_after_sleep() override { return ask_clock(); }
  std::uint64_t clock_standing() const override { return clock_; }
  void random_bytes(void* out, std::size_t size) override;
  std::uint64_t process_id() override;
  std::string host_name() override;
  std::string fact(std::string (*truth)(void*), void* context) override;
  void refuse_told() override { stop(wire::Ending::nothing_to_tell); }
  void cannot_repeat(const std::string& what) override;

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
  struct Stream {  // the values of one kind
    struct Value {
      std::uint64_t repeat;
      std::string bytes;
    };
    std::vector<Value> values;
    std::size_t next = 0;
    std::uint64_t given = 0;  // how often the value at `next` was told
  };
  struct Answer {
    std::uint64_t outcome = 0;
    std::string_view result;
  };

  bool has(wire::NdKind kind);
  std::string tell(wire::NdKind kind);
  std::uint64_t tell_number(wire::NdKind kind);
  Answer ask(wire::ObjectKind object, std::string_view name, wire::OperationType type,
             std::string_view contents);
  Answer ask_kv(wire::OperationType type, std::string_view contents);
  bool ask_kv_yes(wire::OperationType type, std::string_view contents);
  SqlResult ask_sql(std::uint64_t connection, wire::OperationType type, std::string_view contents);

  Pipe* pipe_;
  std::array<Stream, 256> streams_;
  std::vector<wire::Asked> asked_;
  std::vector<std::string> databases_;  // by connection
  std::uint64_t clock_ = 0;
  wire::Ending ending_ = wire::Ending::complete;
  std::string why_;
};

}  // namespace assay::php
