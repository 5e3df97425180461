#include "record/live_world.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <ctime>

namespace assay::php {

namespace {

constexpr std::uint64_t kSecond = 1000000000;

// The key-value table and the sessions share one table in memory.
std::string kv_key(std::string_view key) {
  return "k" + std::string(key);
}
std::string session_key(std::string_view id) {
  return "s" + std::string(id);
}

std::uint64_t death(std::uint64_t now, std::uint64_t ttl) {
  return ttl == 0 ? 0 : now + ttl * kSecond;
}

std::string u64(std::uint64_t value) {
  std::string out;
  wire::put_u64(out, value);
  return out;
}

}  // namespace

std::uint64_t true_clock() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kSecond +
         static_cast<std::uint64_t>(now.tv_nsec) / 1000 * 1000;
}

void LiveWorld::begin(std::uint64_t clock) {
  clock_ = clock;
  tell_clock();  // C code may read it before anybody asks
}

void LiveWorld::end() {
  // What the program left open; PHP has closed everything it knows of.
  while (!connections_.empty()) sql_close(connections_.begin()->first);
  path_locks_.release_all();
}

void LiveWorld::tell_clock() {
  log_->told(wire::NdKind::clock, u64(clock_));
}

std::uint64_t LiveWorld::ask_clock() {
  const std::uint64_t now = true_clock();
  if (now > clock_ && now - clock_ >= kSecond) clock_ = now;
  tell_clock();
  return clock_;
}

std::uint64_t LiveWorld::ask_clock_after_sleep() {
  clock_ = std::max(clock_, true_clock());
  tell_clock();
  return clock_;
}

void LiveWorld::random_bytes(void* out, std::size_t size) {
  auto* at = static_cast<char*>(out);
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = getrandom(at + done, size - done, 0);
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  log_->told(wire::NdKind::random_bytes, {at, size});
}

std::uint64_t LiveWorld::process_id() {
  const auto id = static_cast<std::uint64_t>(getpid());
  log_->told(wire::NdKind::process_id, u64(id));
  return id;
}

std::string LiveWorld::host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  log_->told(wire::NdKind::host_name, name.data());
  return name.data();
}

std::string LiveWorld::fact(std::string (*truth)(void*), void* context) {
  std::string answer = truth(context);
  log_->told(wire::NdKind::file_fact, answer);
  return answer;
}

SqlResult LiveWorld::sql_open(std::uint64_t connection, const std::string& path, wire::OpenMode mode) {
  auto fresh = std::make_unique<LiveConnection>(*log_, order_, connection, path);
  SqlResult result = fresh->open(mode);
  if (result.code == 0) connections_[connection] = std::move(fresh);
  return result;
}

SqlResult LiveWorld::sql_prepare(std::uint64_t connection, std::string_view sql) {
  return connections_.at(connection)->prepare(sql);
}

SqlResult LiveWorld::sql_statement(std::uint64_t connection, std::string_view sql,
                                   const std::vector<wire::SqlParameter>& parameters) {
  return connections_.at(connection)->run(sql, parameters);
}

void LiveWorld::sql_close(std::uint64_t connection) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  found->second->close();
  connections_.erase(found);
}

void LiveWorld::sql_timeout(std::uint64_t connection, int milliseconds) {
  connections_.at(connection)->set_timeout(milliseconds);
}

void LiveWorld::log_kv(wire::OperationType type, std::string_view contents, const Change& change,
                       bool performed) {
  log_table(wire::ObjectKind::key_value, {}, type, contents, change, performed);
}

// REQUIRES: the table is held. The change and its record are one: last_step.hpp.
void LiveWorld::log_table(wire::ObjectKind kind, std::string_view name, wire::OperationType type,
                          std::string_view contents, const Change& change, bool performed) {
  SharedHead::TableStep& step = shared_->head().table_step;
  log_->stage(kind, name, log_->next_sequence(), type, contents, performed ? 0 : wire::kNotPerformed);
  if (change.word != 0) {
    step.word = change.word;
    step.value = change.value;
    log_->note_step(step);
    table_.apply(change);
  }
  log_->confirm();
  step.worker.store(0);
}

std::optional<StoredValue> LiveWorld::kv_fetch(std::string_view key) {
  const std::uint64_t now = ask_clock();
  const KvTable::Hold hold(table_);
  log_kv(wire::OperationType::kv_fetch, wire::kv_keys(now, {key}));
  return table_.find(kv_key(key), now);
}

bool LiveWorld::kv_exists(std::string_view key) {
  const std::uint64_t now = ask_clock();
  const KvTable::Hold hold(table_);
  log_kv(wire::OperationType::kv_exists, wire::kv_keys(now, {key}));
  return table_.find(kv_key(key), now).has_value();
}

bool LiveWorld::kv_store(std::string_view key, const wire::KvValue& value, std::uint64_t ttl) {
  const std::uint64_t now = ask_clock();
  const KvTable::Hold hold(table_);
  const auto stored = table_.put(kv_key(key), value, death(now, ttl));
  log_kv(wire::OperationType::kv_store, wire::kv_entries(now, ttl, {{key, value}}), stored.value_or(Change{}),
         stored.has_value());
  return stored.has_value();
}

bool LiveWorld::kv_add(std::string_view key, const wire::KvValue& value, std::uint64_t ttl) {
  const std::uint64_t now = ask_clock();
  const KvTable::Hold hold(table_);
  const bool present = table_.find(kv_key(key), now).has_value();
  std::optional<Change> stored;
  if (!present) stored = table_.put(kv_key(key), value, death(now, ttl));
  log_kv(wire::OperationType::kv_add, wire::kv_entries(now, ttl, {{key, value}}), stored.value_or(Change{}),
         present || stored);
  return stored.has_value();
}

bool LiveWorld::kv_delete(std::string_view key) {
  const std::uint64_t now = ask_clock();
  const KvTable::Hold hold(table_);
  const bool present = table_.find(kv_key(key), now).has_value();
  log_kv(wire::OperationType::kv_delete, wire::kv_keys(now, {key}), table_.erase(kv_key(key)));
  return present;
}

std::optional<std::int64_t> LiveWorld::kv_inc(std::string_view key, std::int64_t step, std::uint64_t ttl) {
  const std::uint64_t now = ask_clock();
  const KvTable::Hold hold(table_);
  const auto present = table_.find(kv_key(key), now);
  std::optional<std::int64_t> sum = step;
  std::optional<Change> change = Change{};
  if (!present) {
    change = table_.put(kv_key(key), {true, step, {}}, death(now, ttl));
    if (!change) sum.reset();
  } else {
    std::int64_t total = 0;
    if (!present->is_integer || __builtin_add_overflow(present->integer, step, &total)) {
      sum.reset();
    } else {
      sum = total;
      change = table_.set(kv_key(key), total);
    }
  }
  log_kv(wire::OperationType::kv_inc, wire::kv_inc(now, ttl, key, step), change.value_or(Change{}),
         change.has_value());
  return sum;
}

bool LiveWorld::kv_cas(std::string_view key, std::int64_t expected, std::int64_t desired) {
  const std::uint64_t now = ask_clock();
  const KvTable::Hold hold(table_);
  const auto present = table_.find(kv_key(key), now);
  const bool fits = present && present->is_integer && present->integer == expected;
  const Change change = fits ? table_.set(kv_key(key), desired).value_or(Change{}) : Change{};
  log_kv(wire::OperationType::kv_cas, wire::kv_cas(now, key, expected, desired), change);
  return fits;
}

void LiveWorld::kv_clear() {
  const KvTable::Hold hold(table_);
  log_kv(wire::OperationType::kv_clear, {}, table_.clear());
}

std::optional<std::string> LiveWorld::session_read(std::string_view id) {
  const KvTable::Hold hold(table_);
  log_table(wire::ObjectKind::session, id, wire::OperationType::register_read, {}, {}, true);
  auto value = table_.find(session_key(id), 0);
  if (!value) return std::nullopt;
  return std::move(value->bytes);
}

bool LiveWorld::session_write(std::string_view id, std::string_view value) {
  const KvTable::Hold hold(table_);
  const auto stored = table_.put(session_key(id), {false, 0, value}, 0);
  log_table(wire::ObjectKind::session, id, wire::OperationType::register_write, value,
            stored.value_or(Change{}), stored.has_value());
  return stored.has_value();
}

void LiveWorld::session_delete(std::string_view id) {
  const KvTable::Hold hold(table_);
  log_table(wire::ObjectKind::session, id, wire::OperationType::register_delete, {},
            table_.erase(session_key(id)), true);
}

// The lock is held when a number is taken, at acquiring after it was granted and at releasing before.
bool LiveWorld::lock_acquire(std::string_view name, std::uint64_t handle, wire::LockMode mode, bool wait,
                             bool (*grant)(void*), void* context) {
  const bool had = path_locks_.has(handle);
  const bool granted =
      path_locks_.acquire(name, handle, mode == wire::LockMode::exclusive, wait) && grant(context);
  if (!granted && !had) path_locks_.release(handle);
  log_->operation(wire::ObjectKind::locks, {}, log_->next_sequence(), wire::OperationType::lock_acquire,
                  wire::lock_acquire(name, handle, mode, wait), granted ? 0 : wire::kNotPerformed);
  return granted;
}

void LiveWorld::lock_release(std::string_view name, std::uint64_t handle) {
  log_->operation(wire::ObjectKind::locks, {}, log_->next_sequence(), wire::OperationType::lock_release,
                  wire::lock_release(name, handle));
  path_locks_.release(handle);
}

}  // namespace assay::php
