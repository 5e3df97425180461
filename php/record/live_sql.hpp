// A connection to a real SQLite database, whose statements get numbers that are their true order: running
// them again one after the other, by number, gives every one the same rows and errors.
//
// - A statement holds a read slot (commit_order.hpp) from before its compilation until it has taken its
//   snapshot, which is during its first step, and then its number.
// - One that gets the database's write lock takes its number at that moment, and gives the slot back.
// - A commit takes all slots and its number in SQLite's commit hook, when no other writer can be.
// - ROLLBACK gives the write lock away, so its number is taken before.
// Nothing that holds a slot waits for the write lock: the slot is given back for as long as it waits. That the
// order is true is Lemma C of docs/audit.md. It is so in WAL mode only.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/sql_text.hpp"
#include "common/world.hpp"
#include "record/commit_order.hpp"
#include "record/log.hpp"

namespace assay::php {

class LiveConnection {
 public:
  LiveConnection(Log& log, CommitOrder& order, std::uint64_t number, std::string path)
      : log_(&log), order_(&order), number_(number), path_(std::move(path)) {}
  LiveConnection(const LiveConnection&) = delete;
  LiveConnection& operator=(const LiveConnection&) = delete;
  ~LiveConnection();

  SqlResult open(wire::OpenMode mode);
  SqlResult prepare(std::string_view sql);
  SqlResult run(std::string_view sql, const std::vector<wire::SqlParameter>& parameters);
  void close();
  void set_timeout(int milliseconds) { sqlite3_busy_timeout(database_, milliseconds); }

 private:
  struct Prepared {
    sqlite3_stmt* statement = nullptr;
    std::size_t tail = 0;
  };

  Prepared* compile(std::string_view sql, SqlResult& result);
  void forget(std::string_view sql);
  bool bind(sqlite3_stmt* statement, const std::vector<wire::SqlParameter>& parameters, SqlResult& result);
  int step(sqlite3_stmt* statement, SqlResult& result);
  void finish(sqlite3_stmt* statement, int status, SqlResult& result);
  std::uint64_t control(sqlite3_stmt* statement, Verb kind, SqlResult& result);
  std::uint64_t perform(sqlite3_stmt* statement, bool may_change, SqlResult& result);
  int step_and_wait(sqlite3_stmt* statement, SqlResult& result);
  void know_schema();
  int timeout();
  void take_error(SqlResult& result, int status);
  void take_slot();
  void give_slot();
  void note_commit();
  void record(std::uint64_t number, std::uint64_t outcome);
  static int on_commit(void* self);
  static int on_progress(void* self);
  static int on_busy(void* self, int times);

  Log* log_;
  CommitOrder* order_;
  std::uint64_t number_;
  std::string path_;
  sqlite3* database_ = nullptr;
  std::unordered_map<std::string, Prepared> prepared_;
  std::string contents_;  // of the operation that runs
  std::uint64_t known_schemas_ = 0;
  bool defines_ = false;  // this transaction may have changed the schema
  bool has_slot_ = false;
  std::uint64_t number_taken_ = 0;   // by this statement, when its place was certain
  std::uint64_t commit_number_ = 0;  // given by the commit hook; all slots are held while it is not 0
  std::chrono::steady_clock::time_point wait_until_;
  std::chrono::milliseconds longest_wait_{};
};

}  // namespace assay::php
