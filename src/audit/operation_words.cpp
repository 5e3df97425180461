#include "audit/operation_words.hpp"

#include <fmt/format.h>

#include <cstring>

#include "audit/wire/contents.hpp"

namespace assay::audit {

namespace {

using wire::Cursor;
using wire::OperationType;

std::string sql_value(Cursor& in) {
  switch (static_cast<wire::SqlType>(in.byte())) {
    case wire::SqlType::null:
      return "NULL";
    case wire::SqlType::integer:
      return fmt::format("{}", in.integer());
    case wire::SqlType::real: {
      const std::uint64_t bits = in.u64();
      double real = 0;
      std::memcpy(&real, &bits, sizeof real);
      return fmt::format("{}", real);
    }
    case wire::SqlType::text:
      return fmt::format("'{}'", in.bytes());
    case wire::SqlType::blob:
      return fmt::format("{} bytes", in.bytes().size());
  }
  in.refuse();
  return "";
}

std::string statement(Cursor& in, std::string_view verb) {
  const std::uint64_t connection = in.natural();
  std::string words = fmt::format("{} on connection {}:\n{}", verb, connection, in.bytes());
  for (std::size_t n = in.count(3); n > 0 && in.ok(); --n) {
    const std::uint64_t index = in.natural();
    const wire::Bytes name = in.bytes();
    words += fmt::format("\n{} = ", index != 0 ? fmt::format("?{}", index) : std::string(name));
    words += sql_value(in);
  }
  return words;
}

std::string keys(Cursor& in, std::string_view verb) {
  std::string words = fmt::format("at {}, {}", in.natural(), verb);
  for (std::size_t n = in.count(1); n > 0 && in.ok(); --n) words += fmt::format("\n{}", in.bytes());
  return words;
}

std::string entries(Cursor& in, std::string_view verb) {
  const std::uint64_t clock = in.natural();
  std::string words = fmt::format("at {}, {} for {} s", clock, verb, in.natural());
  for (std::size_t n = in.count(3); n > 0 && in.ok(); --n) {
    words += fmt::format("\n{} = ", in.bytes());
    words += in.byte() == 1 ? fmt::format("{}", in.integer()) : std::string(in.bytes());
  }
  return words;
}

std::string arithmetic(Cursor& in, OperationType type) {
  const std::uint64_t clock = in.natural();
  if (type == OperationType::kv_inc) {
    const std::uint64_t seconds = in.natural();
    const wire::Bytes key = in.bytes();
    return fmt::format("at {}, add {} to\n{} for {} s", clock, in.integer(), key, seconds);
  }
  const wire::Bytes key = in.bytes();
  const std::int64_t from = in.integer();
  return fmt::format("at {}, change\n{} from {} to {}", clock, key, from, in.integer());
}

std::string lock(Cursor& in, OperationType type) {
  const wire::Bytes name = in.bytes();
  const std::uint64_t handle = in.natural();
  if (type == OperationType::lock_release) return fmt::format("release {} (file {})", name, handle);
  const bool shared = static_cast<wire::LockMode>(in.byte()) == wire::LockMode::shared;
  const bool waits = in.byte() != 0;
  return fmt::format("lock {} (file {}), {}{}", name, handle, shared ? "shared" : "exclusive",
                     waits ? "" : ", without waiting");
}

std::string words_of(OperationType type, Cursor& in, wire::Bytes contents) {
  switch (type) {
    case OperationType::sql_open: {
      const std::uint64_t connection = in.natural();
      return fmt::format("open connection {}, mode {}", connection, in.byte());
    }
    case OperationType::sql_close:
      return fmt::format("close connection {}", in.natural());
    case OperationType::sql_statement:
      return statement(in, "run");
    case OperationType::sql_prepare:
      return statement(in, "prepare");
    case OperationType::kv_fetch:
      return keys(in, "fetch");
    case OperationType::kv_exists:
      return keys(in, "look for");
    case OperationType::kv_delete:
      return keys(in, "delete");
    case OperationType::kv_store:
      return entries(in, "store");
    case OperationType::kv_add:
      return entries(in, "add");
    case OperationType::kv_inc:
    case OperationType::kv_cas:
      return arithmetic(in, type);
    case OperationType::lock_acquire:
    case OperationType::lock_release:
      return lock(in, type);
    case OperationType::kv_clear:
      return "clear the table";
    case OperationType::register_read:
      return "read the session";
    case OperationType::register_delete:
      return "delete the session";
    case OperationType::register_write:
      break;
  }
  while (!in.at_end() && in.ok()) in.byte();
  return fmt::format("write the session:\n{}", contents);
}

}  // namespace

std::string operation_words(wire::OperationType type, wire::Bytes contents) {
  Cursor in(contents);
  std::string words = words_of(type, in, contents);
  if (in.finished()) return words;
  return fmt::format("an operation of type {} whose {} bytes cannot be read", static_cast<unsigned>(type),
                     contents.size());
}

}  // namespace assay::audit
