#include "audit/front/cgi_head.hpp"

#include <algorithm>

#include "audit/wire/encoding.hpp"

namespace assay::audit::front {

bool CgiHeadDecoder::refuse(const char* why) {
  why_ = why;
  return false;
}

Decoded CgiHeadDecoder::take(std::string_view& bytes) {
  while (true) {
    switch (line_.take(bytes, largest_ - std::min(largest_, taken_))) {
      case LineBuffer::State::need_more:
        return Decoded::need_more;
      case LineBuffer::State::too_long:
        refuse("the head of PHP's response is too large");
        return Decoded::refused;
      case LineBuffer::State::line:
        break;
    }
    std::string_view line = line_.line();
    taken_ += line.size();
    line.remove_suffix(1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) return Decoded::whole;
    if (!take_line(line)) return Decoded::refused;
  }
}

bool CgiHeadDecoder::take_line(std::string_view line) {
  Field field;
  if (!parse_field(line, field)) return refuse("a header field of PHP's response is malformed");
  if (same_name(field.name, "Status")) return take_status(field.value);
  if (head_.fields.size() >= wire::kMostInList) return refuse("PHP's response has too many header fields");
  head_.fields.push_back(std::move(field));
  return true;
}

bool CgiHeadDecoder::take_status(std::string_view value) {
  const std::string_view digits = value.substr(0, 3);
  const bool number = digits.size() == 3 && digits[0] >= '2' && digits[0] <= '9' &&
                      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number || (value.size() > 3 && value[3] != ' ') || has_status_) {
    return refuse("the status of PHP's response is malformed");
  }
  has_status_ = true;
  head_.status = static_cast<std::uint32_t>(std::stoul(std::string(digits)));
  head_.reason = without_blanks(value.substr(3));
  return true;
}

}  // namespace assay::audit::front
