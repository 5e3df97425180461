#include "format/compressed.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <string>

#include "system/input_error.hpp"

namespace assay::format {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kGzip = "\x1f\x8b\x08"sv;  // and "deflate", the only method there is
constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd"sv;

}  // namespace

// The memory grows by realloc(), which moves pages and copies nothing, so that at no time there are two of a large file.
class Unpacking {
 public:
  Unpacking(const system::InputFile& file, std::size_t most) : file_(file), most_(most) {}

  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    throw InputError(file_.path, fmt::format("byte {}", at), message);
  }

  // Where the next bytes go, and how many may; at least one.
  char* room() {
    if (out_.size_ == capacity_) grow();
    return out_.memory_.get() + out_.size_;
  }
  std::size_t left() const { return capacity_ - out_.size_; }
  void add(std::size_t n) { out_.size_ += n; }

  Unpacked take() { return std::move(out_); }

 private:
  void grow() {
    constexpr std::size_t kFirst = std::size_t{1} << 16;
    if (capacity_ >= most_)
      fail(0, fmt::format("this unpacks to more than {} MB, which is too much for this machine",
                          most_ / 1'000'000));
    const std::size_t more = std::min(std::max(kFirst, capacity_ * 2), most_);
    auto* const moved = static_cast<char*>(std::realloc(out_.memory_.get(), more));  // NOLINT(*-no-malloc)
    if (moved == nullptr) throw std::bad_alloc();
    static_cast<void>(out_.memory_.release());
    out_.memory_.reset(moved);
    capacity_ = more;
  }

  const system::InputFile& file_;
  const std::size_t most_;
  std::size_t capacity_ = 0;
  Unpacked out_;
};

namespace {

// zlib counts in 32 bits.
uInt at_once(std::size_t n) {
  return static_cast<uInt>(std::min(n, std::size_t{1} << 30));
}

struct Inflate {
  z_stream state{};

  Inflate() {
    constexpr int kLargestWindow = 15, kOfGzip = 16;
    if (inflateInit2(&state, kLargestWindow + kOfGzip) != Z_OK) throw std::bad_alloc();
  }
  ~Inflate() { inflateEnd(&state); }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;
};

// A gzip file is one member or several; zeros may pad the last.
void unpack_gzip(std::string_view bytes, Unpacking& out) {
  Inflate inflate;
  z_stream& state = inflate.state;
  std::size_t at = 0;
  while (true) {
    // The library does not write to what it reads from.
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));  // NOLINT(*-const-cast)
    state.avail_in = at_once(bytes.size() - at);
    state.next_out = reinterpret_cast<Bytef*>(out.room());
    state.avail_out = at_once(out.left());
    const std::size_t offered = state.avail_in, room = state.avail_out;
    const int result = ::inflate(&state, Z_NO_FLUSH);
    at += offered - state.avail_in;
    const std::size_t written = room - state.avail_out;
    out.add(written);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) {
      if (bytes.find_first_not_of('\0', at) == std::string_view::npos) return;
      if (!bytes.substr(at).starts_with(kGzip))
        out.fail(at, "something else follows the end of the gzip file");
      inflateReset(&state);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      out.fail(at, fmt::format("the gzip file is damaged: {}",
                               state.msg != nullptr ? state.msg : "no reason given"));
    } else if (at == bytes.size() && written < room) {
      out.fail(at, "the gzip file ends too early");
    }
  }
}

struct FreeZstd {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Frames, one after the other; their windows are at most what the library allows by itself, 128 MiB.
void unpack_zstd(std::string_view bytes, Unpacking& out) {
  const std::unique_ptr<ZSTD_DCtx, FreeZstd> context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  while (true) {
    char* const to = out.room();
    ZSTD_outBuffer part = {to, out.left(), 0};
    const std::size_t wanted = ZSTD_decompressStream(context.get(), &part, &in);
    if (ZSTD_isError(wanted) != 0)
      out.fail(in.pos, fmt::format("the zstd file is damaged: {}", ZSTD_getErrorName(wanted)));
    out.add(part.pos);
    if (in.pos == in.size && wanted == 0) return;
    if (in.pos == in.size && part.pos < part.size) out.fail(in.pos, "the zstd file ends too early");
  }
}

}  // namespace

bool is_compressed(std::string_view bytes) {
  return bytes.starts_with(kGzip) || bytes.starts_with(kZstd);
}

std::size_t most_to_unpack() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 2;
}

Unpacked unpack(const system::InputFile& file, std::size_t most) {
  Unpacking out(file, most);
  if (file.bytes.starts_with(kGzip)) {
    unpack_gzip(file.bytes, out);
  } else {
    unpack_zstd(file.bytes, out);
  }
  return out.take();
}

}  // namespace assay::format
