// A database of our own, in memory: a multi-version store that runs the interleaved transactions of many
// sessions in one thread and keeps a chosen isolation level, no more. It is deterministic: the caller decides
// whose turn it is, and a seed decides how far snapshots and sites lag behind. Told to let an anomaly
// through, it drops the one rule that prevents it (see rules.hpp).
//
//   MemoryEngine engine({.level = Level::snapshot_isolation});
//   Session alice = engine.open_session();
//   engine.begin(alice);
//   Cell x = engine.read(alice, 1);
//   engine.write(alice, 1, 42);
//   bool committed = engine.commit(alice).committed;
//
// A session has at most one open transaction. Keys and values are 64-bit numbers; a key holds a register
// (write, insert, erase) or a list (append), never both.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "database/own/replication.hpp"
#include "database/own/rules.hpp"
#include "database/own/written.hpp"
#include "history/ids.hpp"
#include "level/anomaly.hpp"
#include "level/level.hpp"
#include "memory/intern.hpp"
#include "system/random.hpp"

namespace assay::database {

struct EngineOptions {
  Level level = Level::serializable;
  std::optional<Anomaly> fault = std::nullopt;
  std::uint32_t sites = 4;  // for the levels whose commits travel: read atomic and causal
  std::uint32_t lag = 16;   // how many commits a snapshot or a site may be behind
  std::uint64_t seed = 0;
  std::uint64_t fault_after = 0;  // the level is kept until so many transactions have begun
};

struct EngineRow {
  std::int64_t key;
  std::int64_t value;
};

// How a transaction ended, and where it stands in the order that proves the level: a committed update stands
// at `order`, a transaction that wrote nothing right behind all updates up to `order`. It read at `snapshot`,
// which with one site counts updates in the same order. Meaningless for an engine that was told to break its
// level.
struct Receipt {
  bool committed = false;
  std::uint64_t snapshot = 0;
  std::uint64_t order = 0;
};

class MemoryEngine {
 public:
  // REQUIRES: can_keep(options.level), and with fault_after can_begin_later(options.level, options.fault).
  explicit MemoryEngine(const EngineOptions& options);

  Session open_session();

  // REQUIRES, for all that follows: the session has a transaction open (for begin: has none).
  void begin(Session session);
  Cell read(Session session, std::int64_t key);
  void write(Session session, std::int64_t key, std::int64_t value);
  // Creates a row; false, and nothing is written, if the transaction sees one there.
  bool insert(Session session, std::int64_t key, std::int64_t value);
  void erase(Session session, std::int64_t key, std::int64_t tombstone);
  void append(Session session, std::int64_t key, std::int64_t element);
  // Replaces `elements` by the list.
  void read_list(Session session, std::int64_t key, std::vector<std::int64_t>& elements);
  // Replace `rows` by the live rows with low <= key <= high, or those that match, in order of keys. Registers
  // only.
  void range_read(Session session, std::int64_t low, std::int64_t high, std::vector<EngineRow>& rows);
  void predicate_read(Session session, const std::function<bool(const EngineRow&)>& matches,
                      std::vector<EngineRow>& rows);
  // Aborts instead if the level demands it; then receipt.committed is false.
  Receipt commit(Session session);
  void abort(Session session);

  // Brings all sites to the same state, which every transaction that begins later sees. REQUIRES: none is
  // open.
  void settle();
  // The state after settle(), and a write straight into it.
  Cell current(std::int64_t key);
  void current_list(std::int64_t key, std::vector<std::int64_t>& elements);
  void install(std::int64_t key, Write::Kind kind, std::int64_t value);

 private:
  struct Transaction {
    bool open = false;
    std::uint32_t site = 0;
    std::uint64_t floor = 0;  // no later snapshot of the session is older
    std::uint64_t snapshot = 0;
    bool extends = false;  // see extend_snapshot()
    WrittenKeys written;
    std::vector<std::uint32_t> read_slots;
    std::vector<std::pair<std::int64_t, std::int64_t>> read_ranges;
    // Lists that the transaction read with its own elements at the end, and the position it read at: they
    // must stand there when it commits, at every level, because a list has one order.
    std::vector<std::pair<std::uint32_t, std::uint64_t>> read_back;
  };

  std::uint32_t slot_of(std::int64_t key);
  const std::map<std::int64_t, std::uint32_t>& ordered_keys();
  void extend_snapshot(Transaction& txn);
  Cell see(const Transaction& txn, std::uint32_t slot, bool snapshot_read);
  void put(Session session, const Write& write);
  bool must_abort(const Transaction& txn);
  void finish(Transaction& txn);
  void forget_old_versions();

  Rules rules_;
  std::optional<Rules> later_;  // once so many more transactions have begun
  std::uint64_t until_later_ = 0;
  std::uint32_t lag_;
  system::Random random_;
  Replication replication_;
  InternTable slots_;
  std::vector<std::int64_t> keys_;                 // by slot
  std::map<std::int64_t, std::uint32_t> ordered_;  // filled at the first range read, kept from then on
  bool ordered_in_use_ = false;
  std::vector<Transaction> transactions_;  // by session
  std::uint32_t ended_since_forgetting_ = 0;
};

}  // namespace assay::database
