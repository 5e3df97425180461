// The outer structure of a packed file: a header, then frames that each hold a block. Shared by the reader of
// whole files and by the one of files that still grow. docs/formats.md gives the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::format::packed {

inline constexpr std::size_t kHeaderSize = 16;
inline constexpr std::size_t kFrameSize = 24;  // tag, four zero bytes, u64 length, u64 checksum

// Whether bytes begin as a packed file does, however mangled the rest of the header may be.
bool begins_packed(std::string_view bytes);

std::string header();
// Throws InputError. REQUIRES: bytes.size() == kHeaderSize.
void check_header(const std::string& path, std::string_view bytes);

struct Frame {
  bool end = false;  // the end block, with totals
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;
};

// What is wrong with the file at the place where a block should be.
struct Damage {
  std::size_t position;
  std::string what;
};

// Reads the frame's start into `frame`, or tells what is wrong with it, with the position inside it.
// REQUIRES: bytes.size() == kFrameSize.
bool get_frame(std::string_view bytes, Frame& frame, Damage& damage);
// Whether the body has the checksum that its frame names.
bool is_whole(std::string_view frame_bytes, std::string_view body);

// A frame with its body.
std::string frame_of(bool end, std::string_view body);

// What the end block counts.
struct Totals {
  std::uint64_t blocks = 0, transactions = 0, operations = 0;
};
std::string totals_body(const Totals& totals);
// Throws InputError if the end block, whose body starts at byte `origin`, counts something else.
void check_totals(const std::string& path, std::string_view body, std::size_t origin, const Totals& found);

}  // namespace assay::format::packed
