// Any bytes as what a collector sends: frames or an InputError, the same however they are cut; and what a
// frame holds as the fragment it claims to be.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "collect/frame.hpp"
#include "format/assay/packed_block.hpp"
#include "format/bytes.hpp"
#include "system/input_error.hpp"

namespace {

using namespace assay;

// Everything that was understood, and where it stopped.
std::string understood(std::string_view bytes, std::size_t piece) {
  collect::FrameReader reader("fuzz");
  std::string out;
  try {
    while (!bytes.empty()) {
      reader.push(bytes.substr(0, piece));
      bytes.remove_prefix(std::min(piece, bytes.size()));
      while (const auto frame = reader.next()) {
        out += collect::letters(frame->tag);
        out += frame->body;
      }
    }
  } catch (const InputError& error) {
    out += error.what();
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (understood(bytes, size + 1) != understood(bytes, 1 + size / 7)) std::abort();
  // Past the checksum, which would stop nearly all of them.
  collect::FrameReader reader("fuzz");
  reader.push(collect::frame(collect::Tag::fragment, bytes));
  const auto frame = reader.next();
  if (!frame || frame->body != bytes) std::abort();
  if (frame->body.size() < 8) return 0;
  try {
    const std::string path = "fuzz";
    format::ByteCursor in(path, frame->body.substr(8));
    PackedCodec::decode(in);
  } catch (const InputError&) {
  }
  return 0;
}
