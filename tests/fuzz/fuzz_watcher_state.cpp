// Any bytes as the saved state of a watcher: an InputError, or a watcher that goes on and can be saved again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "system/input_error.hpp"
#include "watch/watcher.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    watch::Watcher watcher = watch::Watcher::load(bytes, "fuzz");
    std::string saved;
    watcher.save(saved);
    watch::Watcher again = watch::Watcher::load(saved, "saved");
    std::string twice;
    again.save(twice);
    if (twice != saved) std::abort();
    watcher.decide();
  } catch (const InputError&) {
  }
  return 0;
}
