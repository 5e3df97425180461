// PostgreSQL. Begin and blind writes do not wait for the server: they travel with the next statement that has
// an answer, in one round trip, and an error of theirs is reported there. The server sees the statements in
// the order of the calls, and the transaction still begins after begin() was called and ends before commit()
// returns.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <thread>

#include "database/client/postgres/postgres_connection.hpp"
#include "database/mark.hpp"
#include "database/product.hpp"
#include "database/row.hpp"
#include "database/sql_parameters.hpp"

namespace assay::database {

namespace {

using postgres::ConnectionLost;
using postgres::ConnectionOptions;
using postgres::number_at;
using postgres::Parameters;
using postgres::PostgresConnection;
using postgres::Result;
using postgres::text_at;

constexpr Store::Mode kModes[] = {
    {Level::serializable, Level::serializable, "SERIALIZABLE"},
    {Level::snapshot_isolation, Level::snapshot_isolation, "REPEATABLE READ"},
    {Level::repeatable_read, Level::snapshot_isolation, "REPEATABLE READ"},
    {Level::read_committed, Level::read_committed, "READ COMMITTED"},
};

// A replica lags behind, and shows commits in the order of the log, which need not be that in which the first server
// made them visible: a long fork between the two is possible, and whoever reads there takes no part in conflicts.
constexpr Store::Mode kModesWithReplicas[] = {
    {Level::serializable, Level::causal, "SERIALIZABLE"},
    {Level::snapshot_isolation, Level::causal, "REPEATABLE READ"},
    {Level::repeatable_read, Level::causal, "REPEATABLE READ"},
    {Level::read_committed, Level::read_committed, "READ COMMITTED"},
};

// A server, and whether it follows another: then it refuses writes, and the serializable level.
struct ServerPlace {
  ConnectionOptions options;
  bool replica = false;
};

const char* begin_statement(std::optional<Level> level, bool replica) {
  if (level == Level::serializable && replica) return "begin_repeatable_read";
  if (level == Level::serializable) return "begin_serializable";
  if (level == Level::snapshot_isolation || level == Level::repeatable_read) return "begin_repeatable_read";
  if (level == Level::read_committed) return "begin_read_committed";
  throw StoreError(Failure::fatal, fmt::format("postgres: there is no level {}", name_of(level)));
}

const std::vector<std::pair<const char*, const char*>> kStatements{
    {"begin_serializable", "BEGIN ISOLATION LEVEL SERIALIZABLE"},
    {"begin_repeatable_read", "BEGIN ISOLATION LEVEL REPEATABLE READ"},
    {"begin_read_committed", "BEGIN ISOLATION LEVEL READ COMMITTED"},
    {"commit", "COMMIT"},
    {"rollback", "ROLLBACK"},
    {"read", "SELECT value, version FROM assay_rows WHERE key = $1"},
    {"write",
     "INSERT INTO assay_rows VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO UPDATE SET "
     "value = EXCLUDED.value, number = EXCLUDED.number, version = EXCLUDED.version"},
    {"insert", "INSERT INTO assay_rows VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING"},
    {"erase", "DELETE FROM assay_rows WHERE key = $1"},
    {"append",
     "INSERT INTO assay_lists VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET "
     "elements = assay_lists.elements || EXCLUDED.elements"},
    {"read_list", "SELECT elements FROM assay_lists WHERE key = $1"},
    {"range", "SELECT key, value, version FROM assay_rows WHERE key BETWEEN $1 AND $2 ORDER BY key"},
    {"filter",
     "SELECT key, value, version FROM assay_rows WHERE key >= $1 AND key < $2 AND number BETWEEN $3 AND $4 "
     "ORDER BY key"},
    {"filter_to_the_end",
     "SELECT key, value, version FROM assay_rows WHERE key >= $1 AND number BETWEEN $2 AND $3 ORDER BY key"},
};

// What an error of a statement, not of commit, says about its transaction.
Failure failure_of(std::string_view sqlstate) {
  const std::string_view kind = sqlstate.substr(0, 2);
  if (kind == "40" || kind == "08") return Failure::aborted;  // conflicts; trouble with the connection
  for (const std::string_view one : {
           "25P02",  // the transaction has failed already
           "25P03",  // idle for too long
           "55P03",  // no lock in time
           "57014",  // cancelled: the time-out
           "57P01",  // the server goes down
           "57P02",  // it crashed
           "57P03",  // it starts
           "57P05",  // idle for too long
       }) {
    if (sqlstate == one) return Failure::aborted;
  }
  return Failure::fatal;
}

std::string field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text != nullptr ? text : "";
}

constexpr std::string_view kReadOnly = "25006";

StoreError error_of(const PGresult* result, bool of_commit, bool replica) {
  const std::string state = field(result, PG_DIAG_SQLSTATE);
  const std::string message =
      fmt::format("postgres: {} (SQLSTATE {})", field(result, PG_DIAG_MESSAGE_PRIMARY), state);
  if (!of_commit) return {replica && state == kReadOnly ? Failure::aborted : failure_of(state), message};
  // A commit that ends in an ERROR has been undone. FATAL ends the connection, and then commit may have
  // worked: a server that shuts down stops waiting for its replicas, for example. 40003: the server does not
  // know.
  const bool undone = field(result, PG_DIAG_SEVERITY_NONLOCALIZED) == "ERROR" && state != "40003";
  return {undone ? Failure::aborted : Failure::unknown, message};
}

class PostgresSession final : public StoreSession {
 public:
  explicit PostgresSession(ServerPlace place) : options_(std::move(place.options)), replica_(place.replica) {
    try {
      connect();
    } catch (const ConnectionLost& lost) {
      throw StoreError(Failure::fatal, "postgres: " + lost.why);
    }
  }

  void begin(std::optional<Level> level) override {
    assert(!open_);
    const char* statement = begin_statement(level, replica_);
    guarded([&] {
      if (!connection_) connect();
      send(statement, {});
    });
    open_ = true;
  }

  std::optional<StoredValue> read(std::string_view key) override {
    std::optional<StoredValue> found;
    answer("read", Parameters().text(key), [&](const PGresult* result) {
      if (PQntuples(result) > 0) {
        found = StoredValue{text_at(result, 0, 0), static_cast<std::uint64_t>(number_at(result, 0, 1))};
      }
    });
    return found;
  }

  void write(std::string_view key, const StoredValue& value) override {
    guarded([&] { send("write", row_parameters<Parameters>(key, value)); });
  }

  bool insert(std::string_view key, const StoredValue& value) override {
    bool inserted = false;
    answer("insert", row_parameters<Parameters>(key, value),
           [&](PGresult* result) { inserted = *PQcmdTuples(result) == '1'; });
    return inserted;
  }

  bool erase(std::string_view key) override {
    bool erased = false;
    answer("erase", Parameters().text(key), [&](PGresult* result) { erased = *PQcmdTuples(result) == '1'; });
    return erased;
  }

  void append(std::string_view key, std::uint64_t version) override {
    const std::string element = list_text(version);
    guarded([&] { send("append", Parameters().text(key).text(element)); });
  }

  void read_list(std::string_view key, std::vector<ListElement>& elements) override {
    elements.clear();
    answer("read_list", Parameters().text(key), [&](const PGresult* result) {
      if (PQntuples(result) > 0) read_list_text(text_at(result, 0, 0), elements);
    });
  }

  void range_read(std::string_view low, std::string_view high, std::vector<StoredRow>& rows) override {
    answer("range", Parameters().text(low).text(high), [&](const PGresult* result) { fetch(result, rows); });
  }

  void filter_read(const NumberFilter& filter, std::vector<StoredRow>& rows) override {
    const auto end = end_of_prefix(filter.prefix);
    const auto parameters = filter_parameters<Parameters>(filter, end);
    answer(end ? "filter" : "filter_to_the_end", parameters,
           [&](const PGresult* result) { fetch(result, rows); });
  }

  void settle() override {
    guarded([&] {
      connection_->request_answers();
      take_pending(false);
    });
  }

  void commit() override {
    bool sent = false;
    try {
      send("commit", {});
      sent = true;
      connection_->sync();
      take_pending(true);
      open_ = false;
      connection_->take();  // the sync
    } catch (const ConnectionLost& lost) {
      const bool ended = !open_;
      forget_connection();
      if (ended) return;  // the answer to commit had come
      throw StoreError(sent ? Failure::unknown : Failure::aborted, "postgres: " + lost.why);
    } catch (const StoreError&) {
      roll_back();
      throw;
    }
  }

  void abort() override {
    if (open_) roll_back();
  }

 private:
  void connect() {
    connection_ = std::make_unique<PostgresConnection>(options_);
    connection_->prepare(kStatements);
    pending_ = 0;
  }

  void forget_connection() {
    connection_.reset();
    open_ = false;
  }

  static void fetch(const PGresult* result, std::vector<StoredRow>& rows) {
    const int count = PQntuples(result);
    rows.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      rows[static_cast<std::size_t>(i)] = {
          text_at(result, i, 0),
          {text_at(result, i, 1), static_cast<std::uint64_t>(number_at(result, i, 2))}};
    }
  }

  // Writes pile up unanswered only so far, since the server may stop reading while nobody reads its answers.
  static constexpr int kMostPending = 64;

  void send(const char* statement, const Parameters& parameters) {
    if (pending_ >= kMostPending) {
      connection_->request_answers();
      take_pending(false);
    }
    connection_->send(statement, parameters);
    ++pending_;
  }

  // Takes all results that are outstanding and returns the last one; throws the first error.
  Result take_pending(bool commit_is_last) {
    Result last;
    while (pending_ > 0) {
      last = connection_->take();
      --pending_;
      const ExecStatusType status = PQresultStatus(last.get());
      const bool of_commit = commit_is_last && pending_ == 0;
      if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        throw error_of(last.get(), of_commit, replica_);
      // A transaction that failed before is rolled back by commit, which then says so.
      if (of_commit && std::string_view(PQcmdStatus(last.get())) != "COMMIT") {
        throw StoreError(Failure::aborted, "postgres: the server rolled back instead of committing");
      }
    }
    return last;
  }

  template <typename Action>
  void guarded(const Action& action) {
    try {
      action();
    } catch (const ConnectionLost& lost) {
      forget_connection();
      throw StoreError(Failure::aborted, "postgres: " + lost.why);
    } catch (const StoreError&) {
      roll_back();
      throw;
    }
  }

  template <typename Use>
  void answer(const char* statement, const Parameters& parameters, const Use& use) {
    guarded([&] {
      send(statement, parameters);
      connection_->request_answers();
      use(take_pending(false).get());
    });
  }

  // The first sync ends what the server skips after an error, so that it sees the rollback.
  void roll_back() {
    open_ = false;
    if (!connection_) return;
    try {
      connection_->sync();
      connection_->send("rollback");
      connection_->sync();
      while (connection_->outstanding_syncs() > 0) connection_->take();
      pending_ = 0;
    } catch (const ConnectionLost&) {
      forget_connection();  // which rolls back as well
    }
  }

  ConnectionOptions options_;
  bool replica_;
  std::unique_ptr<PostgresConnection> connection_;
  int pending_ = 0;
  bool open_ = false;
};

class Postgres final : public Store {
 public:
  explicit Postgres(std::vector<ConnectionOptions> servers) {
    for (ConnectionOptions& server : servers) {
      const auto connection = reach(server);
      const int version = connection->server_version();
      if (description_.empty()) {
        description_ = fmt::format("PostgreSQL {}.{}", version / 10000, version % 10000);
      }
      const bool replica = !servers_.empty() && told(*connection, "SELECT pg_is_in_recovery()") == "t";
      replicas_ += replica ? 1 : 0;
      servers_.push_back({std::move(server), replica});
    }
    if (replicas_ > 0)
      description_ += fmt::format(" with {} replica{}", replicas_, replicas_ == 1 ? "" : "s");
  }

  std::string description() const override { return description_; }
  std::vector<Mode> modes() const override {
    if (replicas_ > 0) return {std::begin(kModesWithReplicas), std::end(kModesWithReplicas)};
    return {std::begin(kModes), std::end(kModes)};
  }

  void prepare() override {
    try {
      const auto connection = reach(servers_.front().options);
      connection->execute("SET statement_timeout = 0");
      connection->execute("BEGIN");
      refuse_tables_of_others(*connection);
      // Room in the pages for new versions of rows beside the old ones, where an update touches no index.
      connection->execute(
          fmt::format("DROP TABLE IF EXISTS assay_rows, assay_lists;"
                      "CREATE TABLE assay_rows (key bytea PRIMARY KEY, value bytea NOT NULL, number bigint,"
                      " version bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);"
                      "CREATE TABLE assay_lists (key bytea PRIMARY KEY, elements bytea NOT NULL)"
                      " WITH (fillfactor = 50);"
                      "COMMENT ON TABLE assay_rows IS '{0}';"
                      "COMMENT ON TABLE assay_lists IS '{0}';"
                      "COMMIT",
                      kMark)
              .c_str());
      wait_for_replicas(told(*connection, "SELECT pg_current_wal_lsn()"));
    } catch (const ConnectionLost& lost) {
      throw StoreError(Failure::fatal, "postgres: " + lost.why);
    }
  }

  void remove() override {
    try {
      const auto connection = reach(servers_.front().options);
      connection->execute("BEGIN");
      refuse_tables_of_others(*connection);
      connection->execute("DROP TABLE IF EXISTS assay_rows, assay_lists; COMMIT");
    } catch (const ConnectionLost& lost) {
      throw StoreError(Failure::fatal, "postgres: " + lost.why);
    }
  }

  std::unique_ptr<StoreSession> open_session(std::uint32_t number) override {
    return std::make_unique<PostgresSession>(servers_[number % servers_.size()]);
  }

 private:
  static std::string told(PostgresConnection& connection, const std::string& sql) {
    const Result result = connection.execute(sql.c_str());
    return PQntuples(result.get()) > 0 ? text_at(result.get(), 0, 0) : "";
  }

  // Sessions prepare their statements on tables that must be there.
  void wait_for_replicas(const std::string& place) const {
    constexpr std::chrono::seconds kLongest{60};
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    for (const ServerPlace& server : servers_) {
      if (!server.replica) continue;
      const auto connection = reach(server.options);
      while (told(*connection, fmt::format("SELECT pg_last_wal_replay_lsn() >= '{}'", place)) != "t") {
        if (std::chrono::steady_clock::now() >= deadline)
          throw StoreError(Failure::fatal, "postgres: a replica does not follow the first server");
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
  }

  // By the name as DROP would find it, wherever it stands on the search path.
  static void refuse_tables_of_others(PostgresConnection& connection) {
    for (const std::string_view name : {"assay_rows", "assay_lists"}) {
      const Result found = connection.execute(
          fmt::format("SELECT obj_description(to_regclass('{0}'), 'pg_class') IS DISTINCT FROM '{1}' "
                      "WHERE to_regclass('{0}') IS NOT NULL",
                      name, kMark)
              .c_str());
      if (PQntuples(found.get()) > 0 && text_at(found.get(), 0, 0) != "f") {
        refuse_unmarked("postgres", fmt::format("the table {}", name));
      }
    }
  }

  // Creating tables may take longer than a statement of a transaction should.
  static std::unique_ptr<PostgresConnection> reach(ConnectionOptions server) {
    server.timeout = std::max(server.timeout, std::chrono::milliseconds(60'000));
    try {
      return std::make_unique<PostgresConnection>(server);
    } catch (const ConnectionLost& lost) {
      throw StoreError(Failure::fatal, "postgres: " + lost.why);
    }
  }

  std::vector<ServerPlace> servers_;
  std::size_t replicas_ = 0;
  std::string description_;
};

}  // namespace

void assay_open_store(StoreUrl& url, std::unique_ptr<Store>& store) {
  const std::uint64_t seconds = url.take_number("timeout", 10, 86'400);
  ConnectionOptions common;
  // The server gives up first, so that its answer, which says more, has time to arrive.
  common.timeout = std::chrono::milliseconds(seconds * 1000 + 1000);
  auto& parameters = common.parameters;
  common.connect_timeout = std::chrono::seconds(url.take_number("connect_timeout", 5, 86'400));
  if (!url.user().empty()) parameters.emplace_back("user", url.user());
  if (!url.password().empty()) parameters.emplace_back("password", url.password());
  if (!url.path().empty()) parameters.emplace_back("dbname", url.path());
  parameters.emplace_back("application_name", "assay");
  // Scans of whole tables would make the serializable level see conflicts everywhere; planning the same
  // statement over and over would only cost time.
  parameters.emplace_back("options", fmt::format("-c statement_timeout={} -c enable_seqscan=off "
                                                 "-c plan_cache_mode=force_generic_plan",
                                                 seconds * 1000));
  // All other options are libpq's. The last of two with one name counts, so host=/run/postgresql works.
  const auto rest = url.take_rest();

  std::vector<ConnectionOptions> servers;
  for (const Endpoint& endpoint : url.endpoints(5432)) {
    ConnectionOptions server = common;
    server.parameters.emplace_back("host", endpoint.host);
    server.parameters.emplace_back("port", std::to_string(endpoint.port));
    server.parameters.insert(server.parameters.end(), rest.begin(), rest.end());
    servers.push_back(std::move(server));
  }
  store = std::make_unique<Postgres>(std::move(servers));
}

}  // namespace assay::database
