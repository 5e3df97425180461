// A database as a machine: SQLite with the connections of all requests, each with its open transaction. One
// statement runs at a time, to its end, on a copy of the database that belongs to the auditor alone. The
// contents of statements must outlive it: they tell what is open when it is saved.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "audit/object/machine.hpp"
#include "audit/object/sqlite_connection.hpp"

namespace assay::audit {

class Database : public Machine {
 public:
  // Goes on where another one was saved to files of this name.
  Database(std::filesystem::path file, wire::Cursor& saved, const std::filesystem::path& files,
           const SqliteLimits& limits = {});

  // The copy is made at `file`. Without an initial state there is no database until somebody creates it.
  // Throws std::filesystem::filesystem_error, std::runtime_error.
  Database(std::filesystem::path file, const std::optional<std::filesystem::path>& initial,
           const SqliteLimits& limits = {});

  Step step(const MachineOperation& operation, std::string& result) override;
  void skip(const MachineOperation& operation) override;
  void abandon(std::uint64_t rid) override;
  std::optional<std::string> save(std::string& out, const std::filesystem::path& files) override;

  // Where the state after the last operation stands, once everything in it has been written there.
  const std::filesystem::path& file() const { return file_; }

 private:
  struct Open {
    std::unique_ptr<SqliteConnection> connection;
    wire::OpenMode mode = wire::OpenMode::read_write_create;
    // The statements since it began, as they stand in the log, without those that left no trace in it.
    std::vector<wire::Bytes> transaction{};
    // The anchor's data_version() when the transaction took its snapshot.
    std::optional<std::int64_t> snapshot{};
    // The transaction is one of a period before: it reads a copy of a snapshot that is gone.
    bool reads_copy = false;
    bool may_change_schema = false;  // its transaction may have
    std::unique_ptr<SqliteConnection> copy_anchor{};
  };
  struct Statement {
    std::uint64_t connection = 0;
    wire::Bytes sql;
    std::vector<wire::SqlParameter> parameters;
  };

  Step open(std::uint64_t rid, wire::Cursor& in, std::string& result);
  Step close(std::uint64_t rid, wire::Cursor& in);
  void put_back(Open open);
  static Statement take_statement(wire::Cursor& in);
  Step statement(const MachineOperation& operation, wire::Cursor& in, std::string& result);
  std::int64_t schema_version();
  void note_schema(Open& open, const SqliteConnection::Ran& ran);
  void note_transaction(Open& open, wire::Bytes contents, bool controls);
  Step would_wait(const Open& waits) const;
  void copy_in(const std::filesystem::path& initial);
  std::optional<std::string> save(const Open& open, std::string& out, const std::filesystem::path& snapshot);
  void restore(wire::Cursor& saved, const std::filesystem::path& files);
  Step leave_copy(Open& open);
  std::unique_ptr<SqliteConnection> connect(wire::OpenMode mode);
  void anchor();

  std::filesystem::path file_;
  SqliteLimits limits_;
  bool exists_;
  // Keeps the write-ahead log while no request is connected.
  std::unique_ptr<SqliteConnection> anchor_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Open> open_;  // by rid and number
  std::map<wire::OpenMode, std::vector<std::unique_ptr<SqliteConnection>>> idle_;
  std::uint64_t copies_ = 0;  // of snapshots
  // The schema that was committed last; nothing if somebody may have changed it since.
  std::optional<std::int64_t> schema_;
};

}  // namespace assay::audit
