#include "redo.hpp"

#include <sqlite3.h>

#include <map>
#include <memory>
#include <stdexcept>

namespace assay::php::testing {

namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, Close>;

Database open(const std::string& path) {
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) != SQLITE_OK)
    throw std::runtime_error(path + ": cannot be opened");
  return Database(database);
}

void bind(sqlite3_stmt* statement, wire::Cursor& in) {
  for (std::size_t n = in.count(3); n > 0; --n) {
    auto index = static_cast<int>(in.natural());
    const std::string name(in.bytes());
    if (index == 0) index = sqlite3_bind_parameter_index(statement, name.c_str());
    switch (static_cast<wire::SqlType>(in.byte())) {
      case wire::SqlType::integer:
        sqlite3_bind_int64(statement, index, in.integer());
        break;
      case wire::SqlType::text: {
        const auto text = in.bytes();
        sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
        break;
      }
      case wire::SqlType::blob: {
        const auto blob = in.bytes();
        sqlite3_bind_blob(statement, index, blob.data(), static_cast<int>(blob.size()), SQLITE_TRANSIENT);
        break;
      }
      default:
        sqlite3_bind_null(statement, index);
    }
  }
}

}  // namespace

Redone redo_sql(const Reports& reports, const std::string& name, const std::string& copy) {
  Redone redone;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Database> connections;
  for (const auto& [seq, operation] : reports.operations) {
    if (operation.kind != wire::ObjectKind::database || operation.object != name) continue;
    wire::Cursor in(operation.contents);
    const std::pair connection{operation.rid, in.natural()};
    if (operation.type == wire::OperationType::sql_open) connections[connection] = open(copy);
    if (operation.type == wire::OperationType::sql_close) connections.erase(connection);
    if (operation.type != wire::OperationType::sql_statement || operation.outcome != 0) continue;
    const std::string sql(in.bytes());
    sqlite3* database = connections.at(connection).get();
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
    if (statement != nullptr) {
      bind(statement, in);
      int status = SQLITE_ROW;
      while (status == SQLITE_ROW) status = sqlite3_step(statement);
      if (status == SQLITE_BUSY || status == SQLITE_LOCKED) ++redone.busy;
      sqlite3_finalize(statement);
    }
    ++redone.statements;
  }
  return redone;
}

std::string dump(const std::string& path) {
  const Database database = open(path);
  std::string out;
  const auto rows = [&](const std::string& sql, const auto& take) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
      throw std::runtime_error(sql);
    while (sqlite3_step(statement) == SQLITE_ROW) take(statement);
    sqlite3_finalize(statement);
  };
  std::vector<std::string> tables;
  rows("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name", [&](sqlite3_stmt* row) {
    tables.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(row, 0)));
  });
  for (const std::string& table : tables) {
    out += table + "\n";
    rows("SELECT rowid, * FROM " + table + " ORDER BY rowid", [&](sqlite3_stmt* row) {
      for (int i = 0; i < sqlite3_column_count(row); ++i) {
        const unsigned char* text = sqlite3_column_text(row, i);
        out += (text != nullptr ? reinterpret_cast<const char*>(text) : "NULL") + std::string("|");
      }
      out += "\n";
    });
  }
  return out;
}

}  // namespace assay::php::testing
