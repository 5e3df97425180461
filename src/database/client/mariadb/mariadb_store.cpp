// MariaDB, MySQL and Galera clusters. Sessions have autocommit off, so that a transaction begins with its
// first statement and costs no round trip to begin. The level is set only where it differs from the last one.
#include <fmt/format.h>
#include <mysqld_error.h>

#include <algorithm>
#include <cassert>

#include "database/client/mariadb/mariadb_connection.hpp"
#include "database/mark.hpp"
#include "database/product.hpp"
#include "database/row.hpp"
#include "database/sql_parameters.hpp"

namespace assay::database {

namespace {

using mariadb::Connection;
using mariadb::connection_is_gone;
using mariadb::ConnectionOptions;
using mariadb::Parameters;
using mariadb::ServerError;
using mariadb::Statement;

struct Abilities {
  bool snapshot_isolation = false;  // can be told to let the first committer win (MariaDB 10.6.18 and later)
  bool cluster = false;
};

struct MariadbOptions {
  std::vector<ConnectionOptions> nodes;
  unsigned lock_wait_seconds = 0;
  std::uint64_t sync_wait = 0;
};

// Creating tables may take longer than a statement of a transaction should.
ConnectionOptions patient(ConnectionOptions node) {
  node.seconds = std::max(node.seconds, 60U);
  return node;
}

StoreError fatal(const ServerError& error) {
  return {Failure::fatal, fmt::format("mysql: {} (error {})", error.message, error.number)};
}

// What an error of a statement, not of commit, says about its transaction.
Failure failure_of(const ServerError& error) {
  if (connection_is_gone(error)) return Failure::aborted;
  switch (error.number) {
    case ER_LOCK_DEADLOCK:  // also: certification failed in the cluster
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_CHECKREAD:          // changed since the snapshot
    case ER_UNKNOWN_COM_ERROR:  // the node is not part of the cluster at the moment
    case ER_QUERY_INTERRUPTED:
    case ER_STATEMENT_TIMEOUT:
      return Failure::aborted;
    default:
      return Failure::fatal;
  }
}

Failure failure_of_commit(const ServerError& error) {
  switch (error.number) {
    case ER_LOCK_DEADLOCK:
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_CHECKREAD:
      return Failure::aborted;
    default:
      return Failure::unknown;
  }
}

// A connection with its statements; they end together.
struct Prepared {
  Connection connection;
  Statement read, write, insert, erase, append, read_list, range, filter, filter_to_the_end;

  explicit Prepared(Connection to)
      : connection(std::move(to)),
        read(connection.get(), "SELECT value, version FROM assay_rows WHERE `key` = ?", {1, true}),
        write(connection.get(),
              "INSERT INTO assay_rows VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE "
              "value = VALUES(value), number = VALUES(number), version = VALUES(version)"),
        insert(connection.get(), "INSERT INTO assay_rows VALUES (?, ?, ?, ?)"),
        erase(connection.get(), "DELETE FROM assay_rows WHERE `key` = ?"),
        append(connection.get(),
               "INSERT INTO assay_lists VALUES (?, ?) ON DUPLICATE KEY UPDATE "
               "elements = CONCAT(elements, VALUES(elements))"),
        read_list(connection.get(), "SELECT elements FROM assay_lists WHERE `key` = ?", {1, false}),
        range(connection.get(),
              "SELECT `key`, value, version FROM assay_rows WHERE `key` BETWEEN ? AND ? ORDER BY `key`",
              {2, true}),
        filter(connection.get(),
               "SELECT `key`, value, version FROM assay_rows WHERE `key` >= ? AND `key` < ? AND "
               "number BETWEEN ? AND ? ORDER BY `key`",
               {2, true}),
        filter_to_the_end(connection.get(),
                          "SELECT `key`, value, version FROM assay_rows WHERE `key` >= ? AND "
                          "number BETWEEN ? AND ? ORDER BY `key`",
                          {2, true}) {}
};

class MariadbSession final : public StoreSession {
 public:
  MariadbSession(ConnectionOptions node, const MariadbOptions& options, Abilities abilities)
      : node_(std::move(node)),
        lock_wait_seconds_(options.lock_wait_seconds),
        sync_wait_(options.sync_wait),
        abilities_(abilities) {
    try {
      connect();
    } catch (const ServerError& error) {
      throw fatal(error);
    }
  }

  void begin(std::optional<Level> level) override {
    assert(!open_);
    const std::string set = set_level(level);
    guarded([&] {
      if (!prepared_) connect();
      if (told_ == set) return;
      mariadb::execute(prepared_->connection.get(), set);
      told_ = set;
    });
    open_ = true;
  }

  std::optional<StoredValue> read(std::string_view key) override {
    std::optional<StoredValue> found;
    guarded([&] {
      prepared_->read.select(Parameters().text(key), [&](const auto& texts, std::uint64_t version) {
        found = StoredValue{texts[0], version};
      });
    });
    return found;
  }

  void write(std::string_view key, const StoredValue& value) override {
    guarded([&] { prepared_->write.run(row_parameters<Parameters>(key, value)); });
  }

  bool insert(std::string_view key, const StoredValue& value) override {
    bool inserted = true;
    guarded([&] {
      try {
        prepared_->insert.run(row_parameters<Parameters>(key, value));
      } catch (const ServerError& error) {
        if (error.number != ER_DUP_ENTRY) throw;
        inserted = false;  // only the statement is undone
      }
    });
    return inserted;
  }

  bool erase(std::string_view key) override {
    bool erased = false;
    guarded([&] { erased = prepared_->erase.run(Parameters().text(key)) != 0; });
    return erased;
  }

  void append(std::string_view key, std::uint64_t version) override {
    const std::string element = list_text(version);
    guarded([&] { prepared_->append.run(Parameters().text(key).text(element)); });
  }

  void read_list(std::string_view key, std::vector<ListElement>& elements) override {
    elements.clear();
    guarded([&] {
      prepared_->read_list.select(Parameters().text(key), [&](const auto& texts, std::uint64_t) {
        read_list_text(texts[0], elements);
      });
    });
  }

  void range_read(std::string_view low, std::string_view high, std::vector<StoredRow>& rows) override {
    fetch(prepared_->range, Parameters().text(low).text(high), rows);
  }

  void filter_read(const NumberFilter& filter, std::vector<StoredRow>& rows) override {
    const auto end = end_of_prefix(filter.prefix);
    const auto parameters = filter_parameters<Parameters>(filter, end);
    fetch(end ? prepared_->filter : prepared_->filter_to_the_end, parameters, rows);
  }

  void commit() override {
    open_ = false;
    if (mysql_commit(prepared_->connection.get()) == 0) return;
    const ServerError error{mysql_errno(prepared_->connection.get()),
                            mysql_error(prepared_->connection.get())};
    roll_back();
    throw StoreError(failure_of_commit(error),
                     fmt::format("mysql: {} (error {})", error.message, error.number));
  }

  void abort() override {
    if (open_) roll_back();
  }

 private:
  std::string set_level(std::optional<Level> level) const {
    const bool snapshot = level == Level::snapshot_isolation && abilities_.snapshot_isolation;
    std::string_view name;
    if (level == Level::serializable) name = "SERIALIZABLE";
    if (level == Level::repeatable_read || snapshot) name = "REPEATABLE READ";
    if (level == Level::read_committed) name = "READ COMMITTED";
    if (!level) name = "READ UNCOMMITTED";
    if (name.empty()) {
      throw StoreError(Failure::fatal, fmt::format("mysql: there is no level {}", name_of(level)));
    }
    std::string sql = fmt::format("SET SESSION TRANSACTION ISOLATION LEVEL {}", name);
    if (abilities_.snapshot_isolation) {
      sql += fmt::format("; SET SESSION innodb_snapshot_isolation = {}", snapshot ? "ON" : "OFF");
    }
    return sql;
  }

  void connect() {
    Connection connection = mariadb::connect(node_);
    mariadb::execute(connection.get(), fmt::format("SET SESSION autocommit = 0;"
                                                   "SET SESSION innodb_lock_wait_timeout = {}",
                                                   lock_wait_seconds_));
    if (abilities_.cluster) {
      // The tables may have been created on another node a moment ago: wait for them.
      mariadb::execute(
          connection.get(),
          fmt::format("SET SESSION wsrep_sync_wait = 15; SELECT 1 FROM assay_rows LIMIT 0; ROLLBACK;"
                      "SET SESSION wsrep_sync_wait = {}",
                      sync_wait_));
    }
    prepared_ = std::make_unique<Prepared>(std::move(connection));
    told_.clear();
  }

  void fetch(Statement& statement, Parameters parameters, std::vector<StoredRow>& rows) {
    rows.clear();
    guarded([&] {
      statement.select(parameters, [&](const auto& texts, std::uint64_t version) {
        rows.push_back({texts[0], {texts[1], version}});
      });
    });
  }

  template <typename Action>
  void guarded(const Action& action) {
    try {
      action();
    } catch (const ServerError& error) {
      roll_back();
      throw StoreError(failure_of(error), fmt::format("mysql: {} (error {})", error.message, error.number));
    } catch (const StoreError&) {
      roll_back();
      throw;
    }
  }

  // A connection on which this fails is dropped, and the server rolls back.
  void roll_back() {
    open_ = false;
    if (prepared_ && mysql_rollback(prepared_->connection.get()) != 0) prepared_.reset();
  }

  ConnectionOptions node_;
  unsigned lock_wait_seconds_;
  std::uint64_t sync_wait_;
  Abilities abilities_;
  std::unique_ptr<Prepared> prepared_;
  std::string told_;  // the statement that set the connection's level
  bool open_ = false;
};

class Mariadb final : public Store {
 public:
  explicit Mariadb(MariadbOptions options) : options_(std::move(options)) {
    try {
      const Connection connection = mariadb::connect(patient(options_.nodes.front()));
      const std::string version = mysql_get_server_info(connection.get());
      const bool is_mariadb = version.find("MariaDB") != std::string::npos;
      description_ =
          fmt::format("{} {}", is_mariadb ? "MariaDB" : "MySQL", version.substr(0, version.find('-')));
      const auto variable = [&](std::string_view name) {
        return mariadb::query_text(connection.get(), fmt::format("SHOW VARIABLES LIKE '{}'", name));
      };
      abilities_.snapshot_isolation = variable("innodb_snapshot_isolation").has_value();
      abilities_.cluster = variable("wsrep_on") == "ON" && variable("wsrep_provider") != "none";
      if (abilities_.cluster) {
        description_ += " with Galera";
        if (mariadb::query_text(connection.get(), "SHOW GLOBAL STATUS LIKE 'wsrep_ready'") != "ON") {
          throw StoreError(Failure::fatal, "mysql: the node has not joined its cluster");
        }
      }
    } catch (const ServerError& error) {
      throw fatal(error);
    }
  }

  std::string description() const override { return description_; }

  // What Galera promises between nodes: repeatable read, whatever the sessions ask for.
  std::vector<Mode> modes() const override {
    std::vector<Mode> modes{{Level::serializable,
                             abilities_.cluster ? Level::repeatable_read : Level::serializable,
                             "SERIALIZABLE"}};
    if (abilities_.snapshot_isolation) {
      modes.push_back({Level::snapshot_isolation, Level::snapshot_isolation,
                       "REPEATABLE READ with innodb_snapshot_isolation"});
    }
    modes.push_back({Level::repeatable_read, Level::repeatable_read, "REPEATABLE READ"});
    modes.push_back({Level::read_committed, Level::read_committed, "READ COMMITTED"});
    modes.push_back({std::nullopt, std::nullopt, "READ UNCOMMITTED"});
    return modes;
  }

  void prepare() override {
    try {
      const Connection connection = mariadb::connect(patient(options_.nodes.front()));
      refuse_tables_of_others(connection.get());
      mariadb::execute(
          connection.get(),
          fmt::format(
              "DROP TABLE IF EXISTS assay_rows, assay_lists;"
              "CREATE TABLE assay_rows (`key` VARBINARY(512) PRIMARY KEY, value LONGBLOB NOT NULL,"
              " number BIGINT, version BIGINT NOT NULL DEFAULT 0) ENGINE=InnoDB COMMENT='{0}';"
              "CREATE TABLE assay_lists (`key` VARBINARY(512) PRIMARY KEY, elements LONGBLOB NOT NULL)"
              " ENGINE=InnoDB COMMENT='{0}'",
              kMark));
    } catch (const ServerError& error) {
      throw fatal(error);
    }
  }

  void remove() override {
    try {
      const Connection connection = mariadb::connect(patient(options_.nodes.front()));
      refuse_tables_of_others(connection.get());
      mariadb::execute(connection.get(), "DROP TABLE IF EXISTS assay_rows, assay_lists");
    } catch (const ServerError& error) {
      throw fatal(error);
    }
  }

  std::unique_ptr<StoreSession> open_session(std::uint32_t number) override {
    return std::make_unique<MariadbSession>(options_.nodes[number % options_.nodes.size()], options_,
                                            abilities_);
  }

 private:
  // Whatever the case of its name, since on some systems tables know none.
  static void refuse_tables_of_others(MYSQL* connection) {
    const auto unmarked = mariadb::query_text(
        connection,
        fmt::format("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() "
                    "AND LOWER(TABLE_NAME) IN ('assay_rows', 'assay_lists') AND TABLE_COMMENT <> '{}'",
                    kMark));
    if (unmarked) refuse_unmarked("mysql", fmt::format("the table {}", *unmarked));
  }

  MariadbOptions options_;
  Abilities abilities_;
  std::string description_;
};

}  // namespace

void assay_open_store(StoreUrl& url, std::unique_ptr<Store>& store) {
  MariadbOptions options;
  ConnectionOptions common;
  common.user = url.user();
  common.password = url.password();
  common.database = url.path();
  if (common.database.empty()) url.fail(fmt::format("expected {}://host/database", url.scheme()));
  const std::uint64_t seconds = url.take_number("timeout", 10, 86'400);
  options.lock_wait_seconds = static_cast<unsigned>(seconds);
  // The server gives up first, so that its answer, which says more, has time to arrive.
  common.seconds = static_cast<unsigned>(seconds + 1);
  common.connect_seconds = static_cast<unsigned>(url.take_number("connect_timeout", 5, 86'400));
  options.sync_wait = url.take_number("sync_wait", 0, 15);
  url.expect_no_more_options();
  for (Endpoint& endpoint : url.endpoints(3306)) {
    ConnectionOptions node = common;
    node.endpoint = std::move(endpoint);
    options.nodes.push_back(std::move(node));
  }
  store = std::make_unique<Mariadb>(std::move(options));
}

}  // namespace assay::database
