#include "format/assay/packed_column.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace assay::format {

namespace {

constexpr int kLevel = 1;           // speed of writing matters more than the last percent
constexpr int kLargestWindow = 22;  // 4 MiB: what a reader is ready to keep; level 1 uses less
constexpr std::size_t kWorthCompressing = 64;
constexpr std::size_t kHeaderSize = 16;
constexpr std::uint32_t kSkippableFrame = 0x184D2A50;

std::size_t width_of(std::uint64_t bits) {
  return bits <= UINT8_MAX ? 1 : bits <= UINT16_MAX ? 2 : bits <= UINT32_MAX ? 4 : 8;
}

// A machine without memory says nothing about a file: whoever took it for damage would throw a good one away.
void refuse_without_memory(std::size_t code) {
  if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) throw std::bad_alloc();
}

std::size_t checked(std::size_t code) {
  refuse_without_memory(code);
  if (ZSTD_isError(code) != 0) throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(code));
  return code;
}

template <class Number, bool delta>
void widen(const char* from, std::span<std::uint64_t> to, std::uint64_t& before) {
  for (std::uint64_t& number : to) {
    const std::uint64_t code = load_little<Number>(from);
    from += sizeof(Number);
    if constexpr (delta) {
      before += unzigzag(code);
      number = before;
    } else {
      number = code;
    }
  }
}

template <class Number>
void widen(const char* from, std::span<std::uint64_t> to, std::uint64_t& before, bool delta) {
  return delta ? widen<Number, true>(from, to, before) : widen<Number, false>(from, to, before);
}

}  // namespace

void ReleaseZstd::operator()(ZSTD_CCtx_s* compressor) const {
  ZSTD_freeCCtx(compressor);
}
void ReleaseZstd::operator()(ZSTD_DCtx_s* decompressor) const {
  ZSTD_freeDCtx(decompressor);
}

ColumnWriter::ColumnWriter(std::string& out)
    : out_(out), compressor_(ZSTD_createCCtx()), buffer_(kBuffer + 8), compressed_(ZSTD_CStreamOutSize()) {
  if (compressor_ == nullptr) throw std::bad_alloc();
  checked(ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, kLevel));
}

void ColumnWriter::start(std::size_t count, std::uint64_t plain, std::uint64_t differences) {
  delta_ = width_of(differences) < width_of(plain);
  width_ = width_of(delta_ ? differences : plain);
  raw_ = std::uint64_t{count} * width_;
  compress_ = raw_ >= kWorthCompressing;
  before_ = 0;
  header_ = out_.size();
  out_ += static_cast<char>(width_);
  out_ += static_cast<char>(delta_);
  out_ += static_cast<char>(compress_);
  out_.append(5 + sizeof(std::uint64_t), '\0');  // the length follows in finish()
  if (compress_) checked(ZSTD_CCtx_setPledgedSrcSize(compressor_.get(), raw_));
}

void ColumnWriter::drain(bool last) {
  if (!compress_) {
    out_.append(buffer_.data(), used_);
  } else {
    ZSTD_inBuffer in{buffer_.data(), used_, 0};
    for (std::size_t more = 1; last ? more != 0 : in.pos < in.size;) {
      ZSTD_outBuffer out{compressed_.data(), compressed_.size(), 0};
      more = checked(ZSTD_compressStream2(compressor_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue));
      out_.append(compressed_.data(), out.pos);
    }
  }
  used_ = 0;
}

void ColumnWriter::finish() {
  drain(true);
  const std::size_t stored = out_.size() - header_ - kHeaderSize;
  const std::uint64_t least =
      raw_ > kRatioAllowance ? (raw_ - kRatioAllowance + kMaxRatio - 1) / kMaxRatio : 0;
  if (stored < least) {
    const std::size_t padding = std::max<std::size_t>(least - stored, 8) - 8;
    append_little(out_, kSkippableFrame);
    append_little(out_, static_cast<std::uint32_t>(padding));
    out_.append(padding, '\0');
  }
  const std::uint64_t length = out_.size() - header_ - kHeaderSize;
  std::memcpy(out_.data() + header_ + 8, &length, sizeof length);
}

void ColumnWriter::put_bytes(std::string_view bytes) {
  put(bytes.size(), [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); });
}

ColumnReader::ColumnReader() : decompressor_(ZSTD_createDCtx()), buffer_(kNumbers * 8), numbers_(kNumbers) {
  if (decompressor_ == nullptr) throw std::bad_alloc();
  checked(ZSTD_DCtx_setParameter(decompressor_.get(), ZSTD_d_windowLogMax, kLargestWindow));
}

void ColumnReader::fail(const std::string& message) const {
  in_->fail_at(start_, fmt::format("in the column of {}: {}", what_, message));
}

void ColumnReader::start(ByteCursor& in, std::uint64_t count, std::string_view what) {
  in_ = &in;
  start_ = in.position();
  what_ = what;
  const std::string_view head = in.take(8, what);
  width_ = static_cast<unsigned char>(head[0]);
  if (width_ != 1 && width_ != 2 && width_ != 4 && width_ != 8)
    fail(fmt::format("width {} is none of 1, 2, 4, 8", width_));
  if (static_cast<unsigned char>(head[1]) > 1) fail("unknown transform");
  if (static_cast<unsigned char>(head[2]) > 1) fail("unknown compression");
  if (head.substr(3) != std::string_view("\0\0\0\0\0", 5)) fail("reserved bytes are not zero");
  delta_ = head[1] == 1;
  compressed_ = head[2] == 1;
  stored_ = in.take(in.count(1, "the length of a column"), what);
  const std::uint64_t most = std::uint64_t{stored_.size()} * kMaxRatio + kRatioAllowance;
  if (count > most / width_) fail(fmt::format("{} numbers cannot be in {} bytes", count, stored_.size()));
  if (!compressed_ && stored_.size() != count * width_) {
    fail(fmt::format("expected {} numbers of {} bytes, found {} bytes", count, width_, stored_.size()));
  }
  left_ = count;
  before_ = 0;
  consumed_ = 0;
  ZSTD_DCtx_reset(decompressor_.get(), ZSTD_reset_session_only);
}

const char* ColumnReader::raw(std::size_t bytes) {
  if (!compressed_) {
    const char* const at = stored_.data() + consumed_;
    consumed_ += bytes;
    return at;
  }
  ZSTD_outBuffer out{buffer_.data(), bytes, 0};
  ZSTD_inBuffer in{stored_.data(), stored_.size(), consumed_};
  while (out.pos < out.size) {
    const std::size_t before_in = in.pos, before_out = out.pos;
    const std::size_t code = ZSTD_decompressStream(decompressor_.get(), &out, &in);
    refuse_without_memory(code);
    if (ZSTD_isError(code) != 0) fail(fmt::format("zstd: {}", ZSTD_getErrorName(code)));
    if (in.pos == before_in && out.pos == before_out) fail("the compressed data end too early");
  }
  consumed_ = in.pos;
  return buffer_.data();
}

std::span<const std::uint64_t> ColumnReader::next() {
  if (left_ == 0) {
    // Nothing but the end of the frame and padding may follow.
    while (consumed_ < stored_.size() && compressed_) {
      char surplus;
      ZSTD_outBuffer out{&surplus, 1, 0};
      ZSTD_inBuffer in{stored_.data(), stored_.size(), consumed_};
      const std::size_t code = ZSTD_decompressStream(decompressor_.get(), &out, &in);
      refuse_without_memory(code);
      if (ZSTD_isError(code) != 0) fail(fmt::format("zstd: {}", ZSTD_getErrorName(code)));
      if (out.pos != 0) fail("more numbers than expected");
      if (in.pos == consumed_) fail("the compressed data do not end");
      consumed_ = in.pos;
    }
    return {};
  }
  const std::size_t n = std::min<std::uint64_t>(left_, kNumbers);
  left_ -= n;
  const char* const from = raw(n * width_);
  const std::span<std::uint64_t> to = std::span(numbers_).first(n);
  switch (width_) {
    case 1:
      widen<std::uint8_t>(from, to, before_, delta_);
      break;
    case 2:
      widen<std::uint16_t>(from, to, before_, delta_);
      break;
    case 4:
      widen<std::uint32_t>(from, to, before_, delta_);
      break;
    default:
      widen<std::uint64_t>(from, to, before_, delta_);
  }
  return to;
}

std::string ColumnReader::get_bytes(ByteCursor& in, std::uint64_t count, std::string_view what) {
  start(in, count, what);
  std::string bytes;
  bytes.reserve(count);
  for (std::span<const std::uint64_t> numbers = next(); !numbers.empty(); numbers = next()) {
    for (const std::uint64_t number : numbers) {
      if (number > UINT8_MAX) fail(fmt::format("{} is not a byte", number));
      bytes += static_cast<char>(number);
    }
  }
  return bytes;
}

}  // namespace assay::format
