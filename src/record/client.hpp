// A client of a database under test: runs transactions on a session of a store and writes down what it saw.
// Every write gets a version number that no other write of the recording has, so each read tells which write
// it saw; the application's values pass untouched. Used by one thread.
//
// What is recorded: reads as the version they returned (no row: the initial state), a delete as a write of
// "no row", a delete or list of nothing as a read. An insert that found a row there wrote nothing and did not
// say which row, so it leaves no trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database/store.hpp"
#include "record/recorder.hpp"
#include "record/transaction_bytes.hpp"

namespace assay::record {

class Client {
 public:
  struct Options {
    std::uint32_t number = 0;  // of the session
    std::uint32_t sessions = 1;
    std::optional<Level> level = Level::serializable;  // as StoreSession::begin() takes it
    bool show_values = false;                          // the history shows "VALUE@VERSION"
  };
  // `recorder` may be null: then nothing is written down.
  Client(std::unique_ptr<database::StoreSession> session, const Options& options, Recorder* recorder);

  // All throw StoreError; the transaction has then ended and is recorded as the error says.
  void begin();
  std::optional<std::string> read(std::string_view key);
  void write(std::string_view key, std::string_view value);
  bool insert(std::string_view key, std::string_view value);
  bool erase(std::string_view key);
  void append(std::string_view key);
  // How many elements there are.
  std::size_t read_list(std::string_view key);
  // The result is valid until the next call.
  const std::vector<database::StoredRow>& range_read(std::string_view low, std::string_view high);
  const std::vector<database::StoredRow>& filter_read(const database::NumberFilter& filter);
  // Waits until the database has done all of the above.
  void settle();
  void commit();
  void abort();

  // A sentence about what the transaction saw, for the history's notes if it commits.
  void remark(std::string text) { remarks_.push_back(std::move(text)); }

 private:
  template <class Call>
  auto guarded(Call call);
  void end(Status status);
  std::uint64_t next_version() { return ++writes_ * options_.sessions + options_.number; }
  ShownVersion shown(const database::StoredValue& stored) const;
  database::StoredValue versioned(std::string_view value);

  std::unique_ptr<database::StoreSession> session_;
  Options options_;
  Recorder* recorder_;
  std::uint64_t writes_ = 0;
  TransactionBytes record_;
  std::vector<std::string> remarks_;
  std::vector<database::StoredRow> rows_;
  std::vector<database::ListElement> elements_;
};

}  // namespace assay::record
