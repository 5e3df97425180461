// Any bytes as one file in format dbcop: a history or an InputError, nothing else.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/dbcop/dbcop.hpp"
#include "system/input_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::format;
  const Input input{"fuzz", false, {{"fuzz", {reinterpret_cast<const char*>(data), size}}}};
  sniff_dbcop(input);
  for (const Initial initial : {Initial::automatic, Initial::first_transaction}) {
    ReadOptions options;
    options.initial = initial;
    try {
      read_dbcop(input, options);
    } catch (const assay::InputError&) {
    }
  }
  return 0;
}
