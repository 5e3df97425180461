// RocksDB, in this process. mode=pessimistic locks keys as they are written (TransactionDB), mode=optimistic
// looks for conflicts at commit (OptimisticTransactionDB); both let the first committer win, from a snapshot
// that is taken at begin: snapshot isolation. At the serializable level reads count as writes do
// (GetForUpdate): what a transaction has read is as it was when it commits.
//
// RocksDB guards keys, not the gaps between them, so a scan would miss rows that others create. Therefore
// each session has a guard, a key that it writes whenever it creates or erases a row at the serializable
// level; a scan reads all guards, and every row that it looks at, for update.
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>

#include <cassert>
#include <filesystem>

#include "database/mark.hpp"
#include "database/product.hpp"
#include "database/row.hpp"

namespace assay::database {

namespace {

namespace rdb = ROCKSDB_NAMESPACE;

// Everything of ours in the database: rows r…, lists l…, guards g…, and the mark, which says that they are.
constexpr std::string_view kOurs = "assay/";
constexpr std::string_view kMarkKey = "assay/mark";
std::string row_key(std::string_view key) {
  return fmt::format("{}r{}", kOurs, key);
}
std::string list_key(std::string_view key) {
  return fmt::format("{}l{}", kOurs, key);
}
// Sessions may share a guard; they then conflict a little more often.
constexpr std::uint32_t kGuards = 16;
std::string guard_key(std::uint32_t session) {
  return fmt::format("{}g{}", kOurs, session % kGuards);
}

bool is_conflict(const rdb::Status& status) {
  return status.IsBusy() || status.IsTimedOut() || status.IsTryAgain() || status.IsExpired() ||
         status.IsDeadlock();
}

class Database {
 public:
  Database(const std::string& path, bool optimistic, bool sync, std::uint64_t lock_ms) : sync_(sync) {
    rdb::Options options;
    options.create_if_missing = true;
    options.info_log_level = rdb::InfoLogLevel::ERROR_LEVEL;
    rdb::Status status;
    if (optimistic) {
      rdb::OptimisticTransactionDB* opened = nullptr;
      status = rdb::OptimisticTransactionDB::Open(options, path, &opened);
      optimistic_.reset(opened);
    } else {
      rdb::TransactionDBOptions locking;
      locking.transaction_lock_timeout = static_cast<std::int64_t>(lock_ms);
      locking.default_lock_timeout = static_cast<std::int64_t>(lock_ms);
      rdb::TransactionDB* opened = nullptr;
      status = rdb::TransactionDB::Open(options, locking, path, &opened);
      pessimistic_.reset(opened);
    }
    if (!status.ok()) throw StoreError(Failure::fatal, fmt::format("rocksdb: {}", status.ToString()));
  }

  std::unique_ptr<rdb::Transaction> begin(bool snapshot, std::unique_ptr<rdb::Transaction> reused) const {
    rdb::WriteOptions writing;
    writing.sync = sync_;
    if (optimistic_) {
      rdb::OptimisticTransactionOptions options;
      options.set_snapshot = snapshot;
      return std::unique_ptr<rdb::Transaction>(
          optimistic_->BeginTransaction(writing, options, reused.release()));
    }
    rdb::TransactionOptions options;
    options.set_snapshot = snapshot;
    options.deadlock_detect = true;
    return std::unique_ptr<rdb::Transaction>(
        pessimistic_->BeginTransaction(writing, options, reused.release()));
  }

  bool optimistic() const { return optimistic_ != nullptr; }

  // Removes what an earlier recording left; throws StoreError where it is somebody else's.
  void remove_ours() const {
    rdb::DB* const base = this->base();
    std::string mark;
    const rdb::Status looked_up = base->Get(rdb::ReadOptions(), slice(kMarkKey), &mark);
    if (!looked_up.IsNotFound()) expect_ok(looked_up);
    if (mark != kMark) refuse_what_is_there(*base);
    for (const std::string& kind : {row_key(""), list_key(""), std::string(kOurs) + "g"}) {
      const std::string end = end_of_prefix(kind).value_or(kind);
      expect_ok(base->DeleteRange(rdb::WriteOptions(), base->DefaultColumnFamily(), kind, end));
    }
    expect_ok(base->Delete(rdb::WriteOptions(), slice(kMarkKey)));
  }
  void set_mark() const { expect_ok(base()->Put(rdb::WriteOptions(), slice(kMarkKey), slice(kMark))); }

 private:
  rdb::DB* base() const { return optimistic_ ? optimistic_->GetBaseDB() : pessimistic_->GetBaseDB(); }
  static rdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
  static void expect_ok(const rdb::Status& status) {
    if (!status.ok()) throw StoreError(Failure::fatal, fmt::format("rocksdb: {}", status.ToString()));
  }
  static void refuse_what_is_there(rdb::DB& base) {
    const std::unique_ptr<rdb::Iterator> any(base.NewIterator(rdb::ReadOptions()));
    any->Seek(slice(kOurs));
    expect_ok(any->status());
    if (any->Valid() && any->key().starts_with(slice(kOurs)))
      refuse_unmarked("rocksdb", fmt::format("the key {}", any->key().ToString()));
  }

  bool sync_;
  std::unique_ptr<rdb::TransactionDB> pessimistic_;
  std::unique_ptr<rdb::OptimisticTransactionDB> optimistic_;
};

class RocksdbSession final : public StoreSession {
 public:
  RocksdbSession(std::shared_ptr<const Database> database, std::uint32_t number)
      : database_(std::move(database)), guard_(guard_key(number)) {}
  ~RocksdbSession() override { abort(); }

  void begin(std::optional<Level> level) override {
    assert(!open_);
    if (level != Level::serializable && level != Level::snapshot_isolation &&
        level != Level::read_committed) {
      throw StoreError(Failure::fatal, fmt::format("rocksdb: there is no level {}", name_of(level)));
    }
    snapshot_ = level != Level::read_committed;
    serializable_ = level == Level::serializable;
    // A transaction that is over gives its memory to the next.
    transaction_ = database_->begin(snapshot_, std::move(transaction_));
    options_.snapshot = snapshot_ ? transaction_->GetSnapshot() : nullptr;
    open_ = true;
  }

  std::optional<StoredValue> read(std::string_view key) override {
    if (!get(row_key(key), read_hold())) return std::nullopt;
    return without_version(found_);
  }

  void write(std::string_view key, const StoredValue& value) override {
    const std::string at = row_key(key);
    if (serializable_ && !get(at, Hold::alone)) mark_guard();
    put(at, with_version(value));
  }

  // Whether the row is there must still be true at commit, at every level.
  bool insert(std::string_view key, const StoredValue& value) override {
    const std::string at = row_key(key);
    if (get(at, Hold::alone)) return false;
    if (serializable_) mark_guard();
    put(at, with_version(value));
    return true;
  }

  bool erase(std::string_view key) override {
    const std::string at = row_key(key);
    if (!get(at, Hold::alone)) return false;
    if (serializable_) mark_guard();
    check(transaction_->Delete(at));
    return true;
  }

  void append(std::string_view key, std::uint64_t version) override {
    const std::string at = list_key(key);
    if (!get(at, Hold::alone)) found_.clear();
    found_ += list_text(version);
    put(at, found_);
  }

  void read_list(std::string_view key, std::vector<ListElement>& elements) override {
    elements.clear();
    if (get(list_key(key), read_hold())) read_list_text(found_, elements);
  }

  void range_read(std::string_view low, std::string_view high, std::vector<StoredRow>& rows) override {
    rows.clear();
    if (low > high) return;
    // The least text above `high`: the upper bound is exclusive.
    scan(row_key(low), row_key(high) + '\0', rows, [](std::string_view, std::string_view) { return true; });
  }

  void filter_read(const NumberFilter& filter, std::vector<StoredRow>& rows) override {
    const std::string begin = row_key(filter.prefix);
    // Never nothing: at the least the letter that all rows start with has a successor.
    scan(begin, end_of_prefix(begin).value_or(begin), rows,
         [&](std::string_view key, std::string_view value) { return passes(filter, key, value); });
  }

  void commit() override {
    open_ = false;
    const rdb::Status status = transaction_->Commit();
    if (status.ok()) return;
    if (is_conflict(status)) {
      transaction_->Rollback();
      throw StoreError(Failure::aborted, fmt::format("rocksdb: {}", status.ToString()));
    }
    // The disk failed. The write may or may not be found when the log is read again.
    transaction_.reset();
    throw StoreError(Failure::unknown, fmt::format("rocksdb: {}", status.ToString()));
  }

  void abort() override {
    if (!open_) return;
    open_ = false;
    transaction_->Rollback();
  }

 private:
  void check(const rdb::Status& status) {
    if (status.ok()) return;
    abort();
    throw StoreError(is_conflict(status) ? Failure::aborted : Failure::fatal,
                     fmt::format("rocksdb: {}", status.ToString()));
  }

  // Held: nobody else has changed it since the snapshot, nor will until commit. Several may hold a key
  // together. Without a snapshot the value is the newest.
  enum class Hold : std::uint8_t { none, together, alone };
  Hold read_hold() const { return serializable_ ? Hold::together : Hold::none; }

  // Leaves the value in found_.
  bool get(const std::string& at, Hold hold) {
    const rdb::Status status = hold == Hold::none
                                   ? transaction_->Get(options_, at, &found_)
                                   : transaction_->GetForUpdate(options_, at, &found_, hold == Hold::alone);
    if (status.IsNotFound()) return false;
    check(status);
    return true;
  }

  void put(const std::string& at, const std::string& value) { check(transaction_->Put(at, value)); }
  void mark_guard() { put(guard_, ""); }

  template <typename Condition>
  void scan(const std::string& begin, const std::string& end, std::vector<StoredRow>& rows,
            const Condition& holds) {
    rows.clear();
    if (serializable_) {
      for (std::uint32_t guard = 0; guard < kGuards; ++guard) {
        get(guard_key(guard), Hold::together);
      }
    }
    const std::size_t ours = row_key("").size();
    const rdb::Slice upper = end;
    rdb::ReadOptions options = options_;
    options.iterate_upper_bound = &upper;
    std::vector<std::string> looked_at;
    {
      const std::unique_ptr<rdb::Iterator> row(transaction_->GetIterator(options));
      for (row->Seek(begin); row->Valid(); row->Next()) {
        // An upper bound does not hold for rows that the transaction wrote itself.
        if (row->key().compare(upper) >= 0) break;
        if (serializable_) looked_at.push_back(row->key().ToString());
        const std::string_view key = std::string_view(row->key().data(), row->key().size()).substr(ours);
        StoredValue stored = without_version({row->value().data(), row->value().size()});
        if (holds(key, stored.value)) rows.push_back({std::string(key), std::move(stored)});
      }
      check(row->status());
    }
    for (const std::string& at : looked_at) get(at, Hold::together);
  }

  std::shared_ptr<const Database> database_;
  std::string guard_;
  std::unique_ptr<rdb::Transaction> transaction_;
  rdb::ReadOptions options_;
  bool open_ = false;
  bool snapshot_ = false;
  bool serializable_ = false;
  std::string found_;
};

class Rocksdb final : public Store {
 public:
  explicit Rocksdb(std::shared_ptr<const Database> database) : database_(std::move(database)) {}

  std::string description() const override {
    return fmt::format("RocksDB {}.{}.{}, {}", ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH,
                       database_->optimistic() ? "optimistic" : "pessimistic");
  }
  std::vector<Mode> modes() const override {
    return {{Level::serializable, Level::serializable, "a snapshot and GetForUpdate"},
            {Level::snapshot_isolation, Level::snapshot_isolation, "a snapshot and Get"},
            {Level::read_committed, Level::read_committed, "Get"}};
  }
  void prepare() override {
    database_->remove_ours();
    database_->set_mark();
  }
  void remove() override { database_->remove_ours(); }
  std::unique_ptr<StoreSession> open_session(std::uint32_t number) override {
    return std::make_unique<RocksdbSession>(database_, number);
  }

 private:
  std::shared_ptr<const Database> database_;
};

}  // namespace

void assay_open_store(StoreUrl& url, std::unique_ptr<Store>& store) {
  const std::string path = url.path();
  if (path.empty()) url.fail("expected rocksdb:FOLDER");
  // RocksDB would fill any folder with its files.
  if (std::filesystem::is_directory(path) && !std::filesystem::is_empty(path) &&
      !std::filesystem::exists(std::filesystem::path(path) / "CURRENT")) {
    url.fail(fmt::format("{} is a folder with something else in it", path));
  }
  const bool optimistic = url.take_choice("mode", {"pessimistic", "optimistic"}) == "optimistic";
  const bool sync = url.take_choice("sync", {"off", "full"}) == "full";
  const std::uint64_t seconds = url.take_number("timeout", 10, 86'400);
  url.expect_no_more_options();
  store = std::make_unique<Rocksdb>(std::make_shared<const Database>(path, optimistic, sync, seconds * 1000));
}

}  // namespace assay::database
