// The alphabet of the audit's files: limits, numbers and strings. The headers of this folder are the bytes of
// an audit in code, and docs/audit-formats.md tells the same in words: what the collector writes (trace.hpp),
// what the recorder inside PHP writes (report.hpp, contents.hpp), the frames around both (frame.hpp). They
// are C++17, include nothing else of Assay and throw nothing of their own, so that a PHP extension can use
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::audit::wire {

using Bytes = std::string_view;

// A reader refuses what is above these limits, a writer must not produce it.
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kLargestFrame = std::size_t{1} << 26;   // the body of a frame, packed or not
inline constexpr std::size_t kLargestString = std::size_t{1} << 25;  // an SQL text, a value, a response body
inline constexpr std::size_t kLargestName = std::size_t{1} << 12;    // of an object or a property
inline constexpr std::size_t kMostInList = std::size_t{1} << 16;     // parameters, headers, keys
inline constexpr std::uint64_t kLargestRid = (std::uint64_t{1} << 63) - 1;

inline void put_byte(std::string& out, std::uint8_t value) {
  out.push_back(static_cast<char>(value));
}
inline void put_u32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) put_byte(out, static_cast<std::uint8_t>(value >> shift));
}
inline void put_u64(std::string& out, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) put_byte(out, static_cast<std::uint8_t>(value >> shift));
}
// Seven bits a byte, the lowest first; the top bit says that another byte follows. The shortest form only.
inline void put_natural(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) put_byte(out, static_cast<std::uint8_t>(value | 0x80));
  put_byte(out, static_cast<std::uint8_t>(value));
}
// Zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
inline void put_integer(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  put_natural(out, (bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}
inline void put_bytes(std::string& out, Bytes bytes) {
  put_natural(out, bytes.size());
  out.append(bytes);
}

inline std::uint32_t load_u32(const char* at) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(at[i]);
  return value;
}
inline std::uint64_t load_u64(const char* at) {
  return std::uint64_t{load_u32(at + 4)} << 32 | load_u32(at);
}

// Takes values off the front of some bytes. After the first thing that is not as it should be ok() is false,
// every further value is zero or empty, and position() stays where the trouble began.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }
  bool finished() const { return ok_ && at_end(); }
  std::size_t position() const { return at_; }
  std::size_t remaining() const { return bytes_.size() - at_; }

  std::uint8_t byte() {
    if (!ok_ || remaining() < 1) return fail<std::uint8_t>();
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint64_t u64() {
    if (!ok_ || remaining() < 8) return fail<std::uint64_t>();
    at_ += 8;
    return load_u64(bytes_.data() + at_ - 8);
  }
  std::uint64_t natural() {
    std::uint64_t value = 0;
    std::size_t at = at_;
    for (unsigned shift = 0; ok_ && at < bytes_.size() && shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(bytes_[at++]);
      const std::uint64_t part = byte & 0x7F;
      if (shift == 63 && part > 1) break;
      value |= part << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift > 0) break;  // not the shortest form
        at_ = at;
        return value;
      }
    }
    return fail<std::uint64_t>();
  }
  std::int64_t integer() {
    const std::uint64_t bits = natural();
    return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
  }
  Bytes bytes(std::size_t largest = kLargestString) {
    const std::size_t start = at_;
    const std::uint64_t size = natural();
    if (!ok_) return {};
    if (size > largest || size > remaining()) {
      at_ = start;
      return fail<Bytes>();
    }
    const Bytes taken = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += taken.size();
    return taken;
  }
  // The length of a list whose elements take at least `least` bytes each.
  std::size_t count(std::size_t least, std::size_t most = kMostInList) {
    const std::size_t start = at_;
    const std::uint64_t n = natural();
    if (n <= most && n <= remaining() / least) return static_cast<std::size_t>(n);
    at_ = start;
    return fail<std::size_t>();
  }
  void refuse() { ok_ = false; }

 private:
  template <class Value>
  Value fail() {
    ok_ = false;
    return Value{};
  }

  Bytes bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace assay::audit::wire
