// Any bytes as a trace: an InputError, or a trace every record of which can be loaded. Then the same bytes as
// the body of a frame, past the checksum, which would stop nearly all of them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "audit/trace.hpp"
#include "audit/wire/file_frame.hpp"
#include "system/input_error.hpp"

namespace {

using namespace assay::audit;

void read(std::string_view bytes) {
  try {
    const Trace trace("fuzz", bytes);
    for (const Event& event : trace.events()) {
      if (event.is_response) {
        trace.response(event.request);
      } else {
        trace.request(event.request);
      }
    }
  } catch (const assay::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  const std::size_t half = size == 0 ? 0 : data[0] % size;
  read(wire::file_head(wire::kTraceMagic) + wire::frame(wire::Tag::request, bytes.substr(0, half), 0) +
       wire::frame(wire::Tag::response, bytes.substr(half), 0));
  return 0;
}
