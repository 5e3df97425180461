// Any bytes as a packed or JSONL file that is read while it grows: whatever the pieces, and wherever the
// reader starts again from its own notes, the same transactions or the same InputError.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "collect/history_stream.hpp"
#include "system/input_error.hpp"

namespace {

using namespace assay;

std::string read(std::string_view bytes, std::size_t piece, bool restart) {
  collect::HistoryStream stream("fuzz");
  std::uint64_t transactions = 0, operations = 0;
  try {
    for (std::size_t at = 0; at < bytes.size();) {
      const std::string_view part = bytes.substr(at, piece);
      stream.push(part);
      at += part.size();
      bool any = false;
      while (const auto got = stream.next()) {
        transactions += got->history.transactions();
        operations += got->history.operations();
        any = true;
      }
      if (restart && any) {
        stream = collect::HistoryStream::restore("fuzz", stream.state());
        at = stream.position();
      }
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return std::to_string(transactions) + " " + std::to_string(operations) + (stream.ended() ? " ended" : "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = read(bytes, size + 1, false);
  if (read(bytes, 1 + size / 5, false) != whole) std::abort();
  if (read(bytes, 1 + size / 3, true) != whole) std::abort();
  try {
    collect::HistoryStream::restore("fuzz", bytes);
  } catch (const InputError&) {
  }
  return 0;
}
