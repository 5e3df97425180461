// Any bytes as a compressed file: what it unpacks to, within the limit, or an InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/compressed.hpp"
#include "system/input_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::format;
  constexpr std::size_t kMost = std::size_t{1} << 20;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!is_compressed(bytes)) return 0;
  try {
    if (unpack({"fuzz", bytes}, kMost).bytes().size() > kMost) std::abort();
  } catch (const assay::InputError&) {
  }
  return 0;
}
