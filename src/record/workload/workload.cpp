#include "record/workload/workload.hpp"

#include <charconv>

namespace assay::record {

std::int64_t number_in(const std::optional<std::string>& value) {
  std::int64_t number = 0;
  if (value) std::from_chars(value->data(), value->data() + value->size(), number);
  return number;
}

}  // namespace assay::record
