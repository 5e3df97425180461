// One connection to MariaDB, MySQL or a node of a Galera cluster, and statements that are prepared on it. The
// values go over the wire as bytes and 64-bit numbers, without a text in between.
#pragma once

#include <mysql.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "database/url.hpp"

namespace assay::database::mariadb {

// An error by its number (ER_… or CR_…). Not a StoreError yet: what it means depends on the statement.
struct ServerError {
  unsigned number;
  std::string message;
};
bool connection_is_gone(const ServerError& error);

struct ConnectionOptions {
  Endpoint endpoint;
  std::string user, password, database;
  unsigned connect_seconds = 0;
  unsigned seconds = 0;  // for one answer
};

struct CloseConnection {
  void operator()(MYSQL* connection) const { mysql_close(connection); }
};
using Connection = std::unique_ptr<MYSQL, CloseConnection>;

// These throw ServerError.
Connection connect(const ConnectionOptions& options);
void execute(MYSQL* connection, const std::string& sql);
// The last column of the first row; nothing if there is none.
std::optional<std::string> query_text(MYSQL* connection, const std::string& sql);

class Parameters {
 public:
  static constexpr std::size_t kMost = 4;

  // The text must live until the statement has run.
  Parameters& text(std::string_view text);
  Parameters& number(std::int64_t number);
  Parameters& null();

  std::size_t count() const { return count_; }
  // Points into this object.
  std::array<MYSQL_BIND, kMost> bindings();

 private:
  struct Parameter {
    enum_field_types type = MYSQL_TYPE_NULL;
    std::string_view text;
    long long number = 0;
  };
  std::array<Parameter, kMost> parameters_{};
  std::size_t count_ = 0;
};

// What a statement selects: some texts, and then perhaps a version.
struct Columns {
  std::size_t texts = 0;
  bool version = false;
};

class Statement {
 public:
  Statement(MYSQL* connection, std::string_view sql, Columns columns = {});

  // Returns the number of rows that were changed.
  std::uint64_t run(Parameters parameters);
  // Calls row(texts, version) for every row. All rows are fetched before the first call.
  template <typename Row>
  void select(Parameters parameters, const Row& row) {
    run(parameters);
    open_result();
    const ResultInUse in_use{statement_.get()};
    while (fetch()) row(texts_, version_);
  }

 private:
  struct Close {
    void operator()(MYSQL_STMT* statement) const { mysql_stmt_close(statement); }
  };
  struct ResultInUse {
    MYSQL_STMT* statement;
    ~ResultInUse() { mysql_stmt_free_result(statement); }
  };
  [[noreturn]] void fail() const;
  void open_result();
  bool fetch();

  static constexpr std::size_t kMostTexts = 2;
  std::unique_ptr<MYSQL_STMT, Close> statement_;
  Columns columns_;
  std::array<std::string, kMostTexts> texts_;
  std::uint64_t version_ = 0;
  // Where the library puts texts; longer ones are fetched by themselves.
  std::array<std::array<char, 256>, kMostTexts> buffers_{};
  std::array<unsigned long, kMostTexts> lengths_{};
};

}  // namespace assay::database::mariadb
