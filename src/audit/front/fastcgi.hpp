// FastCGI records, as the collector writes them to PHP and reads them from it. One connection carries one
// request, with the number 1.
//
// A record is 8 bytes (version 1, type, request number, length of the content, length of the padding, zero;
// numbers with the high byte first), the content, the padding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/front/decoding.hpp"

namespace assay::audit::front::fastcgi {

enum class Type : std::uint8_t {
  begin_request = 1,
  abort_request = 2,
  end_request = 3,
  params = 4,
  standard_input = 5,
  standard_output = 6,
  standard_error = 7,
  data = 8,
  get_values = 9,
  get_values_result = 10,
  unknown_type = 11,
};

enum class ProtocolStatus : std::uint8_t {
  request_complete = 0,
  cannot_multiplex = 1,
  overloaded = 2,
  unknown_role = 3,
};

inline constexpr std::uint16_t kRequest = 1;
inline constexpr std::size_t kRecordHead = 8;
inline constexpr std::size_t kLargestContent = 65535;
inline constexpr std::size_t kEndRequestContent = 8;

// Names and values, in order; a name may not stand twice.
using Params = std::vector<std::pair<std::string, std::string>>;

// REQUIRES: content.size() <= kLargestContent.
void put_record(std::string& out, Type type, std::string_view content);
// As a responder that closes the connection at its end.
void put_begin_request(std::string& out);
// As many records as they need, and the empty one that ends them.
void put_params(std::string& out, const Params& params);

struct Record {
  Type type = Type::unknown_type;
  std::uint16_t request = 0;
  std::string_view content;
};

class RecordDecoder {
 public:
  Decoded take(std::string_view& bytes);
  // REQUIRES: take() said `whole`. Valid until the next take(), and as long as what that one took.
  const Record& record() const { return record_; }

 private:
  std::string partial_;  // of a record that comes in pieces
  bool taken_ = false;   // partial_ is the record that was given last
  Record record_;
};

}  // namespace assay::audit::front::fastcgi
