// One recorded transaction as bytes, on its way from the session that ran it to the thread that writes the
// history. Both ends are this process, so nothing here is checked, and nothing of it reaches the disk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "database/store.hpp"
#include "history/builder.hpp"
#include "history/history.hpp"

namespace assay::record {

// The value that the history shows for a version: its number, or for workloads whose values mean something
// "VALUE@VERSION", which is as unique.
struct ShownVersion {
  std::uint64_t version = 0;  // 0: what was there before the recording, or nothing at all
  std::optional<std::string_view> value;
};

class TransactionBytes {
 public:
  // Forgets what it holds. `ahead`: how much later the history shall say that it was.
  void begin(std::int64_t start, std::int64_t ahead = 0);
  void read(std::string_view key, const ShownVersion& seen);
  void write(OpKind kind, std::string_view key, const ShownVersion& written);
  void erase(std::string_view key);
  void list_read(std::string_view key, std::span<const database::ListElement> elements);
  void predicate_read(std::string_view predicate, std::span<const database::StoredRow> rows, bool values);
  void range_read(std::string_view low, std::string_view high, std::span<const database::StoredRow> rows,
                  bool values);
  // `end`: when the client knew, or gave up. Nobody knows when a transaction of unknown fate ends: the
  // history gets no end for it.
  void end(Status status, std::int64_t end, std::int64_t ahead = 0);

  bool empty() const { return operations_ == 0; }
  std::string_view bytes() const { return bytes_; }

 private:
  void start_operation(OpKind kind);
  void put(std::uint64_t number);
  void put(std::string_view text);
  void put(const ShownVersion& version);
  void put_rows(std::span<const database::StoredRow> rows, bool values);

  std::string bytes_;
  std::uint32_t operations_ = 0;
};

// What must be known of a transaction before it is written.
struct SentTransaction {
  std::size_t end_of_bytes = 0;  // from the start of all
  std::int64_t end = 0;
  std::uint64_t last_written = 0;   // the highest version that it wrote, or 0
  std::vector<std::uint64_t> read;  // the versions that it read, if it committed: else they prove nothing
};

// The whole transactions at the start of `bytes`.
std::vector<SentTransaction> look_through(std::string_view bytes);

// Adds the transactions in the first `length` bytes to the history, named from `next_name` on, and removes
// them. REQUIRES: a transaction ends there.
void replay(std::string& bytes, std::size_t length, HistoryBuilder& build, Session session,
            std::int64_t& next_name);

}  // namespace assay::record
