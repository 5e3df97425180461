#include "audit/little_program.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "audit/wire/contents.hpp"
#include "audit/wire/results.hpp"

namespace assay::audit::testing {

namespace {

constexpr std::string_view kNames[] = {
    "print",      "skip-if-odd", "add",        "clock",       "random",          "read",
    "write",      "erase",       "fetch",      "store",       "insert",          "increase",
    "swap",       "remove",      "exists",     "clear",       "select",          "update",
    "sql-insert", "sql-append",  "sql-delete", "begin",       "begin-immediate", "commit",
    "rollback",   "open",        "close",      "lock-shared", "lock-exclusive",  "unlock"};

bool needs_clock(Deed deed) {
  return deed >= Deed::fetch && deed <= Deed::exists;
}

std::string_view sql_of(Deed deed) {
  switch (deed) {
    case Deed::select:
      return "SELECT v FROM t WHERE k = ?1";
    case Deed::update:
      return "UPDATE t SET v = ?2 WHERE k = ?1";
    case Deed::sql_insert:
      return "INSERT INTO t (k, v) VALUES (?1, ?2)";
    case Deed::sql_append:
      return "INSERT INTO t (v) VALUES (:v)";
    case Deed::sql_delete:
      return "DELETE FROM t WHERE k = ?1";
    case Deed::begin:
      return "BEGIN";
    case Deed::begin_immediate:
      return "BEGIN IMMEDIATE";
    case Deed::commit:
      return "COMMIT";
    default:
      return "ROLLBACK";
  }
}

wire::SqlValue integer(std::int64_t value) {
  wire::SqlValue made;
  made.type = wire::SqlType::integer;
  made.integer = value;
  return made;
}

}  // namespace

std::string encode(const Script& script) {
  std::string bytes;
  for (const Instruction& i : script) {
    bytes += static_cast<char>(i.deed);
    bytes += static_cast<char>(i.key);
    bytes += static_cast<char>(i.value);
  }
  return bytes;
}

Script decode(std::string_view bytes) {
  Script script;
  for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) {
    script.push_back({static_cast<Deed>(bytes[i]), static_cast<std::uint8_t>(bytes[i + 1]),
                      static_cast<std::int8_t>(bytes[i + 2])});
  }
  return script;
}

std::string describe(const Script& script) {
  std::string text;
  for (const Instruction& i : script) {
    text += fmt::format(" {}({},{})", kNames[static_cast<std::size_t>(i.deed)], i.key, i.value);
  }
  return text;
}

bool is_local(Deed deed) {
  return deed <= Deed::random;
}
bool is_sql(Deed deed) {
  return deed >= Deed::select && deed <= Deed::close;
}

Thread::Next Thread::next() {
  for (; at < script.size(); ++at) {
    const Instruction& i = script[at];
    switch (i.deed) {
      case Deed::print:
        body += fmt::format("{};", accumulator);
        break;
      case Deed::skip_if_odd:
        if (accumulator % 2 != 0) at += static_cast<std::size_t>(i.value);
        break;
      case Deed::add:
        accumulator += i.value;
        break;
      case Deed::clock:
        return Next::clock;
      case Deed::random:
        return Next::random;
      default:
        if (needs_clock(i.deed) && !now) return Next::clock;
        return Next::operation;
    }
  }
  return Next::end;
}

Wish Thread::wish() const {
  const Instruction& i = instruction();
  const std::string key(1, static_cast<char>('a' + i.key));
  const std::string value = fmt::format("{}", accumulator);
  const wire::KvValue number{true, accumulator, {}};
  const auto session = [&](wire::OperationType type, std::string contents) {
    return Wish{wire::ObjectKind::session, key, type, std::move(contents)};
  };
  const auto table = [&](wire::OperationType type, std::string contents) {
    return Wish{wire::ObjectKind::key_value, "", type, std::move(contents)};
  };
  const auto locks = [&](wire::OperationType type, std::string contents) {
    return Wish{wire::ObjectKind::locks, "", type, std::move(contents)};
  };
  const auto database = [&](wire::OperationType type, std::string contents) {
    return Wish{wire::ObjectKind::database, std::string(kDatabase), type, std::move(contents)};
  };
  const auto seconds = static_cast<std::uint64_t>(i.value);
  using Type = wire::OperationType;
  switch (i.deed) {
    case Deed::read:
      return session(Type::register_read, "");
    case Deed::write:
      return session(Type::register_write, value);
    case Deed::erase:
      return session(Type::register_delete, "");
    case Deed::fetch:
      return table(Type::kv_fetch, wire::kv_keys(*now, {key}));
    case Deed::store:
      return table(Type::kv_store, wire::kv_entries(*now, seconds, {{key, number}}));
    case Deed::insert:
      return table(Type::kv_add, wire::kv_entries(*now, seconds, {{key, number}}));
    case Deed::increase:
      return table(Type::kv_inc, wire::kv_inc(*now, 0, key, i.value));
    case Deed::swap:
      return table(Type::kv_cas, wire::kv_cas(*now, key, accumulator, i.value));
    case Deed::remove:
      return table(Type::kv_delete, wire::kv_keys(*now, {key}));
    case Deed::exists:
      return table(Type::kv_exists, wire::kv_keys(*now, {key}));
    case Deed::clear:
      return table(Type::kv_clear, "");
    case Deed::lock_shared:
      return locks(Type::lock_acquire, wire::lock_acquire(key, 1, wire::LockMode::shared, false));
    case Deed::lock_exclusive:
      return locks(Type::lock_acquire, wire::lock_acquire(key, 1, wire::LockMode::exclusive, false));
    case Deed::unlock:
      return locks(Type::lock_release, wire::lock_release(key, 1));
    case Deed::open:
      return database(Type::sql_open, wire::sql_open(1, wire::OpenMode::read_write_create));
    case Deed::close:
      return database(Type::sql_close, wire::sql_close(1));
    default:
      break;
  }
  std::vector<wire::SqlParameter> parameters;
  if (i.deed == Deed::select || i.deed == Deed::update || i.deed == Deed::sql_insert ||
      i.deed == Deed::sql_delete) {
    parameters.push_back({1, {}, integer(i.key)});
  }
  if (i.deed == Deed::update || i.deed == Deed::sql_insert)
    parameters.push_back({2, {}, integer(accumulator)});
  if (i.deed == Deed::sql_append) parameters.push_back({0, ":v", integer(accumulator)});
  return database(Type::sql_statement, wire::sql_statement(1, sql_of(i.deed), parameters));
}

void Thread::answer(std::int64_t result) {
  accumulator = result;
  ++at;
}

void Thread::answer_clock(std::uint64_t time) {
  now = time;
  if (script[at].deed != Deed::clock) return;  // an operation wanted to know
  accumulator = static_cast<std::int64_t>(time / 100'000'000);
  ++at;
}

void Thread::answer_random(std::uint64_t number) {
  accumulator = static_cast<std::int64_t>(number);
  ++at;
}

std::int64_t number_of(Deed deed, const Answer& answer) {
  if (answer.outcome != 0) return -1000 - static_cast<std::int64_t>(answer.outcome);
  wire::Cursor in(answer.result);
  switch (deed) {
    case Deed::read: {
      if (in.byte() == 0) return -1;
      // A lie may have put anything there.
      return std::strtoll(std::string(in.bytes()).c_str(), nullptr, 10);
    }
    case Deed::fetch:
      if (in.byte() == 0) return -1;
      return wire::take_kv_value(in).integer;
    case Deed::increase:
      return in.byte() == 0 ? -2 : in.integer();
    case Deed::insert:
    case Deed::swap:
    case Deed::remove:
    case Deed::exists:
      return in.byte();
    case Deed::lock_shared:
    case Deed::lock_exclusive:
      return 1;
    case Deed::close:
      return 0;
    default:
      break;
  }
  if (!is_sql(deed)) return 0;
  const wire::SqlResult result = wire::decode_sql_result(in);
  if (result.code != 0) return -static_cast<std::int64_t>(result.code);
  if (deed == Deed::select) return result.cells.empty() ? -1 : result.cells[0].integer;
  if (deed == Deed::sql_append) return result.last_rowid;
  return deed >= Deed::update && deed <= Deed::sql_delete ? result.changes : 0;
}

void LittleExecutor::run(std::span<const RequestIndex> group, Answers& answers) {
  for (const RequestIndex request : group) {
    Thread thread;
    const auto input = answers.trace().request(request);
    thread.script = decode(input.record.stdin_bytes);
    Run run(answers, request);
    for (bool going = true; going;) {
      switch (thread.next()) {
        case Thread::Next::end:
          going = false;
          break;
        case Thread::Next::clock: {
          const OracleAnswer answer = run.oracle(wire::NdKind::clock);
          going = !answer.stop;
          if (going) thread.answer_clock(wire::load_u64(answer.value.data()));
          break;
        }
        case Thread::Next::random: {
          const OracleAnswer answer = run.oracle(wire::NdKind::random_seed);
          going = !answer.stop;
          if (going) thread.answer_random(wire::load_u64(answer.value.data()));
          break;
        }
        case Thread::Next::operation: {
          const Wish wish = thread.wish();
          const Answer answer = run.operation({wish.object, wish.name, wish.type, wish.contents});
          going = !answer.stop;
          if (going) thread.answer(number_of(thread.instruction().deed, answer));
          break;
        }
      }
    }
    run.finish({200, {{"Content-Type", "text/plain"}}, thread.body});
    if (answers.stopped()) return;
  }
}

}  // namespace assay::audit::testing
