// The reports: records that the recorder inside PHP writes, any number of them in a RECS frame.
#pragma once

#include "audit/wire/encoding.hpp"

namespace assay::audit::wire {

enum class Record : std::uint8_t {
  property = 1,        // what the recorder runs on: "php" "8.2.35", "sqlite" "3.40.1"
  object = 2,          // a number for an object, valid in this file from here on
  group = 3,           // this request took that path
  count = 4,           // this request performed that many operations
  operation = 5,       // one operation
  nondeterminism = 6,  // a value that was neither input nor read from an object
};

enum class ObjectKind : std::uint8_t { database = 1, key_value = 2, session = 3, locks = 4 };

enum class OperationType : std::uint8_t {
  sql_open = 1,
  sql_statement = 2,
  sql_close = 3,
  sql_prepare = 4,
  kv_fetch = 16,
  kv_exists = 17,
  kv_store = 18,
  kv_add = 19,
  kv_delete = 20,
  kv_inc = 21,
  kv_cas = 22,
  kv_clear = 23,
  register_read = 32,
  register_write = 33,
  register_delete = 34,
  lock_acquire = 48,
  lock_release = 49,
};

// The outcome of a key-value operation that found the table full, and of a lock that was not granted.
inline constexpr std::uint64_t kNotPerformed = 1;

struct Operation {
  std::uint64_t object = 0;  // its number in this file
  std::uint64_t seq = 0;     // its place in the object's log: distinct there; only the order counts
  std::uint64_t rid = 0;
  std::uint64_t opnum = 0;  // 1, 2, 3, ... within the request, over all objects
  OperationType type = OperationType::sql_open;
  std::uint64_t outcome = 0;  // 0, or why it was not performed: a code of SQLite, kNotPerformed
  Bytes contents;             // what the program asked for: contents.hpp
};

enum class NdKind : std::uint8_t {
  clock = 1,         // u64: nanoseconds since 1970
  random_seed = 2,   // u64: the seed of mt_rand
  random_bytes = 3,  // bytes
  process_id = 4,    // u64, the same throughout a request
  unique_id = 5,     // bytes: uniqid, lcg_value, ...
  host_name = 6,     // bytes, the same throughout a request
  file_fact = 7,     // bytes: what is_file, file_exists, ... said of a path outside the code tree
};

struct Nondeterminism {
  std::uint64_t rid = 0;
  std::uint64_t after = 0;  // how many operations the request had performed when the value was first given
  NdKind kind = NdKind::clock;
  std::uint64_t repeat = 1;  // how often in a row a question of this kind got this answer
  Bytes value;
};

inline void put_property(std::string& out, Bytes name, Bytes value) {
  put_byte(out, static_cast<std::uint8_t>(Record::property));
  put_bytes(out, name);
  put_bytes(out, value);
}
inline void put_object(std::string& out, std::uint64_t number, ObjectKind kind, Bytes name) {
  put_byte(out, static_cast<std::uint8_t>(Record::object));
  put_natural(out, number);
  put_byte(out, static_cast<std::uint8_t>(kind));
  put_bytes(out, name);
}
inline void put_group(std::string& out, std::uint64_t rid, std::uint64_t tag) {
  put_byte(out, static_cast<std::uint8_t>(Record::group));
  put_natural(out, rid);
  put_u64(out, tag);
}
inline void put_count(std::string& out, std::uint64_t rid, std::uint64_t operations) {
  put_byte(out, static_cast<std::uint8_t>(Record::count));
  put_natural(out, rid);
  put_natural(out, operations);
}
inline void put_operation(std::string& out, const Operation& op) {
  put_byte(out, static_cast<std::uint8_t>(Record::operation));
  put_natural(out, op.object);
  put_natural(out, op.seq);
  put_natural(out, op.rid);
  put_natural(out, op.opnum);
  put_byte(out, static_cast<std::uint8_t>(op.type));
  put_natural(out, op.outcome);
  put_bytes(out, op.contents);
}
inline void put_nondeterminism(std::string& out, const Nondeterminism& nd) {
  put_byte(out, static_cast<std::uint8_t>(Record::nondeterminism));
  put_natural(out, nd.rid);
  put_natural(out, nd.after);
  put_byte(out, static_cast<std::uint8_t>(nd.kind));
  put_natural(out, nd.repeat);
  put_bytes(out, nd.value);
}

}  // namespace assay::audit::wire
