#include "database/client/postgres/postgres_connection.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <cassert>
#include <cerrno>
#include <cstring>

namespace assay::database::postgres {

namespace {

std::string trimmed(const char* message) {
  std::string text = message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// No such user, wrong password, no such database, no permission, too many connections: by their SQLSTATE.
bool refuses_for_good(std::string_view verbose_message) {
  for (const std::string_view state : {": 28000:", ": 28P01:", ": 3D000:", ": 42501:", ": 53300:"}) {
    if (verbose_message.find(state) != std::string_view::npos) return true;
  }
  return false;
}

StoreError refused(const std::string& message) {
  return {Failure::fatal, "postgres: " + message};
}

}  // namespace

Parameters& Parameters::text(std::string_view text) {
  assert(count_ < kMost);
  // A null pointer would mean NULL.
  texts_[count_] = text.data() != nullptr ? text.data() : "";
  lengths_[count_++] = static_cast<int>(text.size());
  return *this;
}

Parameters& Parameters::number(std::int64_t number) {
  assert(count_ < kMost);
  auto bits = static_cast<std::uint64_t>(number);
  for (std::size_t i = 8; i-- > 0; bits >>= 8) numbers_[count_][i] = static_cast<char>(bits & 0xff);
  is_number_[count_] = true;
  lengths_[count_++] = 8;
  return *this;
}

Parameters& Parameters::null() {
  assert(count_ < kMost);
  lengths_[count_++] = 0;
  return *this;
}

std::array<const char*, Parameters::kMost> Parameters::values() const {
  std::array<const char*, kMost> values = texts_;
  for (std::size_t i = 0; i < count_; ++i) {
    if (is_number_[i]) values[i] = numbers_[i].data();
  }
  return values;
}

std::string text_at(const PGresult* result, int row, int column) {
  return {PQgetvalue(result, row, column), static_cast<std::size_t>(PQgetlength(result, row, column))};
}

std::int64_t number_at(const PGresult* result, int row, int column) {
  assert(PQgetlength(result, row, column) == 8);
  const char* bytes = PQgetvalue(result, row, column);
  std::uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) bits = bits << 8 | static_cast<unsigned char>(bytes[i]);
  return static_cast<std::int64_t>(bits);
}

PostgresConnection::PostgresConnection(const ConnectionOptions& options) : timeout_(options.timeout) {
  std::vector<const char*> names, values;
  for (const auto& [name, value] : options.parameters) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  connection_.reset(PQconnectStartParams(names.data(), values.data(), 0));
  if (!connection_) throw refused("no memory for a connection");
  connect(options.connect_timeout);
  PQsetnonblocking(connection_.get(), 1);
  // Notices, for example of tables that need not be dropped, are nobody's business.
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
}

void PostgresConnection::connect(std::chrono::milliseconds limit) {
  PGconn* const connection = connection_.get();
  // The only way to learn the SQLSTATE of a refusal.
  PQsetErrorVerbosity(connection, PQERRORS_VERBOSE);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  PostgresPollingStatusType status =
      PQstatus(connection) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) throw ConnectionLost{fmt::format("no connection within {} ms", limit.count())};
    pollfd socket{PQsocket(connection),
                  static_cast<short>(status == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
    if (poll(&socket, 1, static_cast<int>(left)) > 0) status = PQconnectPoll(connection);
  }
  if (status == PGRES_POLLING_FAILED) {
    const std::string why = trimmed(PQerrorMessage(connection));
    if (refuses_for_good(why)) throw refused(why);
    throw ConnectionLost{why};
  }
  PQsetErrorVerbosity(connection, PQERRORS_DEFAULT);
}

void PostgresConnection::lose() const {
  throw ConnectionLost{trimmed(PQerrorMessage(connection_.get()))};
}

void PostgresConnection::wait(bool for_reading, Deadline deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  if (left <= 0) throw ConnectionLost{fmt::format("no answer within {} ms", timeout_.count())};
  pollfd socket{PQsocket(connection_.get()), POLLIN, 0};
  if (!for_reading) socket.events |= POLLOUT;
  if (poll(&socket, 1, static_cast<int>(left)) < 0 && errno != EINTR) {
    throw ConnectionLost{std::strerror(errno)};  // NOLINT(concurrency-mt-unsafe)
  }
  // Reading also while there is more to send: a server that waits to be read reads no more itself.
  if ((socket.revents & (POLLIN | POLLERR | POLLHUP)) != 0 && PQconsumeInput(connection_.get()) != 1) lose();
}

void PostgresConnection::flush() {
  const auto deadline = std::chrono::steady_clock::now() + timeout_;
  while (true) {
    const int more = PQflush(connection_.get());
    if (more < 0) lose();
    if (more == 0) return;
    wait(false, deadline);
  }
}

void PostgresConnection::send(const char* statement, const Parameters& parameters) {
  static constexpr std::array<int, Parameters::kMost> kBinary{1, 1, 1, 1};
  const auto values = parameters.values();
  if (PQsendQueryPrepared(connection_.get(), statement, parameters.count(), values.data(),
                          parameters.lengths(), kBinary.data(), 1) != 1) {
    lose();
  }
}

void PostgresConnection::request_answers() {
  if (PQsendFlushRequest(connection_.get()) != 1) lose();
  flush();
}

void PostgresConnection::sync() {
  if (PQpipelineSync(connection_.get()) != 1) lose();
  ++outstanding_syncs_;
  flush();
}

// Null, as libpq gives it behind the last result of a statement.
Result PostgresConnection::next_result() {
  const auto deadline = std::chrono::steady_clock::now() + timeout_;
  while (PQisBusy(connection_.get()) != 0) wait(true, deadline);
  return Result(PQgetResult(connection_.get()));
}

Result PostgresConnection::take() {
  Result result = next_result();
  if (!result) lose();
  if (PQresultStatus(result.get()) == PGRES_PIPELINE_SYNC) {
    --outstanding_syncs_;
    return result;
  }
  // libpq tells of a lost connection by an error without a SQLSTATE.
  if (PQresultStatus(result.get()) == PGRES_FATAL_ERROR &&
      PQresultErrorField(result.get(), PG_DIAG_SQLSTATE) == nullptr) {
    throw ConnectionLost{trimmed(PQresultErrorMessage(result.get()))};
  }
  // The result counts even if the connection is lost right behind it; the next call will tell.
  while (next_result()) {
  }
  return result;
}

Result PostgresConnection::execute(const char* sql) {
  if (PQsendQuery(connection_.get(), sql) != 1) lose();
  flush();
  Result last;
  while (Result result = next_result()) {
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      throw refused(trimmed(PQresultErrorMessage(result.get())));
    }
    last = std::move(result);
  }
  return last;
}

void PostgresConnection::prepare(const std::vector<std::pair<const char*, const char*>>& named) {
  if (PQpipelineStatus(connection_.get()) == PQ_PIPELINE_OFF) PQenterPipelineMode(connection_.get());
  for (const auto& [name, sql] : named) {
    if (PQsendPrepare(connection_.get(), name, sql, 0, nullptr) != 1) lose();
  }
  sync();
  std::string error;
  for (Result result = take(); PQresultStatus(result.get()) != PGRES_PIPELINE_SYNC; result = take()) {
    if (PQresultStatus(result.get()) == PGRES_FATAL_ERROR && error.empty()) {
      error = trimmed(PQresultErrorMessage(result.get()));
    }
  }
  if (PQstatus(connection_.get()) != CONNECTION_OK) lose();
  if (!error.empty()) throw refused(error);
}

}  // namespace assay::database::postgres
