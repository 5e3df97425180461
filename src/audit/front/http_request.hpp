// HTTP/1.1 requests out of bytes. Strict where leniency lets two readers of the same bytes disagree about
// them (request smuggling): lines end in CR LF, a body has one length told in one way, a field stands on one
// line. What is refused is refused with a status; the connection cannot go on after that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "audit/front/chunked.hpp"
#include "audit/front/decoding.hpp"
#include "audit/front/front_limits.hpp"
#include "audit/front/http_field.hpp"

namespace assay::audit::front {

enum class HttpVersion : std::uint8_t { http_1_0, http_1_1 };

struct HttpRequest {
  std::string method;
  std::string target;  // path and query as they came; of an absolute URL, what follows the host
  HttpVersion version = HttpVersion::http_1_1;
  Fields fields;  // in their order
  std::string body;
  bool has_body = false;  // a length was told, be it zero
  bool keep_alive = true;
};

class RequestDecoder {
 public:
  explicit RequestDecoder(const RequestLimits& limits) : limits_(limits), chunked_(limits.body_bytes) {}

  Decoded take(std::string_view& bytes);
  // REQUIRES: take() said `whole`. The next take() begins the next request.
  HttpRequest request();
  // REQUIRES: take() said `refused`.
  const Refusal& refusal() const { return refusal_; }

  // The client waits for "100 Continue" before it sends the body. True once per request.
  bool asks_to_continue();
  bool begun() const { return part_ != Part::line || head_bytes_ + line_.size() > 0; }
  bool in_body() const { return part_ == Part::sized_body || part_ == Part::chunked_body; }
  std::size_t held() const { return request_.body.capacity(); }

 private:
  enum class Part { line, fields, sized_body, chunked_body, done };

  Decoded take_head(std::string_view& bytes);
  Decoded take_body(std::string_view& bytes);
  bool take_request_line(std::string_view line);
  bool take_target(std::string_view target);
  bool take_field(std::string_view line);
  bool end_head();
  bool check_host();
  bool find_length();
  bool refuse(int status, const char* why);

  RequestLimits limits_;
  Part part_ = Part::line;
  LineBuffer line_;
  std::size_t head_bytes_ = 0;  // of complete lines
  std::size_t body_left_ = 0;
  ChunkedDecoder chunked_;
  std::string authority_;  // of an absolute URL; goes before the Host field
  HttpRequest request_;
  bool asks_to_continue_ = false;
  Refusal refusal_;
};

}  // namespace assay::audit::front
