#include "format/assay/packed_frame.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include "format/bytes.hpp"

namespace assay::format::packed {

namespace {

using namespace std::string_view_literals;

// As in PNG: a byte above ASCII and both kinds of line end show a file that was mangled as text.
constexpr std::string_view kMagic =
    "\x8A"
    "ASSAY\r\n"sv;
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kBlock = "BLCK"sv, kEnd = "END."sv;
constexpr std::size_t kUnchecked = 16;  // the part of the frame before its checksum

// Of everything in the block's frame but the checksum itself.
std::uint64_t checksum(std::string_view frame_start, std::string_view body) {
  return XXH3_64bits_withSeed(body.data(), body.size(), XXH3_64bits(frame_start.data(), frame_start.size()));
}

}  // namespace

bool begins_packed(std::string_view bytes) {
  return bytes.substr(0, 6) == kMagic.substr(0, 6);
}

std::string header() {
  std::string header(kMagic);
  append_little(header, kVersion);
  append_little(header, std::uint32_t{0});
  return header;
}

void check_header(const std::string& path, std::string_view bytes) {
  ByteCursor in(path, bytes);
  if (in.take(kMagic.size(), "the header of a packed history") != kMagic)
    in.fail_at(0, "this is not a packed history");
  const auto version = in.little<std::uint32_t>("the version");
  if (version != kVersion) {
    in.fail_at(kMagic.size(),
               fmt::format("version {} of the format; this Assay reads version {}", version, kVersion));
  }
  if (in.little<std::uint32_t>("reserved bytes") != 0)
    in.fail_at(kMagic.size() + 4, "reserved bytes are not zero");
}

bool get_frame(std::string_view bytes, Frame& frame, Damage& damage) {
  const std::string_view tag = bytes.substr(0, 4);
  if (tag != kBlock && tag != kEnd) {
    damage = {0, "expected a block, found other bytes"};
    return false;
  }
  if (load_little<std::uint32_t>(bytes.data() + 4) != 0) {
    damage = {4, "reserved bytes are not zero"};
    return false;
  }
  frame = {tag == kEnd, load_little<std::uint64_t>(bytes.data() + 8),
           load_little<std::uint64_t>(bytes.data() + kUnchecked)};
  return true;
}

bool is_whole(std::string_view frame_bytes, std::string_view body) {
  return load_little<std::uint64_t>(frame_bytes.data() + kUnchecked) ==
         checksum(frame_bytes.substr(0, kUnchecked), body);
}

std::string frame_of(bool end, std::string_view body) {
  std::string frame(end ? kEnd : kBlock);
  append_little(frame, std::uint32_t{0});
  append_little(frame, std::uint64_t{body.size()});
  append_little(frame, checksum(frame, body));
  frame += body;
  return frame;
}

std::string totals_body(const Totals& totals) {
  std::string body;
  for (const std::uint64_t total : {totals.blocks, totals.transactions, totals.operations})
    append_little(body, total);
  return body;
}

void check_totals(const std::string& path, std::string_view body, std::size_t origin, const Totals& found) {
  ByteCursor totals(path, body, origin);
  const auto check = [&](std::uint64_t counted, std::string_view what) {
    const auto expected = totals.little<std::uint64_t>(what);
    if (expected != counted)
      totals.fail(fmt::format("the file names {} {}, but holds {}", expected, what, counted));
  };
  check(found.blocks, "blocks");
  check(found.transactions, "transactions");
  check(found.operations, "operations");
  if (totals.remaining() != 0) totals.fail("the end block is too long");
}

}  // namespace assay::format::packed
