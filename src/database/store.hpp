// A database as the recorder sees it: one small interface, one file per product (sqlite.cpp, postgres.cpp,
// …). Keys and values are texts. Every write also carries a version number that no other write carries, so
// that a read tells which write it saw without a word about it in the application's data: stores with columns
// keep it in a column of its own, key-value stores in front of the value. Callers never see the difference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "level/level.hpp"

namespace assay::database {

// What an error says about the fate of the transaction in which it happened.
enum class Failure : std::uint8_t {
  aborted,  // certainly without effect: a conflict, a deadlock, a connection lost before commit was sent
  unknown,  // commit was sent and no answer came
  fatal,    // going on makes no sense: wrong address, no permission, a broken statement
};

class StoreError : public std::runtime_error {
 public:
  StoreError(Failure failure, const std::string& message) : std::runtime_error(message), failure_(failure) {}
  Failure failure() const { return failure_; }

 private:
  Failure failure_;
};

struct StoredValue {
  std::string value;          // the application's
  std::uint64_t version = 0;  // 0: not written by the recorder
};

struct StoredRow {
  std::string key;
  StoredValue stored;
};

struct ListElement {
  std::uint64_t version = 0;
};

// Rows whose key starts with `prefix` and whose value is a decimal number between the bounds, both included.
struct NumberFilter {
  std::string prefix;
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;
};

// For messages.
inline std::string_view name_of(std::optional<Level> level) {
  return level ? info(*level).name : "READ UNCOMMITTED";
}

// One connection, used by one thread at a time, with at most one open transaction. All of these throw
// StoreError; after one there is no open transaction, and begin() reconnects where that is needed.
class StoreSession {
 public:
  virtual ~StoreSession() = default;

  // One of the modes' levels; nothing for the mode that promises none.
  virtual void begin(std::optional<Level> level) = 0;
  virtual std::optional<StoredValue> read(std::string_view key) = 0;
  // Creates or replaces the row.
  virtual void write(std::string_view key, const StoredValue& value) = 0;
  // False, and nothing is written, if the row is there.
  virtual bool insert(std::string_view key, const StoredValue& value) = 0;
  // False if there was no row.
  virtual bool erase(std::string_view key) = 0;
  // Lists live beside the rows: a key holds one or the other.
  virtual void append(std::string_view key, std::uint64_t version) = 0;
  virtual void read_list(std::string_view key, std::vector<ListElement>& elements) = 0;
  // Replace `rows` by all rows with low <= key <= high in byte order, or all that pass the filter, sorted by
  // key.
  virtual void range_read(std::string_view low, std::string_view high, std::vector<StoredRow>& rows) = 0;
  virtual void filter_read(const NumberFilter& filter, std::vector<StoredRow>& rows) = 0;
  // Waits until the database has done all that was asked of it so far, for sessions that leave writes unanswered
  // until an answer is needed.
  virtual void settle() {}
  virtual void commit() = 0;
  virtual void abort() = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  // For reports: product and version, as the product tells it.
  virtual std::string description() const = 0;
  // The levels begin() takes, the strongest first, and for each the one that the product promises under that
  // name. READ UNCOMMITTED is neither: every level forbids to read what may never be committed.
  struct Mode {
    std::optional<Level> asked;
    std::optional<Level> promised;
    std::string_view called;  // the product's own words, for example "REPEATABLE READ"
  };
  virtual std::vector<Mode> modes() const = 0;
  // Whether read_list, range_read and filter_read work.
  virtual bool has_lists() const { return true; }
  virtual bool has_ranges() const { return true; }
  // Removes what an earlier recording left and creates what is needed. Before the first session. What has the
  // same name but is not Assay's is left alone, and is fatal (mark.hpp).
  virtual void prepare() = 0;
  // Removes what prepare() and the sessions created, by the same rule. After the last session.
  virtual void remove() = 0;
  // `number` counts sessions from 0; a cluster spreads them over its nodes by it.
  virtual std::unique_ptr<StoreSession> open_session(std::uint32_t number) = 0;
};

// sqlite:PATH, postgres://…, mysql://…, rocksdb:PATH, redis://…, memory:LEVEL (see docs/stores.md). Throws
// StoreError, also where a server is there but takes no commands yet. The password is for an address that has
// none, since others may see addresses, in a list of processes for example.
std::unique_ptr<Store> open_store(const std::string& url,
                                  const std::optional<std::string>& password = std::nullopt);

}  // namespace assay::database
