// A request body that comes in chunks, each with its size before it. Servers that read a malformed size
// differently can be made to disagree where a request ends, so nothing but the plain form is taken:
// hexadecimal digits, at most an extension behind a semicolon, lines that end in CR LF.
#pragma once

#include <cstdint>

#include "audit/front/decoding.hpp"

namespace assay::audit::front {

class ChunkedDecoder {
 public:
  explicit ChunkedDecoder(std::size_t largest_body) : largest_(largest_body) {}

  // Appends what is decoded to `body`. Trailer fields are checked and dropped.
  Decoded take(std::string_view& bytes, std::string& body);
  // REQUIRES: take() said `refused`.
  const Refusal& refusal() const { return refusal_; }

 private:
  enum class Part { size, data, data_end, trailer };

  Decoded refuse(int status, const char* why);
  Decoded take_size(std::string_view line, std::size_t body_size);
  Decoded take_trailer(std::string_view line);

  std::size_t largest_;
  Part part_ = Part::size;
  LineBuffer line_;
  std::size_t left_ = 0;      // of the current chunk
  std::size_t overhead_ = 0;  // bytes of extensions and trailers so far
  Refusal refusal_;
};

}  // namespace assay::audit::front
