#include "database/client/mariadb/mariadb_connection.hpp"

#include <errmsg.h>
#include <fmt/format.h>
#include <mysqld_error.h>

#include <cassert>

namespace assay::database::mariadb {

namespace {

[[noreturn]] void fail_with(MYSQL* connection) {
  throw ServerError{mysql_errno(connection), mysql_error(connection)};
}

struct FreeResult {
  void operator()(MYSQL_RES* result) const { mysql_free_result(result); }
};

}  // namespace

bool connection_is_gone(const ServerError& error) {
  switch (error.number) {
    case CR_CONNECTION_ERROR:
    case CR_CONN_HOST_ERROR:
    case CR_SERVER_GONE_ERROR:
    case CR_SERVER_LOST:
    case CR_SERVER_LOST_EXTENDED:
    case CR_SERVER_HANDSHAKE_ERR:
    case ER_SERVER_SHUTDOWN:
    case ER_NORMAL_SHUTDOWN:
    case ER_CONNECTION_KILLED:
    case ER_ABORTING_CONNECTION:
    case ER_NET_READ_ERROR:
    case ER_NET_READ_INTERRUPTED:
    case ER_NET_ERROR_ON_WRITE:
    case ER_NET_WRITE_INTERRUPTED:
    case ER_BAD_HOST_ERROR:
    case ER_HANDSHAKE_ERROR:
      return true;
    default:
      return false;
  }
}

Connection connect(const ConnectionOptions& options) {
  Connection connection(mysql_init(nullptr));
  if (!connection) throw ServerError{CR_OUT_OF_MEMORY, "no memory for a connection"};
  const unsigned tcp = MYSQL_PROTOCOL_TCP;  // else "localhost" would mean a socket file
  mysql_optionsv(connection.get(), MYSQL_OPT_PROTOCOL, &tcp);
  mysql_optionsv(connection.get(), MYSQL_OPT_CONNECT_TIMEOUT, &options.connect_seconds);
  mysql_optionsv(connection.get(), MYSQL_OPT_READ_TIMEOUT, &options.seconds);
  mysql_optionsv(connection.get(), MYSQL_OPT_WRITE_TIMEOUT, &options.seconds);
  if (mysql_real_connect(connection.get(), options.endpoint.host.c_str(), options.user.c_str(),
                         options.password.c_str(), options.database.c_str(), options.endpoint.port, nullptr,
                         CLIENT_MULTI_STATEMENTS) == nullptr) {
    fail_with(connection.get());
  }
  return connection;
}

void execute(MYSQL* connection, const std::string& sql) {
  if (mysql_real_query(connection, sql.data(), sql.size()) != 0) fail_with(connection);
  while (true) {
    const std::unique_ptr<MYSQL_RES, FreeResult> unwanted(mysql_store_result(connection));
    const int more = mysql_next_result(connection);
    if (more < 0) return;
    if (more > 0) fail_with(connection);
  }
}

std::optional<std::string> query_text(MYSQL* connection, const std::string& sql) {
  if (mysql_real_query(connection, sql.data(), sql.size()) != 0) fail_with(connection);
  const std::unique_ptr<MYSQL_RES, FreeResult> result(mysql_store_result(connection));
  if (!result) fail_with(connection);
  MYSQL_ROW row = mysql_fetch_row(result.get());
  if (row == nullptr) return std::nullopt;
  const char* last = row[mysql_num_fields(result.get()) - 1];
  return last != nullptr ? std::optional<std::string>(last) : std::nullopt;
}

Parameters& Parameters::text(std::string_view text) {
  assert(count_ < kMost);
  parameters_[count_].type = MYSQL_TYPE_BLOB;
  parameters_[count_++].text = text;
  return *this;
}

Parameters& Parameters::number(std::int64_t number) {
  assert(count_ < kMost);
  parameters_[count_].type = MYSQL_TYPE_LONGLONG;
  parameters_[count_++].number = number;
  return *this;
}

Parameters& Parameters::null() {
  assert(count_ < kMost);
  parameters_[count_++].type = MYSQL_TYPE_NULL;
  return *this;
}

std::array<MYSQL_BIND, Parameters::kMost> Parameters::bindings() {
  std::array<MYSQL_BIND, kMost> bindings{};
  for (std::size_t i = 0; i < count_; ++i) {
    Parameter& parameter = parameters_[i];
    bindings[i].buffer_type = parameter.type;
    if (parameter.type == MYSQL_TYPE_LONGLONG) {
      bindings[i].buffer = &parameter.number;
    } else if (parameter.type == MYSQL_TYPE_BLOB) {
      bindings[i].buffer = const_cast<char*>(parameter.text.data());  // the library only reads it
      bindings[i].buffer_length = parameter.text.size();
    }
  }
  return bindings;
}

Statement::Statement(MYSQL* connection, std::string_view sql, Columns columns)
    : statement_(mysql_stmt_init(connection)), columns_(columns) {
  assert(columns.texts <= kMostTexts);
  if (!statement_) fail_with(connection);
  if (mysql_stmt_prepare(statement_.get(), sql.data(), sql.size()) != 0) fail();
}

void Statement::fail() const {
  throw ServerError{mysql_stmt_errno(statement_.get()), mysql_stmt_error(statement_.get())};
}

std::uint64_t Statement::run(Parameters parameters) {
  auto bindings = parameters.bindings();
  assert(mysql_stmt_param_count(statement_.get()) == parameters.count());
  if (parameters.count() > 0 && mysql_stmt_bind_param(statement_.get(), bindings.data()) != 0) fail();
  if (mysql_stmt_execute(statement_.get()) != 0) fail();
  return mysql_stmt_affected_rows(statement_.get());
}

void Statement::open_result() {
  std::array<MYSQL_BIND, kMostTexts + 1> bindings{};
  for (std::size_t i = 0; i < columns_.texts; ++i) {
    bindings[i].buffer_type = MYSQL_TYPE_BLOB;
    bindings[i].buffer = buffers_[i].data();
    bindings[i].buffer_length = buffers_[i].size();
    bindings[i].length = &lengths_[i];
  }
  if (columns_.version) {
    bindings[columns_.texts].buffer_type = MYSQL_TYPE_LONGLONG;
    bindings[columns_.texts].buffer = &version_;
  }
  if (mysql_stmt_bind_result(statement_.get(), bindings.data()) != 0) fail();
  if (mysql_stmt_store_result(statement_.get()) != 0) fail();
}

bool Statement::fetch() {
  const int status = mysql_stmt_fetch(statement_.get());
  if (status == MYSQL_NO_DATA) return false;
  if (status != 0 && status != MYSQL_DATA_TRUNCATED) fail();
  for (std::size_t i = 0; i < columns_.texts; ++i) {
    if (lengths_[i] <= buffers_[i].size()) {
      texts_[i].assign(buffers_[i].data(), lengths_[i]);
      continue;
    }
    texts_[i].resize(lengths_[i]);
    MYSQL_BIND whole{};
    unsigned long length = 0;
    whole.buffer_type = MYSQL_TYPE_BLOB;
    whole.buffer = texts_[i].data();
    whole.buffer_length = texts_[i].size();
    whole.length = &length;
    if (mysql_stmt_fetch_column(statement_.get(), &whole, static_cast<unsigned>(i), 0) != 0) fail();
  }
  return true;
}

}  // namespace assay::database::mariadb
