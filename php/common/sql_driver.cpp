// PDO's driver "sqlite", once more: it behaves as PHP's own, but each statement is one operation on the
// world. Everything above a driver (fetch modes, exceptions, named parameters) is PDO itself. A statement
// runs to its end when it is executed, so that its rows do not depend on what the program does while it
// fetches them.
//
// Left out: functions and collations written in PHP (the auditor could not call them), persistent connections
// and column metadata.
#include "common/sql_driver.hpp"

#include <cstring>
#include <memory>

#include "common/intercept.hpp"
#include "common/sql_text.hpp"

namespace assay::php {

namespace {

constexpr zend_long kOpenFlags = PDO_ATTR_DRIVER_SPECIFIC;                // PDO::SQLITE_ATTR_OPEN_FLAGS
constexpr zend_long kExtendedResultCodes = PDO_ATTR_DRIVER_SPECIFIC + 2;  // ..._EXTENDED_RESULT_CODES
constexpr int kSqliteError = 1;
constexpr int kSqliteBusy = 5;
constexpr int kSqliteLocked = 6;

std::uint64_t connections = 0;  // opened by this request

struct Connection {
  std::uint64_t number = 0;
  bool open = false;
  bool extended_codes = false;
  int code = 0;  // of the last error
  std::string message;
  std::int64_t changes = 0;  // rows changed by the last statement that changes rows
  std::int64_t last_rowid = 0;
};

struct Parameter {
  std::uint64_t index = 0;
  std::string name;
  wire::SqlType type = wire::SqlType::null;
  std::int64_t integer = 0;
  std::string bytes;
};

struct Statement {
  Connection* connection = nullptr;
  std::string sql;
  std::vector<Parameter> parameters;  // like SQLite's: they stay until they are bound anew
  SqlResult result;
  std::size_t next_row = 0;
  std::size_t row = 0;
};

Connection* connection_of(pdo_dbh_t* dbh) {
  return static_cast<Connection*>(dbh->driver_data);
}
Statement* statement_of(pdo_stmt_t* stmt) {
  return static_cast<Statement*>(stmt->driver_data);
}

const char* sql_state(int code) {
  switch (code & 0xff) {
    case 12:
      return "42S02";  // NOTFOUND
    case 9:
      return "01002";  // INTERRUPT
    case 22:
      return "HYC00";  // NOLFS
    case 18:
      return "22001";  // TOOBIG
    case 19:
      return "23000";  // CONSTRAINT
    default:
      return "HY000";
  }
}

void fail(pdo_dbh_t* dbh, pdo_stmt_t* stmt, int code, const std::string& message) {
  Connection* connection = connection_of(dbh);
  connection->code = connection->extended_codes ? code : code & 0xff;
  connection->message = message;
  pdo_error_type& state = stmt != nullptr ? stmt->error_code : dbh->error_code;
  std::memcpy(state, sql_state(code), sizeof state);
  if (dbh->methods == nullptr) {
    pdo_throw_exception(static_cast<unsigned>(connection->code), connection->message.data(), &state);
  }
}

// SQLite counts changed rows only for statements that may change any and that it could compile; after others the count
// still stands. A statement that waited in vain has not happened.
void remember(Connection& connection, std::string_view sql, const SqlResult& result) {
  const int code = result.code & 0xff;
  if (code == kSqliteBusy || code == kSqliteLocked) return;
  const std::string_view text = result.statement.empty() ? sql : std::string_view(result.statement);
  if (code != kSqliteError && changes_rows(text, result.columns.empty())) connection.changes = result.changes;
  connection.last_rowid = result.last_rowid;
}

// ---- Statements

int statement_free(pdo_stmt_t* stmt) {
  delete statement_of(stmt);
  stmt->driver_data = nullptr;
  return 1;
}

int statement_execute(pdo_stmt_t* stmt) {
  Statement* statement = statement_of(stmt);
  std::vector<wire::SqlParameter> parameters;
  parameters.reserve(statement->parameters.size());
  for (const Parameter& parameter : statement->parameters) {
    parameters.push_back(
        {parameter.index, parameter.name, {parameter.type, parameter.integer, 0, parameter.bytes}});
  }
  Connection& connection = *statement->connection;
  if (world == nullptr || !connection.open) {
    fail(stmt->dbh, stmt, kSqliteError, "the connection is closed");
    return 0;
  }
  statement->result = world->sql_statement(connection.number, statement->sql, parameters);
  statement->next_row = 0;
  const SqlResult& result = statement->result;
  remember(connection, statement->sql, result);
  if (result.rows() == 0) {
    if (result.code != 0) {
      fail(stmt->dbh, stmt, result.code, result.message);
      return 0;
    }
    stmt->row_count = connection.changes;
  }
  php_pdo_stmt_set_column_count(stmt, static_cast<int>(result.columns.size()));
  return 1;
}

int statement_fetch(pdo_stmt_t* stmt, pdo_fetch_orientation, zend_long) {
  Statement* statement = statement_of(stmt);
  const SqlResult& result = statement->result;
  if (statement->next_row < result.rows()) {
    statement->row = statement->next_row++;
    return 1;
  }
  if (result.code != 0 && statement->next_row == result.rows()) {
    fail(stmt->dbh, stmt, result.code, result.message);
    ++statement->next_row;
  }
  return 0;
}

int statement_describe(pdo_stmt_t* stmt, int column) {
  const SqlResult& result = statement_of(stmt)->result;
  if (column < 0 || static_cast<std::size_t>(column) >= result.columns.size()) return 0;
  stmt->columns[column].name = new_string(result.columns[static_cast<std::size_t>(column)]);
  stmt->columns[column].maxlen = SIZE_MAX;
  stmt->columns[column].precision = 0;
  return 1;
}

int statement_cell(pdo_stmt_t* stmt, int column, zval* out, pdo_param_type*) {
  Statement* statement = statement_of(stmt);
  const std::size_t width = statement->result.columns.size();
  if (column < 0 || static_cast<std::size_t>(column) >= width || statement->row >= statement->result.rows())
    return 0;
  zval* cell = &statement->result.cells[statement->row * width + static_cast<std::size_t>(column)];
  if (world != nullptr) {
    world->copy_cell(out, cell);
  } else {
    ZVAL_COPY(out, cell);
  }
  return 1;
}

// The slot of this parameter among those bound before, or a new one.
Parameter& slot(Statement& statement, const pdo_bound_param_data& bound) {
  const std::string_view name =
      bound.paramno < 0 && bound.name != nullptr ? view(bound.name) : std::string_view();
  const auto index = name.empty() ? static_cast<std::uint64_t>(bound.paramno + 1) : 0;
  for (Parameter& parameter : statement.parameters) {
    if (parameter.index == index && parameter.name == name) return parameter;
  }
  statement.parameters.emplace_back();
  statement.parameters.back().index = index;
  statement.parameters.back().name = name;
  return statement.parameters.back();
}

bool bind_text(Parameter& parameter, zval* value, wire::SqlType type) {
  if (Z_TYPE_P(value) == IS_RESOURCE) {
    php_stream* stream = nullptr;
    php_stream_from_zval_no_verify(stream, value);
    if (stream == nullptr) return false;
    zend_string* all = php_stream_copy_to_mem(stream, PHP_STREAM_COPY_ALL, 0);
    parameter.bytes = all != nullptr ? std::string(view(all)) : "";
    if (all != nullptr) zend_string_release(all);
  } else {
    if (!try_convert_to_string(value)) return false;
    parameter.bytes = view(Z_STR_P(value));
  }
  parameter.type = type;
  return true;
}

int statement_bind(pdo_stmt_t* stmt, pdo_bound_param_data* bound, pdo_param_event event) {
  if (event != PDO_PARAM_EVT_EXEC_PRE || !bound->is_param) return 1;
  zval* value = &bound->parameter;
  ZVAL_DEREF(value);
  Parameter& parameter = slot(*statement_of(stmt), *bound);
  parameter.type = wire::SqlType::null;
  parameter.bytes.clear();
  const int type = static_cast<int>(PDO_PARAM_TYPE(bound->param_type));
  if (type == PDO_PARAM_STMT) return 0;
  if (type == PDO_PARAM_NULL || Z_TYPE_P(value) == IS_NULL) return 1;
  if (type == PDO_PARAM_INT || type == PDO_PARAM_BOOL) {
    convert_to_long(value);
    parameter.type = wire::SqlType::integer;
    parameter.integer = Z_LVAL_P(value);
    return 1;
  }
  return bind_text(parameter, value, type == PDO_PARAM_LOB ? wire::SqlType::blob : wire::SqlType::text) ? 1
                                                                                                        : 0;
}

int statement_close_cursor(pdo_stmt_t* stmt) {
  statement_of(stmt)->result = SqlResult();
  return 1;
}

const pdo_stmt_methods statement_methods = {statement_free,
                                            statement_execute,
                                            statement_fetch,
                                            statement_describe,
                                            statement_cell,
                                            statement_bind,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            statement_close_cursor};

// ---- Connections

void close_connection(pdo_dbh_t* dbh) {
  Connection* connection = connection_of(dbh);
  if (connection == nullptr) return;
  if (connection->open && world != nullptr) world->sql_close(connection->number);
  delete connection;
  dbh->driver_data = nullptr;
}

// PDO::query prepares and executes at once: one operation. PDO::prepare compiles now, and may fail now.
bool inside_query() {
  const zend_execute_data* frame = EG(current_execute_data);
  return frame != nullptr && frame->func != nullptr && frame->func->common.function_name != nullptr &&
         view(frame->func->common.function_name) == "query";
}

bool prepare(pdo_dbh_t* dbh, zend_string* sql, pdo_stmt_t* stmt, zval* options) {
  auto* statement = new Statement;
  statement->connection = connection_of(dbh);
  statement->sql = view(sql);
  stmt->driver_data = statement;
  stmt->methods = &statement_methods;
  stmt->supports_placeholders = PDO_PLACEHOLDER_POSITIONAL | PDO_PLACEHOLDER_NAMED;
  if (pdo_attr_lval(options, PDO_ATTR_CURSOR, PDO_CURSOR_FWDONLY) != PDO_CURSOR_FWDONLY) {
    fail(dbh, nullptr, kSqliteError, "not an error");
    return false;
  }
  if (inside_query()) return true;
  const SqlResult result = world->sql_prepare(statement->connection->number, statement->sql);
  if (result.code != 0) fail(dbh, nullptr, result.code, result.message);
  return result.code == 0;
}

zend_long execute_script(pdo_dbh_t* dbh, const zend_string* sql) {
  Connection& connection = *connection_of(dbh);
  std::string_view rest = skip_blank(view(sql));
  while (!rest.empty()) {
    const SqlResult result = world->sql_statement(connection.number, rest, {});
    remember(connection, rest, result);
    if (result.code != 0) {
      fail(dbh, nullptr, result.code, result.message);
      return -1;
    }
    if (result.tail == 0 || result.tail > rest.size()) break;
    rest = skip_blank(rest.substr(result.tail));
  }
  return connection.changes;
}

bool execute_word(pdo_dbh_t* dbh, const char* word) {
  if (world == nullptr) return false;  // the program was given up within a transaction
  Connection& connection = *connection_of(dbh);
  const SqlResult result = world->sql_statement(connection.number, word, {});
  remember(connection, word, result);
  if (result.code != 0) fail(dbh, nullptr, result.code, result.message);
  return result.code == 0;
}
bool begin(pdo_dbh_t* dbh) {
  return execute_word(dbh, "BEGIN");
}
bool commit(pdo_dbh_t* dbh) {
  return execute_word(dbh, "COMMIT");
}
bool roll_back(pdo_dbh_t* dbh) {
  return execute_word(dbh, "ROLLBACK");
}

zend_string* quote(pdo_dbh_t*, const zend_string* text, pdo_param_type) {
  smart_str out = {};
  smart_str_appendc(&out, '\'');
  for (const char* at = ZSTR_VAL(text); *at != 0; ++at) {
    if (*at == '\'') smart_str_appendc(&out, '\'');
    smart_str_appendc(&out, *at);
  }
  smart_str_appendc(&out, '\'');
  return smart_str_extract(&out);
}

bool set_attribute(pdo_dbh_t* dbh, zend_long attribute, zval* value) {
  zend_long number = 0;
  if (attribute != PDO_ATTR_TIMEOUT && attribute != kExtendedResultCodes) return false;
  if (!pdo_get_long_param(&number, value)) return false;
  Connection* connection = connection_of(dbh);
  if (attribute == kExtendedResultCodes) {
    connection->extended_codes = number != 0;
  } else {
    world->sql_timeout(connection->number, static_cast<int>(number * 1000));
  }
  return true;
}

int get_attribute(pdo_dbh_t*, zend_long attribute, zval* out) {
  if (attribute != PDO_ATTR_CLIENT_VERSION && attribute != PDO_ATTR_SERVER_VERSION) return 0;
  ZVAL_STR(out, new_string(sqlite_version()));
  return 1;
}

zend_string* last_id(pdo_dbh_t* dbh, const zend_string*) {
  return zend_long_to_str(static_cast<zend_long>(connection_of(dbh)->last_rowid));
}

void fetch_error(pdo_dbh_t* dbh, pdo_stmt_t*, zval* info) {
  const Connection* connection = connection_of(dbh);
  if (connection->code == 0) return;
  add_next_index_long(info, connection->code);
  add_next_index_str(info, new_string(connection->message));
}

const pdo_dbh_methods connection_methods = {
    close_connection, prepare,     execute_script, quote,   begin,   commit,  roll_back, set_attribute,
    last_id,          fetch_error, get_attribute,  nullptr, nullptr, nullptr, nullptr,   nullptr};

int open_connection(pdo_dbh_t* dbh, zval* options) {
  auto* connection = new Connection;
  dbh->driver_data = connection;
  const auto refuse = [&](int code, const std::string& why) {
    fail(dbh, nullptr, code, why);
    dbh->methods = &connection_methods;
    return 0;
  };
  if (world == nullptr) return refuse(kSqliteError, "assay: no request is being recorded");
  if (dbh->is_persistent) return refuse(kSqliteError, "assay: a persistent connection cannot be audited");
  char resolved[MAXPATHLEN];
  if (std::strcmp(dbh->data_source, ":memory:") == 0 || std::strncmp(dbh->data_source, "file:", 5) == 0 ||
      expand_filepath(dbh->data_source, resolved) == nullptr) {
    return refuse(kSqliteError, "assay: only a database file named by its path can be audited");
  }
  const zend_long flags = pdo_attr_lval(options, static_cast<unsigned>(kOpenFlags), 6);
  const auto mode = (flags & 1) != 0   ? wire::OpenMode::read_only
                    : (flags & 4) != 0 ? wire::OpenMode::read_write_create
                                       : wire::OpenMode::read_write;
  connection->number = ++connections;
  const SqlResult result = world->sql_open(connection->number, resolved, mode);
  if (result.code != 0) return refuse(result.code, result.message);
  connection->open = true;
  world->sql_timeout(connection->number,
                     static_cast<int>(pdo_attr_lval(options, PDO_ATTR_TIMEOUT, 60) * 1000));
  dbh->alloc_own_columns = 1;
  dbh->max_escaped_char_length = 2;
  dbh->methods = &connection_methods;
  return 1;
}

const pdo_driver_t driver = {"sqlite", 6, PDO_DRIVER_API, open_connection};

}  // namespace

void register_sql_driver() {
  if (!zend_hash_str_exists(&module_registry, "pdo", 3)) return;
  php_pdo_unregister_driver(&driver);  // by its name: PHP's own
  php_pdo_register_driver(&driver);
}

SqlCursor sql_cursor(pdo_stmt_t* stmt) {
  if (stmt->methods != &statement_methods || stmt->driver_data == nullptr) return {};
  Statement* statement = statement_of(stmt);
  return {statement->connection->number, &statement->result, &statement->next_row};
}

std::uint64_t sql_connection(pdo_dbh_t* dbh) {
  return dbh->methods == &connection_methods && dbh->driver_data != nullptr ? connection_of(dbh)->number : 0;
}

void begin_sql() {
  connections = 0;
}

}  // namespace assay::php
