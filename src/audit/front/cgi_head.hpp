// The head of a CGI response: what PHP writes before the body. Lines end in LF or CR LF, an empty one ends
// the head; "Status: 404 Not Found" gives the status, which is 200 otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "audit/front/decoding.hpp"
#include "audit/front/http_field.hpp"

namespace assay::audit::front {

struct CgiHead {
  std::uint32_t status = 200;
  std::string reason;  // what stood behind the status
  Fields fields;       // in PHP's order, without Status
};

class CgiHeadDecoder {
 public:
  explicit CgiHeadDecoder(std::size_t largest) : largest_(largest) {}

  Decoded take(std::string_view& bytes);
  // REQUIRES: take() said `whole`.
  CgiHead& head() { return head_; }
  // REQUIRES: take() said `refused`.
  const std::string& why() const { return why_; }

 private:
  bool take_line(std::string_view line);
  bool take_status(std::string_view value);
  bool refuse(const char* why);

  std::size_t largest_;
  std::size_t taken_ = 0;  // bytes of complete lines
  LineBuffer line_;
  bool has_status_ = false;
  CgiHead head_;
  std::string why_;
};

}  // namespace assay::audit::front
