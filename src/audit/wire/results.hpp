// Results of operations as bytes: what the auditor's objects compute, and what a re-execution is told. They
// stand in no file. An operation that was not performed has an empty result; its outcome says why.
#pragma once

#include <cstring>
#include <vector>

#include "audit/wire/contents.hpp"
#include "audit/wire/encoding.hpp"

namespace assay::audit::wire {

// ---- Databases: of open, prepare and close only code and message mean anything.

struct SqlColumn {
  Bytes name;
  Bytes declared;  // the type in the table's declaration; empty if there is none
};
struct SqlResult {
  std::uint64_t code = 0;  // 0, or SQLite's extended result code
  Bytes message;
  std::uint64_t consumed = 0;   // where the text after the statement begins
  std::int64_t changes = 0;     // sqlite3_changes() if sqlite3_total_changes() grew by it; otherwise 0
  std::int64_t last_rowid = 0;  // of this connection
  std::vector<SqlColumn> columns;
  std::vector<SqlValue> cells;  // row by row
};

inline SqlValue take_sql_value(Cursor& in) {
  SqlValue value;
  const std::uint8_t type = in.byte();
  value.type = static_cast<SqlType>(type);
  if (value.type == SqlType::integer) value.integer = in.integer();
  if (value.type == SqlType::real) {
    const std::uint64_t bits = in.u64();
    std::memcpy(&value.real, &bits, sizeof bits);
  }
  if (value.type == SqlType::text || value.type == SqlType::blob) value.bytes = in.bytes();
  if (type > 4) in.refuse();
  return value;
}
inline void put_sql_result_head(std::string& out, const SqlResult& result) {
  put_natural(out, result.code);
  put_bytes(out, result.message);
  put_natural(out, result.consumed);
  put_integer(out, result.changes);
  put_integer(out, result.last_rowid);
  put_natural(out, result.columns.size());
  for (const SqlColumn& column : result.columns) {
    put_bytes(out, column.name);
    put_bytes(out, column.declared);
  }
}
inline std::string encode(const SqlResult& result) {
  std::string out;
  put_sql_result_head(out, result);
  for (const SqlValue& cell : result.cells) put_sql_value(out, cell);
  return out;
}
inline SqlResult decode_sql_result(Cursor& in) {
  SqlResult result;
  result.code = in.natural();
  result.message = in.bytes();
  result.consumed = in.natural();
  result.changes = in.integer();
  result.last_rowid = in.integer();
  result.columns.resize(in.count(2));
  for (SqlColumn& column : result.columns) {
    column.name = in.bytes();
    column.declared = in.bytes();
  }
  while (in.ok() && !in.at_end()) result.cells.push_back(take_sql_value(in));
  return result;
}

// ---- The key-value table
//
//   fetch                 for each key: byte 1 and the value, or byte 0
//   exists, add, delete   for each key: byte 1 or 0
//   inc                   byte 1 and the new integer, or byte 0
//   cas                   byte 1 or 0
//   store, clear          nothing

inline KvValue take_kv_value(Cursor& in) {
  KvValue value;
  const std::uint8_t kind = in.byte();
  value.is_integer = kind == 1;
  if (value.is_integer) {
    value.integer = in.integer();
  } else {
    value.bytes = in.bytes();
  }
  if (kind > 1) in.refuse();
  return value;
}

// ---- Sessions: a read has byte 1 and the value as bytes, or byte 0; the others nothing. Locks: nothing.

}  // namespace assay::audit::wire
