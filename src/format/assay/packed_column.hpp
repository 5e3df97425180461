// One column of numbers as it lies in a packed block: as many bytes per number as the largest needs, plain or
// as differences to the number before, and compressed where that helps.
//
//   u8   width: 1, 2, 4 or 8
//   u8   transform: 0 plain, 1 differences
//   u8   compression: 0 none, 1 zstd
//   5    zero bytes
//   u64  length of what follows, then that many bytes
//
// How many numbers there are stands elsewhere. Raw bytes are at most kMaxRatio times the stored ones (a
// writer pads with a skippable frame where zstd does better), so a small file cannot ask for much memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/bytes.hpp"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace assay::format {

inline constexpr std::uint64_t kMaxRatio = 256;
inline constexpr std::uint64_t kRatioAllowance = 4096;

// Differences may be negative: the sign goes to the lowest bit, so that small stays small.
constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return difference << 1 ^ (difference >> 63 != 0 ? UINT64_MAX : 0);
}
constexpr std::uint64_t unzigzag(std::uint64_t code) {
  return code >> 1 ^ (0 - (code & 1));
}

struct ReleaseZstd {
  void operator()(ZSTD_CCtx_s* compressor) const;
  void operator()(ZSTD_DCtx_s* decompressor) const;
};

class ColumnWriter {
 public:
  explicit ColumnWriter(std::string& out);
  ColumnWriter(const ColumnWriter&) = delete;
  ColumnWriter& operator=(const ColumnWriter&) = delete;

  // Appends the column value(0), …, value(count - 1).
  template <class Value>
  void put(std::size_t count, Value value) {
    std::uint64_t plain = 0, differences = 0, before = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = static_cast<std::uint64_t>(value(i));
      plain |= number;
      differences |= zigzag(number - before);
      before = number;
    }
    start(count, plain, differences);
    for (std::size_t i = 0; i < count; ++i) add(static_cast<std::uint64_t>(value(i)));
    finish();
  }
  void put_bytes(std::string_view bytes);

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 17;

  void start(std::size_t count, std::uint64_t plain, std::uint64_t differences);
  void add(std::uint64_t number) {
    const std::uint64_t code = delta_ ? zigzag(number - before_) : number;
    before_ = number;
    std::memcpy(buffer_.data() + used_, &code, sizeof code);  // the next number overwrites what is too much
    used_ += width_;
    if (used_ >= kBuffer) drain(false);
  }
  void drain(bool last);
  void finish();

  std::string& out_;
  std::unique_ptr<ZSTD_CCtx_s, ReleaseZstd> compressor_;
  std::vector<char> buffer_;
  std::vector<char> compressed_;
  std::size_t used_ = 0, width_ = 1, header_ = 0;
  std::uint64_t raw_ = 0, before_ = 0;
  bool delta_ = false, compress_ = false;
};

class ColumnReader {
 public:
  ColumnReader();
  ColumnReader(const ColumnReader&) = delete;
  ColumnReader& operator=(const ColumnReader&) = delete;

  // Calls sink(i, number) for each of the `count` numbers of the next column. Throws InputError.
  template <class Sink>
  void get(ByteCursor& in, std::uint64_t count, std::string_view what, Sink sink) {
    start(in, count, what);
    std::size_t i = 0;
    for (std::span<const std::uint64_t> numbers = next(); !numbers.empty(); numbers = next()) {
      for (const std::uint64_t number : numbers) sink(i++, number);
    }
  }
  std::string get_bytes(ByteCursor& in, std::uint64_t count, std::string_view what);

  [[noreturn]] void fail(const std::string& message) const;

 private:
  static constexpr std::size_t kNumbers = std::size_t{1}
                                          << 14;  // per call of next(): 128 KiB, half a usual L2 cache

  void start(ByteCursor& in, std::uint64_t count, std::string_view what);
  std::span<const std::uint64_t> next();
  const char* raw(std::size_t bytes);

  std::unique_ptr<ZSTD_DCtx_s, ReleaseZstd> decompressor_;
  std::vector<char> buffer_;
  std::vector<std::uint64_t> numbers_;
  const ByteCursor* in_ = nullptr;
  std::size_t start_ = 0;  // of the column in the file
  std::string_view what_, stored_;
  std::size_t consumed_ = 0, width_ = 1;
  std::uint64_t left_ = 0, before_ = 0;
  bool delta_ = false, compressed_ = false;
};

}  // namespace assay::format
