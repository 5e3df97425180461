// Any bytes as the only session of a Cobra log, and cut in half as two: a history or an InputError, nothing
// else.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/cobra/cobra.hpp"
#include "system/input_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::format;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Input inputs[] = {
      {"fuzz", true, {{"fuzz/T1.log", bytes}}},
      {"fuzz", true, {{"fuzz/T1.log", bytes.substr(0, size / 2)}, {"fuzz/T2.log", bytes.substr(size / 2)}}},
  };
  for (const Input& input : inputs) {
    sniff_cobra(input);
    try {
      read_cobra(input, {});
    } catch (const assay::InputError&) {
    }
  }
  return 0;
}
