// Whatever the bytes, the reader answers with a history or an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/jepsen/elle_edn.hpp"
#include "system/input_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::format;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Input input{"fuzz", false, {{"fuzz", bytes}}};
  (void)sniff_elle_edn(input);
  for (const Initial initial :
       {Initial::automatic, Initial::zero, Initial::first_transaction, Initial::none}) {
    try {
      (void)read_elle_edn(input, {initial, FailedStatements::drop});
    } catch (const assay::InputError&) {
      // A clear refusal is an answer.
    }
  }
  return 0;
}
