// Any bytes as a packed file, and, past the checksum that would stop nearly all of them, as the body of one
// block. What decodes must decode to itself again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/assay/packed.hpp"
#include "format/assay/packed_block.hpp"
#include "system/input_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string path = "fuzz";
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  format::ReadOptions options;
  options.accept_truncated = true;
  try {
    format::read_packed({path, false, {{path, bytes}}}, options);
  } catch (const InputError&) {
  }
  try {
    format::ByteCursor in(path, bytes);
    const std::string packed = PackedCodec::encode(PackedCodec::decode(in));
    format::ByteCursor again(path, packed);
    if (PackedCodec::encode(PackedCodec::decode(again)) != packed) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
