#include "audit/front/chunked.hpp"

#include "audit/front/http_field.hpp"

namespace assay::audit::front {

namespace {

constexpr std::size_t kLongestSizeLine = 256;
constexpr std::size_t kLongestTrailerLine = 8192;
// Extensions and trailers carry nothing that is passed on: a client that sends more of them wants trouble.
constexpr std::size_t kMostOverhead = 65536;
constexpr std::size_t kMostDigits = 8;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Decoded ChunkedDecoder::refuse(int status, const char* why) {
  refusal_ = {status, why};
  return Decoded::refused;
}

// Returns `whole` where the line is good and decoding goes on.
Decoded ChunkedDecoder::take_size(std::string_view line, std::size_t body_size) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < line.size() && hex_digit(line[digits]) >= 0; ++digits) {
    if (digits == kMostDigits) return refuse(400, "the size of a chunk has too many digits");
    size = size * 16 + static_cast<std::uint64_t>(hex_digit(line[digits]));
  }
  const std::string_view extension = line.substr(digits);
  if (digits == 0 || (!extension.empty() && extension.front() != ';') || !is_field_value(extension)) {
    return refuse(400, "the size of a chunk is not a hexadecimal number");
  }
  overhead_ += extension.size();
  if (overhead_ > kMostOverhead) return refuse(400, "the body has too many chunk extensions");
  if (size > largest_ - body_size) return refuse(413, "the body is too large");
  left_ = static_cast<std::size_t>(size);
  part_ = size == 0 ? Part::trailer : Part::data;
  return Decoded::whole;
}

Decoded ChunkedDecoder::take_trailer(std::string_view line) {
  overhead_ += line.size();
  if (overhead_ > kMostOverhead) return refuse(431, "the trailer is too large");
  Field ignored;
  return parse_field(line, ignored) ? Decoded::whole : refuse(400, "a trailer field is malformed");
}

Decoded ChunkedDecoder::take(std::string_view& bytes, std::string& body) {
  while (true) {
    if (part_ == Part::data) {
      const std::string_view piece = bytes.substr(0, left_);
      body.append(piece);
      bytes.remove_prefix(piece.size());
      left_ -= piece.size();
      if (left_ > 0) return Decoded::need_more;
      part_ = Part::data_end;
    }
    const std::size_t longest = part_ == Part::data_end ? 2
                                : part_ == Part::size   ? kLongestSizeLine
                                                        : kLongestTrailerLine;
    switch (line_.take(bytes, longest)) {
      case LineBuffer::State::need_more:
        return Decoded::need_more;
      case LineBuffer::State::too_long:
        return refuse(400, "a line between two chunks is malformed");
      case LineBuffer::State::line:
        break;
    }
    std::string_view line = line_.line();
    if (line.size() < 2 || line[line.size() - 2] != '\r') {
      return refuse(400, "a line between two chunks does not end in CR LF");
    }
    line.remove_suffix(2);
    if (part_ == Part::data_end) {
      if (!line.empty()) return refuse(400, "a chunk is longer than its size says");
      part_ = Part::size;
      continue;
    }
    if (part_ == Part::trailer && line.empty()) return Decoded::whole;
    if ((part_ == Part::size ? take_size(line, body.size()) : take_trailer(line)) == Decoded::refused) {
      return Decoded::refused;
    }
  }
}

}  // namespace assay::audit::front
