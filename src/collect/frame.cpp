#include "collect/frame.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <stdexcept>

#include "format/bytes.hpp"
#include "system/input_error.hpp"

namespace assay::collect {

namespace {

using format::append_little;
using format::load_little;

std::uint64_t checksum(std::string_view head, std::string_view body) {
  return XXH3_64bits_withSeed(body.data(), body.size(), XXH3_64bits(head.data(), head.size()));
}

}  // namespace

std::string frame(std::uint32_t tag, std::string_view body) {
  if (body.size() > UINT32_MAX) throw std::length_error("the body of a frame is above 4 GiB");
  std::string out;
  out.reserve(kFrameHead + body.size());
  append_little(out, tag);
  append_little(out, static_cast<std::uint32_t>(body.size()));
  append_little(out, checksum(out, body));
  out += body;
  return out;
}

void FrameReader::push(std::string_view bytes) {
  if (at_ > 0) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  buffer_ += bytes;
}

std::optional<Frame> FrameReader::next() {
  const auto fail = [this](std::uint64_t offset, const std::string& what) {
    throw InputError(path_, fmt::format("byte {}", taken_ + offset), what);
  };
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  if (rest.size() < 8) return std::nullopt;
  const auto tag = load_little<std::uint32_t>(rest.data());
  const auto length = load_little<std::uint32_t>(rest.data() + 4);
  if (length > largest_)
    fail(4, fmt::format("a frame {} of {} bytes; the largest has {}", letters(tag), length, largest_));
  if (rest.size() < kFrameHead + length) return std::nullopt;
  const std::string_view body = rest.substr(kFrameHead, length);
  if (load_little<std::uint64_t>(rest.data() + 8) != checksum(rest.substr(0, 8), body))
    fail(0, fmt::format("frame {} does not have the checksum that it names", letters(tag)));
  at_ += kFrameHead + length;
  taken_ += kFrameHead + length;
  return Frame{tag, body};
}

std::string letters(std::uint32_t tag) {
  std::string out;
  append_little(out, tag);
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return "'" + out + "'";
}

}  // namespace assay::collect
