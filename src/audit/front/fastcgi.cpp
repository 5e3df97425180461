#include "audit/front/fastcgi.hpp"

#include <algorithm>

namespace assay::audit::front::fastcgi {

namespace {

constexpr char kVersion = 1;

std::size_t big16(std::string_view bytes, std::size_t at) {
  return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) << 8 |
         static_cast<unsigned char>(bytes[at + 1]);
}

void put_length(std::string& out, std::size_t length) {
  if (length < 0x80) {
    out.push_back(static_cast<char>(length));
    return;
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    const auto byte = static_cast<unsigned char>(length >> shift);
    out.push_back(static_cast<char>(shift == 24 ? byte | 0x80U : byte));
  }
}

bool is_known(unsigned char type) {
  return type >= static_cast<unsigned char>(Type::begin_request) &&
         type <= static_cast<unsigned char>(Type::unknown_type);
}

}  // namespace

void put_record(std::string& out, Type type, std::string_view content) {
  const char head[kRecordHead] = {kVersion,
                                  static_cast<char>(type),
                                  static_cast<char>(kRequest >> 8),
                                  static_cast<char>(kRequest & 0xFF),
                                  static_cast<char>(content.size() >> 8),
                                  static_cast<char>(content.size() & 0xFF),
                                  0,
                                  0};
  out.append(head, sizeof head);
  out.append(content);
}

void put_begin_request(std::string& out) {
  constexpr char kResponder = 1;
  const char content[8] = {0, kResponder, 0, 0, 0, 0, 0, 0};
  put_record(out, Type::begin_request, {content, sizeof content});
}

void put_params(std::string& out, const Params& params) {
  std::string pairs;
  for (const auto& [name, value] : params) {
    put_length(pairs, name.size());
    put_length(pairs, value.size());
    pairs += name;
    pairs += value;
  }
  for (std::size_t at = 0; at < pairs.size(); at += kLargestContent) {
    put_record(out, Type::params, std::string_view(pairs).substr(at, kLargestContent));
  }
  put_record(out, Type::params, {});
}

Decoded RecordDecoder::take(std::string_view& bytes) {
  if (taken_) partial_.clear();
  taken_ = false;
  // Only a record that is cut is copied.
  const auto fill = [&](std::size_t wanted) {
    const std::string_view piece = bytes.substr(0, wanted - std::min(wanted, partial_.size()));
    partial_.append(piece);
    bytes.remove_prefix(piece.size());
    return partial_.size() >= wanted;
  };
  const bool in_place = partial_.empty() && bytes.size() >= kRecordHead;
  if (!in_place && !fill(kRecordHead)) return Decoded::need_more;
  const std::string_view head = in_place ? bytes : std::string_view(partial_);
  const auto type = static_cast<unsigned char>(head[1]);
  if (head[0] != kVersion || !is_known(type)) return Decoded::refused;
  const std::size_t length = big16(head, 4);
  const std::size_t whole = kRecordHead + length + static_cast<unsigned char>(head[6]);
  record_.type = static_cast<Type>(type);
  record_.request = static_cast<std::uint16_t>(big16(head, 2));
  if (in_place && bytes.size() >= whole) {
    record_.content = bytes.substr(kRecordHead, length);
    bytes.remove_prefix(whole);
    return Decoded::whole;
  }
  if (!fill(whole)) return Decoded::need_more;
  taken_ = true;
  record_.content = std::string_view(partial_).substr(kRecordHead, length);
  return Decoded::whole;
}

}  // namespace assay::audit::front::fastcgi
