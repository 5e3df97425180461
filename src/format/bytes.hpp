// A cursor over the bytes of one file. Every read is checked against what is left, and every error carries
// the byte at which it happened, so that a reader of a binary format cannot forget either.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "system/input_error.hpp"

namespace assay::format {

static_assert(std::endian::native == std::endian::little, "numbers are loaded as they lie in memory");

template <class Number>
Number load_little(const char* at) {
  Number value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline std::uint64_t load_big64(const char* at) {
  return __builtin_bswap64(load_little<std::uint64_t>(at));
}

template <class Number>
void append_little(std::string& out, Number value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

class ByteCursor {
 public:
  // `origin` is the place of the first byte in the file, for errors.
  ByteCursor(const std::string& path, std::string_view bytes, std::size_t origin = 0)
      : path_(&path), bytes_(bytes), origin_(origin) {}

  std::size_t position() const { return origin_ + at_; }
  std::size_t remaining() const { return bytes_.size() - at_; }
  const std::string& path() const { return *path_; }

  [[noreturn]] void fail(const std::string& message) const { fail_at(position(), message); }
  [[noreturn]] void fail_at(std::size_t position, const std::string& message) const {
    throw InputError(*path_, fmt::format("byte {}", position), message);
  }

  std::string_view take(std::size_t n, std::string_view what) {
    if (n > remaining()) {
      fail(fmt::format("the file ends too early: expected {} ({} bytes), {} bytes are left", what, n,
                       remaining()));
    }
    const std::string_view taken = bytes_.substr(at_, n);
    at_ += n;
    return taken;
  }

  template <class Number>
  Number little(std::string_view what) {
    return load_little<Number>(take(sizeof(Number), what).data());
  }

  // A count of things that take at least `least` bytes each: refused if that many cannot follow.
  std::uint64_t count(std::size_t least, std::string_view what) {
    const std::size_t start = position();
    const auto n = little<std::uint64_t>(what);
    if (n > remaining() / least) {
      fail_at(start, fmt::format("{} is {}, but the {} bytes that follow cannot hold so many", what, n,
                                 remaining()));
    }
    return n;
  }

 private:
  const std::string* path_;
  std::string_view bytes_;
  std::size_t origin_;
  std::size_t at_ = 0;
};

}  // namespace assay::format
