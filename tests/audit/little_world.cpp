#include <sqlite3.h>

#include <stdexcept>

#include "audit/little_server.hpp"

namespace assay::audit::testing {

bool LittleDatabase::take_write_lock(std::uint64_t rid, Connection& connection) {
  if (connection.writes) return true;
  if (writer && *writer != rid) return false;
  if (connection.rows && connection.version != version) return false;  // BUSY_SNAPSHOT
  if (!connection.rows) {
    connection.rows = committed;
    connection.version = version;
  }
  writer = rid;
  connection.writes = true;
  return true;
}

void LittleDatabase::end(std::uint64_t rid, Connection& connection, bool keep) {
  if (keep && connection.changed) {
    committed = *connection.rows;
    ++version;
  }
  if (writer == rid) writer.reset();
  connection = Connection{};
}

std::optional<std::int64_t> LittleDatabase::perform(std::uint64_t rid, const Instruction& i,
                                                    std::int64_t accumulator) {
  Connection& connection = connections[rid];
  switch (i.deed) {
    case Deed::open:
      return 0;
    case Deed::begin:
    case Deed::begin_immediate:
      // SQLite takes the lock first and then notices that there is a transaction already.
      if (i.deed == Deed::begin_immediate && !take_write_lock(rid, connection)) return std::nullopt;
      if (connection.in_transaction) return -1;
      connection.in_transaction = true;
      return 0;
    case Deed::commit:
    case Deed::rollback:
      if (!connection.in_transaction) return -1;
      end(rid, connection, i.deed == Deed::commit);
      return 0;
    case Deed::select: {
      if (connection.in_transaction && !connection.rows) {
        connection.rows = committed;
        connection.version = version;
      }
      const Rows& rows = connection.rows ? *connection.rows : committed;
      const auto found = rows.find(i.key);
      return found == rows.end() ? -1 : found->second;
    }
    default:
      break;
  }
  if (!take_write_lock(rid, connection)) return std::nullopt;
  Rows& rows = *connection.rows;
  std::int64_t result = 0;
  bool changed = true;
  switch (i.deed) {
    case Deed::update:
      changed = rows.contains(i.key);
      if (changed) rows[i.key] = accumulator;
      result = changed ? 1 : 0;
      break;
    case Deed::sql_delete:
      changed = rows.erase(i.key) > 0;
      result = changed ? 1 : 0;
      break;
    case Deed::sql_insert:
      changed = rows.try_emplace(i.key, accumulator).second;
      result = changed ? 1 : -1555;
      break;
    default:
      result = rows.empty() ? 1 : rows.rbegin()->first + 1;
      rows.emplace(result, accumulator);
      break;
  }
  connection.changed = connection.changed || changed;
  if (!connection.in_transaction) end(rid, connection, true);
  return result;
}

void LittleDatabase::close(std::uint64_t rid) {
  const auto found = connections.find(rid);
  if (found == connections.end()) return;
  end(rid, found->second, false);
  connections.erase(found);
}

void World::abandon_locks(std::uint64_t rid) {
  for (auto& [name, holders] : locks) holders.erase(rid);
}

std::optional<std::int64_t> World::perform(std::uint64_t rid, const Thread& thread) {
  const Instruction& i = thread.instruction();
  const std::string key(1, static_cast<char>('a' + i.key));
  const auto alive = [&]() -> Entry* {
    const auto found = table.find(key);
    return found == table.end() || *thread.now >= found->second.dies ? nullptr : &found->second;
  };
  const auto put = [&](std::int64_t value, std::int8_t ttl) {
    table[key] = {value,
                  ttl == 0 ? UINT64_MAX : *thread.now + static_cast<std::uint64_t>(ttl) * 1'000'000'000};
  };
  switch (i.deed) {
    case Deed::read:
      return sessions.contains(key) ? sessions[key] : -1;
    case Deed::write:
      sessions[key] = thread.accumulator;
      return 0;
    case Deed::erase:
      sessions.erase(key);
      return 0;
    case Deed::fetch:
      return alive() ? alive()->value : -1;
    case Deed::exists:
      return alive() ? 1 : 0;
    case Deed::store:
      put(thread.accumulator, i.value);
      return 0;
    case Deed::insert:
      if (alive()) return 0;
      put(thread.accumulator, i.value);
      return 1;
    case Deed::increase:
      if (!alive()) put(0, 0);
      return alive()->value += i.value;
    case Deed::swap:
      if (!alive() || alive()->value != thread.accumulator) return 0;
      alive()->value = i.value;
      return 1;
    case Deed::remove:
      if (!alive()) return 0;
      table.erase(key);
      return 1;
    case Deed::clear:
      table.clear();
      return 0;
    case Deed::lock_shared:
    case Deed::lock_exclusive: {
      const bool exclusive = i.deed == Deed::lock_exclusive;
      for (const auto& [other, other_exclusive] : locks[key]) {
        if (other != rid && (exclusive || other_exclusive)) return std::nullopt;
      }
      locks[key][rid] = exclusive;
      return 1;
    }
    case Deed::unlock:
      locks[key].erase(rid);
      return 0;
    case Deed::close:
      database.close(rid);
      return 0;
    default:
      return database.perform(rid, i, thread.accumulator);
  }
}

void make_database(const std::string& path) {
  sqlite3* db = nullptr;
  const bool good = sqlite3_open(path.c_str(), &db) == SQLITE_OK &&
                    sqlite3_exec(db,
                                 "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER);"
                                 "INSERT INTO t VALUES (0, 10), (1, 20)",
                                 nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_close(db);
  if (!good) throw std::runtime_error("cannot make the test's database");
}

}  // namespace assay::audit::testing
