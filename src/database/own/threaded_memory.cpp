// The in-memory engine as a store: texts become numbers, a lock lets many threads in, one operation at a
// time. After each operation a session lets the others go first, so that transactions interleave even on one
// core.
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <type_traits>
#include <unordered_map>

#include "database/own/memory.hpp"
#include "database/product.hpp"
#include "database/row.hpp"
#include "system/thread_safety.hpp"

namespace assay::database {

namespace {

// Numbers for texts. Rows and lists have disjoint numbers, so that ranges over rows do not meet lists.
class Keys {
 public:
  std::int64_t row(std::string_view key) {
    const auto [entry, fresh] = rows_.try_emplace(std::string(key), static_cast<std::int64_t>(texts_.size()));
    if (fresh) texts_.push_back(&entry->first);  // nodes of the map do not move
    return entry->second;
  }
  std::int64_t list(std::string_view key) {
    return lists_.try_emplace(std::string(key), -1 - static_cast<std::int64_t>(lists_.size())).first->second;
  }
  const std::string& text(std::int64_t row) const { return *texts_[static_cast<std::size_t>(row)]; }

 private:
  std::unordered_map<std::string, std::int64_t> rows_, lists_;
  std::vector<const std::string*> texts_;  // by row
};

// What the sessions share.
struct Shared {
  explicit Shared(const EngineOptions& options) : store(options) {}

  MemoryEngine store;
  Keys keys;
  std::vector<StoredValue> values;  // a cell of the store holds a position in here

  std::int64_t keep(const StoredValue& value) {
    values.push_back(value);
    return static_cast<std::int64_t>(values.size() - 1);
  }
  const StoredValue& kept(std::int64_t cell) const { return values[static_cast<std::size_t>(cell)]; }
};

// Lets one operation at a time at it.
class SharedByTurns {
 public:
  explicit SharedByTurns(const EngineOptions& options) : shared_(options) {}

  template <typename Operation>
  std::invoke_result_t<Operation, Shared&> alone(const Operation& operation) {
    const system::MutexLock lock(mutex_);
    return operation(shared_);
  }

 private:
  system::Mutex mutex_;
  Shared shared_ GUARDED_BY(mutex_);
};

class MemorySession final : public StoreSession {
 public:
  MemorySession(std::shared_ptr<SharedByTurns> engine, Level level)
      : engine_(std::move(engine)), level_(level) {
    session_ = engine_->alone([](Shared& all) { return all.store.open_session(); });
  }
  ~MemorySession() override {
    if (open_) abort();
  }

  void begin(std::optional<Level> level) override {
    if (level != level_) {
      throw StoreError(Failure::fatal, fmt::format("memory: this store keeps {} only", info(level_).name));
    }
    in_turn([&](Shared& all) { all.store.begin(session_); });
    open_ = true;
  }

  std::optional<StoredValue> read(std::string_view key) override {
    return in_turn([&](Shared& all) -> std::optional<StoredValue> {
      const Cell cell = all.store.read(session_, all.keys.row(key));
      if (cell.state != RowState::live) return std::nullopt;
      return all.kept(cell.value);
    });
  }

  void write(std::string_view key, const StoredValue& value) override {
    in_turn([&](Shared& all) { all.store.write(session_, all.keys.row(key), all.keep(value)); });
  }

  bool insert(std::string_view key, const StoredValue& value) override {
    return in_turn(
        [&](Shared& all) { return all.store.insert(session_, all.keys.row(key), all.keep(value)); });
  }

  bool erase(std::string_view key) override {
    return in_turn([&](Shared& all) {
      const std::int64_t row = all.keys.row(key);
      if (all.store.read(session_, row).state != RowState::live) return false;
      all.store.erase(session_, row, 0);
      return true;
    });
  }

  void append(std::string_view key, std::uint64_t version) override {
    in_turn([&](Shared& all) {
      all.store.append(session_, all.keys.list(key), static_cast<std::int64_t>(version));
    });
  }

  void read_list(std::string_view key, std::vector<ListElement>& elements) override {
    in_turn([&](Shared& all) { all.store.read_list(session_, all.keys.list(key), versions_); });
    elements.clear();
    for (const std::int64_t version : versions_) elements.push_back({static_cast<std::uint64_t>(version)});
  }

  // Numbers are not in the order of the texts, so the engine is asked for all rows. It then takes any
  // concurrent write for a conflict: more aborts than need be, no anomaly.
  void range_read(std::string_view low, std::string_view high, std::vector<StoredRow>& rows) override {
    rows_that([&](const std::string& key,
                  const StoredValue&) { return low <= key && std::string_view(key) <= high; },
              rows);
  }

  void filter_read(const NumberFilter& filter, std::vector<StoredRow>& rows) override {
    rows_that(
        [&](const std::string& key, const StoredValue& stored) { return passes(filter, key, stored.value); },
        rows);
  }

  void commit() override {
    open_ = false;
    if (!in_turn([&](Shared& all) { return all.store.commit(session_).committed; })) {
      throw StoreError(Failure::aborted, "memory: a concurrent transaction committed first");
    }
  }

  void abort() override {
    if (!open_) return;
    open_ = false;
    in_turn([&](Shared& all) { all.store.abort(session_); });
  }

 private:
  template <typename Operation>
  std::invoke_result_t<Operation, Shared&> in_turn(const Operation& operation) {
    // About once per transaction, in turn at each of its operations.
    if (++turns_ % 5 == 0) std::this_thread::yield();
    return engine_->alone(operation);
  }

  template <typename Condition>
  void rows_that(const Condition& holds, std::vector<StoredRow>& rows) {
    rows.clear();
    in_turn([&](Shared& all) {
      all.store.range_read(session_, 0, INT64_MAX, cells_);
      for (const EngineRow& cell : cells_) {
        const std::string& key = all.keys.text(cell.key);
        const StoredValue& stored = all.kept(cell.value);
        if (holds(key, stored)) rows.push_back({key, stored});
      }
    });
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  }

  std::shared_ptr<SharedByTurns> engine_;
  Level level_;
  Session session_{};
  bool open_ = false;
  std::uint32_t turns_ = 0;
  std::vector<std::int64_t> versions_;
  std::vector<EngineRow> cells_;
};

class ThreadedMemory final : public Store {
 public:
  explicit ThreadedMemory(const EngineOptions& options) : options_(options) { prepare(); }

  std::string description() const override {
    return options_.fault
               ? fmt::format("Assay's memory store that lets {} through{}", info(*options_.fault).name,
                             options_.fault_after == 0
                                 ? ""
                                 : fmt::format(" after {} transactions", options_.fault_after))
               : "Assay's memory store";
  }
  std::vector<Mode> modes() const override {
    return {{options_.level, options_.level, info(options_.level).name}};
  }
  void prepare() override { engine_ = std::make_shared<SharedByTurns>(options_); }
  void remove() override { engine_.reset(); }
  std::unique_ptr<StoreSession> open_session(std::uint32_t) override {
    return std::make_unique<MemorySession>(engine_, options_.level);
  }

 private:
  EngineOptions options_;
  std::shared_ptr<SharedByTurns> engine_;
};

}  // namespace

std::unique_ptr<Store> open_memory(StoreUrl url) {
  EngineOptions options;
  const auto level = find_level(url.path());
  if (!level || !can_keep(*level)) {
    std::string kept;
    for (const LevelInfo& one : levels()) {
      if (can_keep(one.level)) kept += fmt::format("{}{}", kept.empty() ? "" : ", ", one.name);
    }
    url.fail(fmt::format("expected memory:LEVEL with one of {}, found '{}'", kept, url.path()));
  }
  options.level = *level;
  if (const auto name = url.take("fault")) {
    options.fault = find_textbook_anomaly(*name);
    if (!options.fault) {
      std::string known;
      for (const Anomaly one : textbook_anomalies()) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", info(one).textbook.name);
      }
      url.fail(fmt::format("there is no fault '{}'; there are {}", *name, known));
    }
  }
  options.fault_after = url.take_number("after", 0, UINT64_MAX);
  if (options.fault_after > 0 && !options.fault) url.fail("'after' is for a fault, and there is none");
  if (options.fault_after > 0 && !can_begin_later(options.level, *options.fault)) {
    url.fail(fmt::format("the fault {} is there from the start or not at all, without 'after'",
                         info(*options.fault).textbook.name));
  }
  options.sites = static_cast<std::uint32_t>(url.take_number("sites", options.sites, 64));
  options.lag = static_cast<std::uint32_t>(url.take_number("lag", options.lag, 1'000'000));
  options.seed = url.take_number("seed", options.seed, UINT64_MAX);
  url.expect_no_more_options();
  return std::make_unique<ThreadedMemory>(options);
}

}  // namespace assay::database
