// A stand-in for PHP: a program whose input is a short script. It touches every kind of object, branches on
// what it reads, asks the oracle, and prints. The audit's Executor for it is here too; a server and a brute
// force that run the same scripts are in little_server.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit.hpp"

namespace assay::audit::testing {

enum class Deed : std::uint8_t {
  // Local.
  print,        // the accumulator
  skip_if_odd,  // the next `value` deeds, if the accumulator is odd
  add,          // `value` to the accumulator
  clock,        // the oracle's time, in tenths of a second
  random,       // the oracle's number
  // Sessions; `key` says which.
  read,
  write,  // the accumulator
  erase,
  // The key-value table.
  fetch,
  store,  // the accumulator, for `value` seconds
  insert,
  increase,  // by `value`
  swap,      // `value` for the accumulator
  remove,
  exists,
  clear,
  // The database: table t(k, v).
  select,
  update,      // v = accumulator
  sql_insert,  // k and v = accumulator
  sql_append,  // v = accumulator, k is SQLite's; the accumulator becomes k
  sql_delete,
  begin,
  begin_immediate,
  commit,
  rollback,
  open,
  close,
  // Locks.
  lock_shared,
  lock_exclusive,
  unlock,
  last_ = unlock,
};

struct Instruction {
  Deed deed = Deed::print;
  std::uint8_t key = 0;
  std::int8_t value = 0;
};
using Script = std::vector<Instruction>;

std::string encode(const Script& script);
Script decode(std::string_view bytes);
std::string describe(const Script& script);

bool is_local(Deed deed);
bool is_sql(Deed deed);

// What a deed asks of an object.
struct Wish {
  wire::ObjectKind object;
  std::string name;
  wire::OperationType type;
  std::string contents;
};

// One execution of a script, stopped before each question.
struct Thread {
  Script script;
  std::size_t at = 0;
  std::int64_t accumulator = 0;
  std::optional<std::uint64_t> now;  // the clock's latest answer
  std::string body;

  // Runs up to the next question and says which it is: an operation, an oracle's value, or nothing more.
  enum class Next : std::uint8_t { operation, clock, random, end };
  Next next();
  // REQUIRES: next() is an operation.
  const Instruction& instruction() const { return script[at]; }
  Wish wish() const;
  void answer(std::int64_t result);  // of an operation
  void answer_clock(std::uint64_t time);
  void answer_random(std::uint64_t number);
};

// The number that a script sees of a result.
std::int64_t number_of(Deed deed, const Answer& answer);

// Runs scripts for the audit, each request by itself.
class LittleExecutor : public Executor {
 public:
  void run(std::span<const RequestIndex> group, Answers& answers) override;
};

inline constexpr std::string_view kDatabase = "/srv/little.sqlite";

}  // namespace assay::audit::testing
