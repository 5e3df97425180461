// One connection to PostgreSQL in libpq's pipeline mode: statements are sent without waiting, their results
// are taken in order. What must be known before going on costs one round trip, everything else rides along.
// Nothing waits longer than the time-out.
#pragma once

#include <libpq-fe.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "database/store.hpp"

namespace assay::database::postgres {

// All in the binary format: texts as bytea, numbers as bigint.
class Parameters {
 public:
  static constexpr std::size_t kMost = 4;

  // The text must live until the statement is sent.
  Parameters& text(std::string_view text);
  Parameters& number(std::int64_t number);
  Parameters& null();

  int count() const { return static_cast<int>(count_); }
  // Points into this object.
  std::array<const char*, kMost> values() const;
  const int* lengths() const { return lengths_.data(); }

 private:
  std::array<const char*, kMost> texts_{};  // null for numbers too, so that copies point to their own
  std::array<bool, kMost> is_number_{};
  std::array<int, kMost> lengths_{};
  std::array<std::array<char, 8>, kMost> numbers_{};
  std::size_t count_ = 0;
};

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

std::string text_at(const PGresult* result, int row, int column);
// REQUIRES: a bigint stands there.
std::int64_t number_at(const PGresult* result, int row, int column);

// The connection is gone, or was given up after the time-out. Not a StoreError yet: what it means depends on
// whether commit was sent.
struct ConnectionLost {
  std::string why;
};

struct ConnectionOptions {
  std::vector<std::pair<std::string, std::string>> parameters;  // of libpq
  std::chrono::milliseconds connect_timeout{};
  std::chrono::milliseconds timeout{};  // for one answer
};

class PostgresConnection {
 public:
  // Throws ConnectionLost if nobody answers, StoreError if the server refuses for good.
  explicit PostgresConnection(const ConnectionOptions& options);

  int server_version() const { return PQserverVersion(connection_.get()); }

  // Runs statements outside of the pipeline, each in a transaction of its own. REQUIRES: nothing is pending.
  // Throws StoreError, fatal, or ConnectionLost.
  Result execute(const char* sql);
  // Names statements for send(). Same conditions.
  void prepare(const std::vector<std::pair<const char*, const char*>>& named);

  // All of these throw ConnectionLost. What is sent leaves at the latest with the next
  // request_answers() or sync().
  void send(const char* statement, const Parameters& parameters = {});
  // Asks for the results of what was sent, without ending the pipeline.
  void request_answers();
  // After an error the server skips everything up to here.
  void sync();
  // The result of the oldest statement, or of a sync, that was sent and not yet taken.
  Result take();
  int outstanding_syncs() const { return outstanding_syncs_; }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };

  using Deadline = std::chrono::steady_clock::time_point;

  [[noreturn]] void lose() const;
  void flush();
  // Waits for the socket; sends what is left to send meanwhile.
  void wait(bool for_reading, Deadline deadline);
  void connect(std::chrono::milliseconds limit);
  Result next_result();

  std::unique_ptr<PGconn, Finish> connection_;
  std::chrono::milliseconds timeout_;
  int outstanding_syncs_ = 0;
};

}  // namespace assay::database::postgres
