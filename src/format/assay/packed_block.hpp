// One block of a packed file: a whole small history, with its own texts, keys and versions. docs/formats.md
// gives its bytes. Decoding trusts nothing: whatever the bytes say, the result keeps every promise of
// History, or there is an InputError.
#pragma once

#include <string>

#include "format/bytes.hpp"
#include "history/history.hpp"

namespace assay {

class PackedCodec {
 public:
  // The bytes of the block. Keys and versions are renumbered in the order of their names and values.
  static std::string encode(const History& history);
  static History decode(format::ByteCursor& in);
  // At most so many bytes of memory does the history of this block take, as its counts say, which decode() holds
  // it to: to be asked before, since a small block may unpack to a large history.
  static std::uint64_t unpacked_bytes(std::string_view block);
  static void source(History& history, std::string path, std::string format);

 private:
  class Encoder;
  class Decoder;
};

}  // namespace assay
