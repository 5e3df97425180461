// The trace: what the collector saw, one frame for each request and each response, in the order of their
// times.
#pragma once

#include <vector>

#include "audit/wire/encoding.hpp"

namespace assay::audit::wire {

struct Pair {
  Bytes name;
  Bytes value;
};
using Pairs = std::vector<Pair>;

struct Request {
  std::uint64_t rid = 0;   // above that of every earlier request
  std::uint64_t time = 0;  // nanoseconds since 1970, never below that of an earlier frame
  Pairs params;            // exactly as sent to PHP, in that order
  Bytes stdin_bytes;
};

enum class EndReason : std::uint8_t {
  complete = 0,     // PHP sent FCGI_END_REQUEST: the response is whole
  client_gone = 1,  // likewise whole, but the client did not wait for all of it
  server_gone = 2,  // the connection to PHP ended first; PHP does nothing more for this request
  refused = 3,      // PHP would not run it: overloaded, cannot multiplex, unknown role
  given_up = 4,     // the collector stopped waiting, or a limit was passed; PHP may still be at work
};

struct Response {
  std::uint64_t rid = 0;
  std::uint64_t time = 0;
  EndReason end = EndReason::complete;
  std::uint32_t status = 0;  // 200 if PHP sent no Status header
  Pairs headers;             // in PHP's order, without Status
  Bytes body;
};

inline void put_pairs(std::string& out, const Pairs& pairs) {
  put_natural(out, pairs.size());
  for (const Pair& pair : pairs) {
    put_bytes(out, pair.name);
    put_bytes(out, pair.value);
  }
}
inline Pairs take_pairs(Cursor& in) {
  Pairs pairs(in.count(2));
  for (Pair& pair : pairs) {
    pair.name = in.bytes();
    pair.value = in.bytes();
  }
  return pairs;
}

inline std::string encode(const Request& request) {
  std::string out;
  put_natural(out, request.rid);
  put_u64(out, request.time);
  put_pairs(out, request.params);
  put_bytes(out, request.stdin_bytes);
  return out;
}
inline std::string encode(const Response& response) {
  std::string out;
  put_natural(out, response.rid);
  put_u64(out, response.time);
  put_byte(out, static_cast<std::uint8_t>(response.end));
  put_natural(out, response.status);
  put_pairs(out, response.headers);
  put_bytes(out, response.body);
  return out;
}

// What is decoded points into the bytes. The cursor is finished() if they were one record and nothing else.
inline Request decode_request(Cursor& in) {
  Request request;
  request.rid = in.natural();
  request.time = in.u64();
  request.params = take_pairs(in);
  request.stdin_bytes = in.bytes();
  if (request.rid > kLargestRid) in.refuse();
  return request;
}
inline Response decode_response(Cursor& in) {
  Response response;
  response.rid = in.natural();
  response.time = in.u64();
  const std::uint8_t end = in.byte();
  const std::uint64_t status = in.natural();
  response.end = static_cast<EndReason>(end);
  response.status = static_cast<std::uint32_t>(status);
  response.headers = take_pairs(in);
  response.body = in.bytes();
  if (response.rid > kLargestRid || end > 4 || status > 999) in.refuse();
  return response;
}

}  // namespace assay::audit::wire
