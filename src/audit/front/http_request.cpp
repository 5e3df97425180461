#include "audit/front/http_request.hpp"

#include <algorithm>
#include <utility>

namespace assay::audit::front {

namespace {

constexpr std::size_t kLongestMethod = 32;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Letters, digits and the few marks of a name, an address in brackets and a port.
bool is_host(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           std::string_view(".-_:[]").find(c) != std::string_view::npos;
  });
}

bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

// Of two such fields nobody can say which one counts.
constexpr std::string_view kOnce[] = {"Host",          "Content-Length", "Transfer-Encoding",
                                      "Authorization", "Content-Type",   "Expect"};

}  // namespace

bool RequestDecoder::refuse(int status, const char* why) {
  refusal_ = {status, why};
  return false;
}

bool RequestDecoder::asks_to_continue() {
  return std::exchange(asks_to_continue_, false);
}

HttpRequest RequestDecoder::request() {
  HttpRequest out = std::move(request_);
  *this = RequestDecoder(limits_);
  return out;
}

Decoded RequestDecoder::take(std::string_view& bytes) {
  if (part_ == Part::line || part_ == Part::fields) {
    const Decoded head = take_head(bytes);
    if (head != Decoded::whole) return head;
  }
  return take_body(bytes);
}

Decoded RequestDecoder::take_head(std::string_view& bytes) {
  while (part_ == Part::line || part_ == Part::fields) {
    const bool first = part_ == Part::line;
    const std::size_t room = limits_.head_bytes - std::min(limits_.head_bytes, head_bytes_);
    switch (line_.take(bytes, first ? std::min(limits_.line_bytes, room) : room)) {
      case LineBuffer::State::need_more:
        return Decoded::need_more;
      case LineBuffer::State::too_long:
        first ? refuse(414, "the request line is too long") : refuse(431, "the header fields are too large");
        return Decoded::refused;
      case LineBuffer::State::line:
        break;
    }
    std::string_view line = line_.line();
    const bool blank_before = first && head_bytes_ == 0 && line == "\r\n";
    head_bytes_ += line.size();
    // Some clients end a body with a line end that they do not count: one before a request is passed over.
    if (blank_before) continue;
    if (line.size() < 2 || line[line.size() - 2] != '\r') {
      refuse(400, "a line does not end in CR LF");
      return Decoded::refused;
    }
    line.remove_suffix(2);
    const bool good = first ? take_request_line(line) : line.empty() ? end_head() : take_field(line);
    if (!good) return Decoded::refused;
  }
  return Decoded::whole;
}

bool RequestDecoder::take_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return refuse(400, "the request line is malformed");
  const std::string_view method = line.substr(0, first);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || method.size() > kLongestMethod) return refuse(400, "the method is malformed");
  if (version == "HTTP/1.1") {
    request_.version = HttpVersion::http_1_1;
  } else if (version == "HTTP/1.0") {
    request_.version = HttpVersion::http_1_0;
  } else if (version.substr(0, 5) == "HTTP/") {
    return refuse(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
  } else {
    return refuse(400, "the request line is malformed");
  }
  if (method == "CONNECT" || method == "TRACE") return refuse(501, "this method is not served");
  request_.method = method;
  if (!take_target(line.substr(first + 1, last - first - 1))) return false;
  part_ = Part::fields;
  return true;
}

bool RequestDecoder::take_target(std::string_view target) {
  if (!is_visible(target) || target.find('#') != std::string_view::npos) {
    return refuse(400, "the target holds a character that it may not hold");
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!same_name(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    authority_ = target.substr(0, target.find_first_of("/?"));
    if (authority_.empty()) return refuse(400, "the target names no host");
    target.remove_prefix(authority_.size());
    request_.target = target.substr(0, 1) == "/" ? "" : "/";
    request_.target += target;
    return true;
  }
  if (target.substr(0, 1) != "/") return refuse(400, "the target is no path");
  request_.target = target;
  return true;
}

bool RequestDecoder::take_field(std::string_view line) {
  if (request_.fields.size() >= limits_.fields) return refuse(431, "there are too many header fields");
  Field field;
  if (!parse_field(line, field)) return refuse(400, "a header field is malformed");
  request_.fields.push_back(std::move(field));
  return true;
}

bool RequestDecoder::end_head() {
  for (const std::string_view name : kOnce) {
    if (count_fields(request_.fields, name) > 1) {
      return refuse(400, "a header field that may stand only once stands twice");
    }
  }
  if (!check_host() || !find_length()) return false;
  const Field* const expect = find_field(request_.fields, "Expect");
  if (expect != nullptr && request_.version == HttpVersion::http_1_1) {
    if (!same_name(expect->value, "100-continue")) return refuse(417, "this expectation cannot be met");
    asks_to_continue_ = in_body();
  }
  request_.keep_alive = request_.version == HttpVersion::http_1_1;
  for (const Field& field : request_.fields) {
    if (!same_name(field.name, "Connection")) continue;
    if (lists_token(field.value, "keep-alive")) request_.keep_alive = true;
  }
  for (const Field& field : request_.fields) {
    if (same_name(field.name, "Connection") && lists_token(field.value, "close")) request_.keep_alive = false;
  }
  return true;
}

bool RequestDecoder::check_host() {
  auto host = std::find_if(request_.fields.begin(), request_.fields.end(),
                           [](const Field& field) { return same_name(field.name, "Host"); });
  if (host == request_.fields.end() && request_.version == HttpVersion::http_1_1) {
    return refuse(400, "the Host field is missing");
  }
  if (host != request_.fields.end() && !is_host(host->value))
    return refuse(400, "the Host field is malformed");
  if (!is_host(authority_)) return refuse(400, "the host of the target is malformed");
  if (!authority_.empty()) {
    if (host == request_.fields.end()) {
      if (request_.fields.size() >= limits_.fields) return refuse(431, "there are too many header fields");
      host = request_.fields.insert(host, {"Host", ""});
    }
    host->value = authority_;
  }
  return true;
}

bool RequestDecoder::find_length() {
  const Field* const length = find_field(request_.fields, "Content-Length");
  const Field* const coding = find_field(request_.fields, "Transfer-Encoding");
  request_.has_body = length != nullptr || coding != nullptr;
  part_ = Part::done;
  if (coding != nullptr) {
    if (length != nullptr) return refuse(400, "the length of the body is told in two ways");
    if (request_.version == HttpVersion::http_1_0) return refuse(400, "HTTP/1.0 knows no Transfer-Encoding");
    if (!same_name(coding->value, "chunked")) return refuse(501, "this Transfer-Encoding is not known");
    part_ = Part::chunked_body;
    return true;
  }
  if (length == nullptr) return true;
  if (!all_digits(length->value)) return refuse(400, "the Content-Length is not a number");
  constexpr std::size_t kMostDigits = 18;
  if (length->value.size() > kMostDigits) return refuse(413, "the body is too large");
  const std::uint64_t size = std::stoull(length->value);
  if (size > limits_.body_bytes) return refuse(413, "the body is too large");
  body_left_ = static_cast<std::size_t>(size);
  if (size > 0) part_ = Part::sized_body;
  return true;
}

Decoded RequestDecoder::take_body(std::string_view& bytes) {
  if (part_ == Part::sized_body) {
    const std::string_view piece = bytes.substr(0, body_left_);
    request_.body.append(piece);
    bytes.remove_prefix(piece.size());
    body_left_ -= piece.size();
    if (body_left_ > 0) return Decoded::need_more;
  } else if (part_ == Part::chunked_body) {
    const Decoded body = chunked_.take(bytes, request_.body);
    if (body == Decoded::refused) refusal_ = chunked_.refusal();
    if (body != Decoded::whole) return body;
  }
  part_ = Part::done;
  return Decoded::whole;
}

}  // namespace assay::audit::front
