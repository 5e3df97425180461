#include "audit/object/database.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace assay::audit {

Database::Database(std::filesystem::path file, const std::optional<std::filesystem::path>& initial,
                   const SqliteLimits& limits)
    : file_(std::move(file)), limits_(limits), exists_(initial.has_value()) {
  if (initial) copy_in(*initial);
}

void Database::copy_in(const std::filesystem::path& initial) {
  // What is not yet in the database itself stands in the file beside it.
  for (const char* suffix : {"", "-wal"}) {
    const std::filesystem::path from = initial.string() + suffix;
    if (*suffix != '\0' && !std::filesystem::exists(from)) continue;
    std::filesystem::copy_file(from, file_.string() + suffix,
                               std::filesystem::copy_options::overwrite_existing);
  }
  anchor();
}

void Database::anchor() {
  anchor_ = std::make_unique<SqliteConnection>(file_.string(), wire::OpenMode::read_write_create, limits_);
  std::string result;
  anchor_->run("PRAGMA journal_mode=WAL", {}, result);
  wire::Cursor in(result);
  const wire::SqlResult decoded = wire::decode_sql_result(in);
  if (decoded.cells.size() != 1 || decoded.cells[0].bytes != "wal") {
    throw std::runtime_error(
        fmt::format("{}: not a SQLite database with a write-ahead log: {}", file_.string(), decoded.message));
  }
  exists_ = true;
}

Step Database::step(const MachineOperation& operation, std::string& result) {
  wire::Cursor in(operation.contents);
  switch (operation.type) {
    case wire::OperationType::sql_open:
      return open(operation.rid, in, result);
    case wire::OperationType::sql_close:
      return close(operation.rid, in);
    default:
      return statement(operation, in, result);
  }
}

Step Database::open(std::uint64_t rid, wire::Cursor& in, std::string& result) {
  const std::uint64_t number = in.natural();
  const std::uint8_t mode_byte = in.byte();
  if (!in.finished() || mode_byte > 2) return Step::malformed();
  const auto mode = static_cast<wire::OpenMode>(mode_byte);
  if (open_.contains({rid, number}))
    return Step::impossible(fmt::format("opens connection {} twice", number));
  wire::SqlResult answer;
  if (!exists_ && mode != wire::OpenMode::read_write_create) {
    answer.code = SQLITE_CANTOPEN;
    answer.message = "unable to open database file";
    result = wire::encode(answer);
    return {};
  }
  if (open_.size() >= limits_.connections) {
    return Step::unsupported(
        fmt::format("would be one of more than {} open connections", limits_.connections));
  }
  try {
    if (!exists_) anchor();
    open_[{rid, number}] = Open{connect(mode), mode};
  } catch (const std::runtime_error& error) {
    return Step::unsupported(fmt::format("failed on the auditor's copy ({})", error.what()));
  }
  result = wire::encode(answer);
  return {};
}

std::unique_ptr<SqliteConnection> Database::connect(wire::OpenMode mode) {
  auto& idle = idle_[mode];
  if (idle.empty()) {
    auto made = std::make_unique<SqliteConnection>(file_.string(), mode, limits_);
    made->knows_schema(schema_version());
    return made;
  }
  auto connection = std::move(idle.back());
  idle.pop_back();
  return connection;
}

Step Database::close(std::uint64_t rid, wire::Cursor& in) {
  const std::uint64_t number = in.natural();
  if (!in.finished()) return Step::malformed();
  const auto found = open_.find({rid, number});
  if (found == open_.end())
    return Step::impossible(fmt::format("closes connection {}, which is not open", number));
  put_back(std::move(found->second));
  open_.erase(found);
  return {};
}

void Database::put_back(Open open) {
  if (!open.reads_copy && open.connection->renew()) idle_[open.mode].push_back(std::move(open.connection));
}

void Database::skip(const MachineOperation& operation) {
  wire::Cursor in(operation.contents);
  const auto found = open_.find({operation.rid, in.natural()});
  if (found != open_.end()) found->second.connection->skip();
}

void Database::abandon(std::uint64_t rid) {
  const auto first = open_.lower_bound({rid, 0});
  auto last = first;
  for (; last != open_.end() && last->first.first == rid; ++last) put_back(std::move(last->second));
  open_.erase(first, last);
}

Database::Statement Database::take_statement(wire::Cursor& in) {
  Statement taken;
  taken.connection = in.natural();
  taken.sql = in.bytes();
  taken.parameters.resize(in.count(3));
  for (wire::SqlParameter& parameter : taken.parameters) {
    parameter.index = in.natural();
    parameter.name = in.bytes();
    parameter.value = wire::take_sql_value(in);
  }
  return taken;
}

Step Database::statement(const MachineOperation& operation, wire::Cursor& in, std::string& result) {
  const Statement taken = take_statement(in);
  const bool prepare_only = operation.type == wire::OperationType::sql_prepare;
  if (!in.finished() || (prepare_only && !taken.parameters.empty())) return Step::malformed();
  const auto found = open_.find({operation.rid, taken.connection});
  if (found == open_.end())
    return Step::impossible(fmt::format("uses connection {}, which is not open", taken.connection));
  Open& open = found->second;
  SqliteConnection& connection = *open.connection;
  connection.know_schema(schema_version());
  const SqliteConnection::Ran ran = prepare_only ? connection.prepare(taken.sql, result)
                                                 : connection.run(taken.sql, taken.parameters, result);
  note_schema(open, ran);
  if (ran.unsupported) return Step::unsupported(*ran.unsupported);
  if (ran.would_wait) return would_wait(open);
  if (prepare_only) return {};
  note_transaction(open, operation.contents, ran.controls);
  return open.reads_copy ? leave_copy(open) : Step{};
}

std::int64_t Database::schema_version() {
  if (!schema_) schema_ = anchor_->schema_version();
  return *schema_;
}

// The schema changes when a transaction that may have changed it ends.
void Database::note_schema(Open& open, const SqliteConnection::Ran& ran) {
  open.may_change_schema = open.may_change_schema || ran.may_change_schema;
  if (!open.may_change_schema) return;
  schema_.reset();
  if (open.connection->transaction() == SqliteConnection::Transaction::none) open.may_change_schema = false;
}

Step Database::would_wait(const Open& waits) const {
  Step step = Step::impossible("was done, it is said, but would have had to wait for another connection");
  for (const auto& [name, open] : open_) {
    if (&open != &waits && open.connection->transaction() == SqliteConnection::Transaction::writes)
      step.in_the_way.push_back(name.first);
  }
  return step;
}

}  // namespace assay::audit
