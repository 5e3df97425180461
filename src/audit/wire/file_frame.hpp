// Frames: both files of an audit are a file head and then frames. A frame is complete or it is not there: it
// carries its length and a checksum, so a writer that is killed loses at most the frame it was writing.
// Needs libzstd and libxxhash.
#pragma once

#include <xxhash.h>
#include <zstd.h>

#include "audit/wire/encoding.hpp"

namespace assay::audit::wire {

inline constexpr std::size_t kFileHead = 16;
inline constexpr std::size_t kFrameHead = 24;
inline constexpr Bytes kTraceMagic = "ASSAYTRC";
inline constexpr Bytes kReportMagic = "ASSAYREP";
inline constexpr Bytes kStateMagic = "ASSAYSTA";

// The file beside a report that holds what is not yet in a frame: a file head, u64 the length of the report
// when this tail began, u64 how many bytes of records follow, those bytes.
inline constexpr std::size_t kTailHead = kFileHead + 16;
inline constexpr Bytes kReportSuffix = ".rep";
inline constexpr Bytes kTailSuffix = ".tail";

inline std::string file_head(Bytes magic) {
  std::string out(magic);
  put_u32(out, kVersion);
  put_u32(out, 0);
  return out;
}

// The four letters as they stand in the bytes.
enum class Tag : std::uint32_t {
  request = 0x55514552,   // REQU  trace: one request
  response = 0x50534552,  // RESP  trace: one response
  records = 0x53434552,   // RECS  reports: any number of records
  state = 0x54415453,     // STAT  the state between two audits: a part of it
};

enum class Coding : std::uint32_t { plain = 0, zstd = 1 };

inline std::uint64_t frame_checksum(Bytes first_16, Bytes stored) {
  return XXH3_64bits_withSeed(stored.data(), stored.size(), XXH3_64bits(first_16.data(), first_16.size()));
}

// A frame around `body`, packed by zstd at this level if that makes it smaller; level 0 leaves it as it is.
// Append the result to the file by one write(). REQUIRES: body.size() <= kLargestFrame.
inline std::string frame(Tag tag, Bytes body, int zstd_level = 3) {
  std::string packed;
  if (zstd_level != 0) {
    packed.resize(ZSTD_compressBound(body.size()));
    const std::size_t n = ZSTD_compress(packed.data(), packed.size(), body.data(), body.size(), zstd_level);
    packed.resize(ZSTD_isError(n) != 0 || n >= body.size() ? 0 : n);
  }
  const Bytes stored = packed.empty() ? body : Bytes(packed);
  std::string out;
  out.reserve(kFrameHead + stored.size());
  put_u32(out, static_cast<std::uint32_t>(tag));
  put_u32(out, static_cast<std::uint32_t>(stored.size()));
  put_u32(out, static_cast<std::uint32_t>(body.size()));
  put_u32(out, static_cast<std::uint32_t>(packed.empty() ? Coding::plain : Coding::zstd));
  put_u64(out, frame_checksum(out, stored));
  out.append(stored);
  return out;
}

enum class Parsed {
  frame,    // a whole frame, its checksum right
  partial,  // the bytes end within it
  damaged,  // its head is impossible or its checksum is wrong
};

struct FrameView {
  std::uint32_t tag = 0;
  Coding coding = Coding::plain;
  std::size_t raw_length = 0;
  std::size_t stored_length = 0;
  Bytes stored;  // points into what was parsed
  std::size_t whole() const { return kFrameHead + stored_length; }
};

inline Parsed parse_frame(Bytes bytes, FrameView& out) {
  out = FrameView{};
  if (bytes.size() < kFrameHead) return Parsed::partial;
  const std::uint32_t coding = load_u32(bytes.data() + 12);
  out.tag = load_u32(bytes.data());
  out.stored_length = load_u32(bytes.data() + 4);
  out.raw_length = load_u32(bytes.data() + 8);
  out.coding = static_cast<Coding>(coding);
  if (out.stored_length > kLargestFrame || out.raw_length > kLargestFrame || coding > 1 ||
      (coding == 0 && out.stored_length != out.raw_length)) {
    return Parsed::damaged;
  }
  if (bytes.size() - kFrameHead < out.stored_length) return Parsed::partial;
  out.stored = bytes.substr(kFrameHead, out.stored_length);
  const bool right = frame_checksum(bytes.substr(0, 16), out.stored) == load_u64(bytes.data() + 16);
  return right ? Parsed::frame : Parsed::damaged;
}

// The body of a frame; false if it does not unpack to exactly the length it promised.
inline bool unpack(const FrameView& frame, std::string& body) {
  if (frame.coding == Coding::plain) {
    body.assign(frame.stored);
    return true;
  }
  body.resize(frame.raw_length);
  const std::size_t n = ZSTD_decompress(body.data(), body.size(), frame.stored.data(), frame.stored.size());
  return ZSTD_isError(n) == 0 && n == frame.raw_length;
}

}  // namespace assay::audit::wire
