// The rest of a small world for tests of the audit: objects written a second time and as plainly as possible,
// an honest server that runs scripts on them in a random interleaving and reports what it did, and a brute
// force that decides by trying all interleavings whether a trace and its reports can come from such a server.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "audit/draft.hpp"
#include "audit/little_program.hpp"
#include "support/random/random_history.hpp"

namespace assay::audit::testing {

// The database as in SQLite's WAL mode: one writer, readers on snapshots.
struct LittleDatabase {
  using Rows = std::map<std::int64_t, std::int64_t>;
  struct Connection {
    bool in_transaction = false;
    bool writes = false;
    bool changed = false;
    std::optional<Rows> rows;   // the snapshot with its own changes
    std::uint64_t version = 0;  // of the snapshot
  };
  Rows committed{{0, 10}, {1, 20}};
  std::uint64_t version = 0;
  std::map<std::uint64_t, Connection> connections;  // by rid: a request has one
  std::optional<std::uint64_t> writer;

  // Nothing if the statement would have to wait.
  std::optional<std::int64_t> perform(std::uint64_t rid, const Instruction& i, std::int64_t accumulator);
  void close(std::uint64_t rid);

 private:
  bool take_write_lock(std::uint64_t rid, Connection& connection);
  void end(std::uint64_t rid, Connection& connection, bool keep);
};

struct World {
  std::map<std::string, std::int64_t> sessions;
  struct Entry {
    std::int64_t value;
    std::uint64_t dies;
  };
  std::map<std::string, Entry> table;
  std::map<std::string, std::map<std::uint64_t, bool>> locks;  // name -> rid -> exclusive
  LittleDatabase database;

  // The number the script sees; nothing if this cannot be done now (busy, held).
  std::optional<std::int64_t> perform(std::uint64_t rid, const Thread& thread);
  void abandon_database(std::uint64_t rid) { database.close(rid); }
  void abandon_locks(std::uint64_t rid);
};

struct ServerShape {
  std::uint32_t most_requests = 4;
  std::uint32_t most_deeds = 5;
  double sql = 0.4;      // of the scripts
  double unended = 0.2;  // requests without a whole response
};

// A random honest run.
Draft serve(Rng& rng, const ServerShape& shape);
Script random_script(Rng& rng, const ServerShape& shape);
// An honest run of these scripts one after the other.
Draft serve_in_turn(const std::vector<Script>& scripts);

// Whether some interleaving of the program's executions gives exactly these logs and responses.
bool possible(const Draft& draft);

std::string describe(const Draft& draft);

// The database before the first request, as a SQLite file.
void make_database(const std::string& path);

}  // namespace assay::audit::testing
