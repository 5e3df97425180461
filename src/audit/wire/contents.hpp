// What a program asked of an object, as bytes. The recorder and the re-execution build them with these same
// functions, for the auditor compares them byte by byte.
#pragma once

#include <cstring>
#include <vector>

#include "audit/wire/encoding.hpp"

namespace assay::audit::wire {

// ---- Databases

enum class OpenMode : std::uint8_t { read_write_create = 0, read_only = 1, read_write = 2 };

enum class SqlType : std::uint8_t { null = 0, integer = 1, real = 2, text = 3, blob = 4 };
struct SqlValue {
  SqlType type = SqlType::null;
  std::int64_t integer = 0;
  double real = 0;
  Bytes bytes;  // of a text or a blob
};
struct SqlParameter {
  std::uint64_t index = 0;  // 1, 2, ...; 0 if it is bound by name
  Bytes name;               // with its colon, at-sign or dollar; empty if it is bound by index
  SqlValue value;
};

inline void put_sql_value(std::string& out, const SqlValue& value) {
  put_byte(out, static_cast<std::uint8_t>(value.type));
  if (value.type == SqlType::integer) put_integer(out, value.integer);
  if (value.type == SqlType::real) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value.real, sizeof bits);
    put_u64(out, bits);
  }
  if (value.type == SqlType::text || value.type == SqlType::blob) put_bytes(out, value.bytes);
}
inline std::string sql_open(std::uint64_t connection, OpenMode mode) {
  std::string out;
  put_natural(out, connection);
  put_byte(out, static_cast<std::uint8_t>(mode));
  return out;
}
// Of a statement, and with no parameters of a prepare. `sql` may hold several: the operation is the
// first one.
inline std::string sql_statement(std::uint64_t connection, Bytes sql,
                                 const std::vector<SqlParameter>& parameters) {
  std::string out;
  put_natural(out, connection);
  put_bytes(out, sql);
  put_natural(out, parameters.size());
  for (const SqlParameter& parameter : parameters) {
    put_natural(out, parameter.index);
    put_bytes(out, parameter.name);
    put_sql_value(out, parameter.value);
  }
  return out;
}
inline std::string sql_close(std::uint64_t connection) {
  std::string out;
  put_natural(out, connection);
  return out;
}

// ---- The key-value table

// An integer, on which inc and cas work, or whatever else PHP stored, serialized.
struct KvValue {
  bool is_integer = false;
  std::int64_t integer = 0;
  Bytes bytes;
};
struct KvEntry {
  Bytes key;
  KvValue value;
};

inline void put_kv_value(std::string& out, const KvValue& value) {
  put_byte(out, value.is_integer ? 1 : 0);
  if (value.is_integer) put_integer(out, value.integer);
  if (!value.is_integer) put_bytes(out, value.bytes);
}
// fetch, exists and delete; the clock is the request's, in nanoseconds since 1970.
inline std::string kv_keys(std::uint64_t clock, const std::vector<Bytes>& keys) {
  std::string out;
  put_natural(out, clock);
  put_natural(out, keys.size());
  for (const Bytes key : keys) put_bytes(out, key);
  return out;
}
// store and add; `ttl` in seconds, 0 for ever.
inline std::string kv_entries(std::uint64_t clock, std::uint64_t ttl, const std::vector<KvEntry>& entries) {
  std::string out;
  put_natural(out, clock);
  put_natural(out, ttl);
  put_natural(out, entries.size());
  for (const KvEntry& entry : entries) {
    put_bytes(out, entry.key);
    put_kv_value(out, entry.value);
  }
  return out;
}
// apcu_inc; apcu_dec is a step below zero.
inline std::string kv_inc(std::uint64_t clock, std::uint64_t ttl, Bytes key, std::int64_t step) {
  std::string out;
  put_natural(out, clock);
  put_natural(out, ttl);
  put_bytes(out, key);
  put_integer(out, step);
  return out;
}
inline std::string kv_cas(std::uint64_t clock, Bytes key, std::int64_t expected, std::int64_t desired) {
  std::string out;
  put_natural(out, clock);
  put_bytes(out, key);
  put_integer(out, expected);
  put_integer(out, desired);
  return out;
}
// kv_clear has no contents.

// ---- Sessions: read and delete have no contents, those of a write are the value itself.

// ---- Locks

enum class LockMode : std::uint8_t { shared = 1, exclusive = 2 };

// `handle` numbers the open files of the request, from 1; `wait` is false for LOCK_NB.
inline std::string lock_acquire(Bytes name, std::uint64_t handle, LockMode mode, bool wait) {
  std::string out;
  put_bytes(out, name);
  put_natural(out, handle);
  put_byte(out, static_cast<std::uint8_t>(mode));
  put_byte(out, wait ? 1 : 0);
  return out;
}
inline std::string lock_release(Bytes name, std::uint64_t handle) {
  std::string out;
  put_bytes(out, name);
  put_natural(out, handle);
  return out;
}

}  // namespace assay::audit::wire
