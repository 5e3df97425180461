// What the auditor and a worker that runs PHP say to each other, over two pipes (docs/audit-worker.md). One
// request at a time; the worker asks, the auditor answers. A message is u32 the length of its body, a byte,
// which message it is, and the body. A group of requests may be run as one; what is said of one of them follows its number.
#pragma once

#include <vector>

#include "audit/wire/report_records.hpp"
#include "audit/wire/trace_records.hpp"

namespace assay::audit::wire {

inline constexpr std::size_t kMessageHead = 5;
inline constexpr std::size_t kMostTold = std::size_t{1}
                                         << 24;  // values for one request, and questions in a row

enum class ToWorker : std::uint8_t {
  run = 1,     // a request, and all that it may be told
  answer = 2,  // to an operation
  group = 3,   // several requests, to be run as one
};
enum class FromWorker : std::uint8_t {
  ready = 1,      // bytes: the version of PHP
  operation = 2,  // asks for an answer
  headers = 3,    // natural status, pairs
  output = 4,     // bytes of the body, the next ones
  finished = 5,   // the worker waits for the next request
  lane = 6,       // natural: of which request of a group the next messages are
  denied = 7,     // why the group cannot be run as one; nothing that was said of it counts
};
inline constexpr std::uint8_t kLastFromWorker = 7;
enum class Ending : std::uint8_t {
  complete = 0,
  stopped = 1,          // an answer said so
  nothing_to_tell = 2,  // the program asked for a value of which none is left, or the next one cannot be it
  limit = 3,            // too much output
  trouble = 4,          // the worker cannot run this; the text says why
};

inline std::string message(std::uint8_t kind, Bytes body) {
  std::string out;
  put_u32(out, static_cast<std::uint32_t>(body.size()));
  put_byte(out, kind);
  out.append(body);
  return out;
}

// A value that the program may be told, `repeat` times in a row.
struct ToldValue {
  NdKind kind = NdKind::clock;
  std::uint64_t repeat = 1;
  Bytes value;
};

struct RunOrder {
  std::uint64_t rid = 0;
  Pairs params;
  Bytes stdin_bytes;
  std::vector<ToldValue> told;  // in the order in which they are needed
};

// How often, since the last message, the program asked for a value of this kind.
struct Asked {
  NdKind kind = NdKind::clock;
  std::uint64_t times = 0;
};

struct WorkerOperation {
  std::vector<Asked> asked;
  ObjectKind object = ObjectKind::database;
  Bytes name;
  OperationType type = OperationType::sql_open;
  Bytes contents;
};

struct WorkerAnswer {
  bool stop = false;
  std::uint64_t outcome = 0;
  Bytes result;  // results.hpp
};

struct Finished {
  std::vector<Asked> asked;
  Ending how = Ending::complete;
  Bytes text;
};

struct Denied {
  std::string why;
  // If the requests went different ways: a number for each, the same for those that went the same.
  std::vector<unsigned> ways;
};

inline std::string encode(const RunOrder& order) {
  std::string out;
  put_natural(out, order.rid);
  put_pairs(out, order.params);
  put_bytes(out, order.stdin_bytes);
  put_natural(out, order.told.size());
  for (const ToldValue& told : order.told) {
    put_byte(out, static_cast<std::uint8_t>(told.kind));
    put_natural(out, told.repeat);
    put_bytes(out, told.value);
  }
  return out;
}
inline RunOrder decode_run_order(Cursor& in) {
  RunOrder order;
  order.rid = in.natural();
  order.params = take_pairs(in);
  order.stdin_bytes = in.bytes();
  order.told.resize(in.count(3, kMostTold));
  for (ToldValue& told : order.told) {
    told.kind = static_cast<NdKind>(in.byte());
    told.repeat = in.natural();
    told.value = in.bytes();
  }
  return order;
}

inline std::string encode(const std::vector<RunOrder>& group) {
  std::string out;
  put_natural(out, group.size());
  for (const RunOrder& order : group) put_bytes(out, encode(order));
  return out;
}
inline std::vector<RunOrder> decode_group(Cursor& in) {
  std::vector<RunOrder> group(in.count(1, kMostTold));
  for (RunOrder& order : group) {
    Cursor one(in.bytes());
    order = decode_run_order(one);
    if (!one.finished()) in.refuse();
  }
  return group;
}

inline void put_asked(std::string& out, const std::vector<Asked>& asked) {
  put_natural(out, asked.size());
  for (const Asked& each : asked) {
    put_byte(out, static_cast<std::uint8_t>(each.kind));
    put_natural(out, each.times);
  }
}
inline std::vector<Asked> take_asked(Cursor& in) {
  std::vector<Asked> asked(in.count(2, kMostTold));
  for (Asked& each : asked) {
    each.kind = static_cast<NdKind>(in.byte());
    each.times = in.natural();
  }
  return asked;
}

inline std::string encode(const WorkerOperation& operation) {
  std::string out;
  put_asked(out, operation.asked);
  put_byte(out, static_cast<std::uint8_t>(operation.object));
  put_bytes(out, operation.name);
  put_byte(out, static_cast<std::uint8_t>(operation.type));
  put_bytes(out, operation.contents);
  return out;
}
inline WorkerOperation decode_worker_operation(Cursor& in) {
  WorkerOperation operation;
  operation.asked = take_asked(in);
  operation.object = static_cast<ObjectKind>(in.byte());
  operation.name = in.bytes();
  operation.type = static_cast<OperationType>(in.byte());
  operation.contents = in.bytes();
  return operation;
}

inline std::string encode(const WorkerAnswer& answer) {
  std::string out;
  put_byte(out, answer.stop ? 1 : 0);
  put_natural(out, answer.outcome);
  put_bytes(out, answer.result);
  return out;
}
inline WorkerAnswer decode_worker_answer(Cursor& in) {
  WorkerAnswer answer;
  answer.stop = in.byte() != 0;
  answer.outcome = in.natural();
  answer.result = in.bytes();
  return answer;
}

inline std::string encode(const Finished& finished) {
  std::string out;
  put_asked(out, finished.asked);
  put_byte(out, static_cast<std::uint8_t>(finished.how));
  put_bytes(out, finished.text);
  return out;
}
inline Finished decode_finished(Cursor& in) {
  Finished finished;
  finished.asked = take_asked(in);
  const std::uint8_t how = in.byte();
  finished.how = static_cast<Ending>(how);
  finished.text = in.bytes();
  if (how > 4) in.refuse();
  return finished;
}

inline std::string encode(const Denied& denied) {
  std::string out;
  put_bytes(out, denied.why);
  put_natural(out, denied.ways.size());
  for (const unsigned way : denied.ways) put_natural(out, way);
  return out;
}
inline Denied decode_denied(Cursor& in) {
  Denied denied;
  denied.why = in.bytes();
  denied.ways.resize(in.count(1, kMostTold));
  for (unsigned& way : denied.ways) way = static_cast<unsigned>(in.natural());
  return denied;
}

}  // namespace assay::audit::wire
