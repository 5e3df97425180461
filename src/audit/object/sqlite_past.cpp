// What is carried over of a connection when an audit ends and another one goes on (docs/audit.md, "Periods").
#include <fmt/format.h>

#include <stdexcept>

#include "audit/object/sqlite_connection.hpp"

namespace assay::audit {

SqliteConnection::Transaction SqliteConnection::transaction() const {
  if (sqlite3_get_autocommit(db_.get()) != 0) return Transaction::none;
  switch (sqlite3_txn_state(db_.get(), "main")) {
    case SQLITE_TXN_READ:
      return Transaction::reads;
    case SQLITE_TXN_WRITE:
      return Transaction::writes;
    default:
      return Transaction::begun;
  }
}

// Some settings do nothing within a transaction: there is no telling then what they come to.
void SqliteConnection::note_settings(wire::Bytes sql) {
  if (sqlite3_get_autocommit(db_.get()) == 0) tells_past_ = false;
  settings_.emplace_back(sql);
}

std::optional<SqliteConnection::Past> SqliteConnection::past() const {
  if (!tells_past_) return std::nullopt;
  return Past{settings_, sqlite3_last_insert_rowid(db_.get()), total_changes() - stale_total_};
}

void SqliteConnection::take_settings(const Past& past) {
  std::string result;
  for (const std::string& setting : past.settings) run(setting, {}, result);
}

void SqliteConnection::take_counters(const Past& past) {
  sqlite3_set_last_insert_rowid(db_.get(), past.last_rowid);
  total_at_cut_ = total_changes();
  stale_total_ = total_at_cut_ - past.total_changes;
  stale_changes_ = -1;
}

void SqliteConnection::copy_to(const std::string& file) {
  sqlite3* raw = nullptr;
  int code = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  const std::unique_ptr<sqlite3, CloseDatabase> copy(raw);
  // If the machine dies the copy may be damaged, but it carries a checksum.
  if (code == SQLITE_OK)
    code = sqlite3_exec(raw, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF", nullptr, nullptr, nullptr);
  own_business_ = true;
  sqlite3_backup* backup =
      code == SQLITE_OK ? sqlite3_backup_init(copy.get(), "main", db_.get(), "main") : nullptr;
  if (backup != nullptr) {
    sqlite3_backup_step(backup, -1);
    code = sqlite3_backup_finish(backup);
  } else if (code == SQLITE_OK) {
    code = sqlite3_errcode(copy.get());
  }
  own_business_ = false;
  if (code != SQLITE_OK) {
    throw std::runtime_error(fmt::format("{}: cannot copy a database: {}", file, sqlite3_errstr(code)));
  }
}

}  // namespace assay::audit
