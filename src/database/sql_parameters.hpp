// What rows and filters are to a statement, for the clients whose statements take parameters one by one: a
// `Parameters` has text(), number() and null(), each of which returns itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "database/row.hpp"

namespace assay::database {

// key, value, number, version. Points into the arguments.
template <class Parameters>
Parameters row_parameters(std::string_view key, const StoredValue& stored) {
  Parameters parameters;
  parameters.text(key).text(stored.value);
  if (const auto number = number_in_value(stored.value)) {
    parameters.number(*number);
  } else {
    parameters.null();
  }
  return parameters.number(static_cast<std::int64_t>(stored.version));
}

// prefix, the end of the keys with it if they have one, low, high. Points into the arguments.
template <class Parameters>
Parameters filter_parameters(const NumberFilter& filter, const std::optional<std::string>& end) {
  Parameters parameters;
  parameters.text(filter.prefix);
  if (end) parameters.text(*end);
  return parameters.number(filter.low).number(filter.high);
}

}  // namespace assay::database
