// A database at a cut: its content, and what each connection has open (docs/audit.md, "Periods").
#include <fmt/format.h>

#include "audit/object/database.hpp"

namespace assay::audit {

namespace {

using Transaction = SqliteConnection::Transaction;

std::filesystem::path content_of(const std::filesystem::path& files) {
  return files.string() + ".sqlite";
}
std::filesystem::path snapshot_of(const std::filesystem::path& files, std::uint64_t number) {
  return fmt::format("{}-snapshot-{}.sqlite", files.string(), number);
}

}  // namespace

void Database::note_transaction(Open& open, wire::Bytes contents, bool controls) {
  const Transaction now = open.connection->transaction();
  if (now == Transaction::none) {
    open.transaction.clear();
    open.snapshot.reset();
    return;
  }
  // What came before the snapshot saw another content than the one on which the rest is performed again.
  if (now == Transaction::begun && !controls) return;
  open.transaction.push_back(contents);
  if (now == Transaction::reads && !open.snapshot) open.snapshot = anchor_->data_version();
}

std::optional<std::string> Database::save(std::string& out, const std::filesystem::path& files) {
  wire::put_byte(out, exists_ ? 1 : 0);
  if (!exists_) return std::nullopt;
  anchor_->copy_to(content_of(files).string());
  wire::put_natural(out, open_.size());
  std::uint64_t snapshots = 0;
  for (const auto& [name, open] : open_) {
    wire::put_natural(out, name.first);
    wire::put_natural(out, name.second);
    wire::put_byte(out, static_cast<std::uint8_t>(open.mode));
    const bool old = open.connection->transaction() == Transaction::reads &&
                     (open.reads_copy || open.snapshot != anchor_->data_version());
    wire::put_natural(out, old ? ++snapshots : 0);
    if (auto why = save(open, out, old ? snapshot_of(files, snapshots) : std::filesystem::path())) {
      return fmt::format("request {} {}", name.first, *why);
    }
  }
  return std::nullopt;
}

std::optional<std::string> Database::save(const Open& open, std::string& out,
                                          const std::filesystem::path& snapshot) {
  const auto past = open.connection->past();
  if (!past) return "has temporary tables, or made settings within a transaction";
  if (!snapshot.empty()) open.connection->copy_to(snapshot.string());
  wire::put_natural(out, past->settings.size());
  for (const std::string& setting : past->settings) wire::put_bytes(out, setting);
  wire::put_integer(out, past->last_rowid);
  wire::put_integer(out, past->total_changes);
  wire::put_natural(out, open.transaction.size());
  for (const wire::Bytes statement : open.transaction) wire::put_bytes(out, statement);
  return std::nullopt;
}

Database::Database(std::filesystem::path file, wire::Cursor& saved, const std::filesystem::path& files,
                   const SqliteLimits& limits)
    : file_(std::move(file)), limits_(limits), exists_(saved.byte() != 0) {
  if (!exists_) return;
  copy_in(content_of(files));
  for (std::uint64_t left = saved.natural(); left > 0 && saved.ok(); --left) restore(saved, files);
}

void Database::restore(wire::Cursor& saved, const std::filesystem::path& files) {
  const std::uint64_t rid = saved.natural();
  const std::uint64_t number = saved.natural();
  Open open;
  open.mode = static_cast<wire::OpenMode>(saved.byte());
  const std::uint64_t snapshot = saved.natural();
  SqliteConnection::Past past;
  for (std::uint64_t left = saved.natural(); left > 0 && saved.ok(); --left)
    past.settings.emplace_back(saved.bytes());
  past.last_rowid = saved.integer();
  past.total_changes = saved.integer();
  std::vector<wire::Bytes> statements;
  for (std::uint64_t left = saved.natural(); left > 0 && saved.ok(); --left)
    statements.push_back(saved.bytes(wire::kLargestFrame));
  if (!saved.ok()) return;
  std::filesystem::path file = file_;
  if (snapshot != 0) {
    file = fmt::format("{}-copy-{}", file_.string(), ++copies_);
    std::filesystem::copy_file(snapshot_of(files, snapshot), file);
    open.reads_copy = true;
    open.copy_anchor =
        std::make_unique<SqliteConnection>(file.string(), wire::OpenMode::read_write_create, limits_);
    open.copy_anchor->schema_version();
  }
  open.connection = std::make_unique<SqliteConnection>(file.string(), open.mode, limits_);
  open.connection->take_settings(past);
  for (const wire::Bytes contents : statements) {
    wire::Cursor in(contents);
    const Statement taken = take_statement(in);
    std::string result;
    open.connection->know_schema(anchor_->schema_version());
    const SqliteConnection::Ran ran = open.connection->run(taken.sql, taken.parameters, result);
    note_schema(open, ran);
    note_transaction(open, contents, ran.controls);
  }
  open.connection->take_counters(past);
  open_.emplace(std::pair{rid, number}, std::move(open));
}

// The copy serves as long as its transaction lasts and does not write.
Step Database::leave_copy(Open& open) {
  const Transaction now = open.connection->transaction();
  if (now == Transaction::writes) {
    return Step::impossible("was done, it is said, but its snapshot was not the latest any more");
  }
  if (now != Transaction::none) return {};
  const auto past = open.connection->past();
  if (!past) return Step::unsupported("made temporary tables in a transaction of the period before");
  open.connection = std::make_unique<SqliteConnection>(file_.string(), open.mode, limits_);
  open.connection->take_settings(*past);
  open.connection->take_counters(*past);
  open.copy_anchor.reset();
  open.reads_copy = false;
  return {};
}

}  // namespace assay::audit
