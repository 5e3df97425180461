// The dense numbers of an audit. A request id (rid) is what the collector chose; the auditor numbers requests
// in the order of their arrival and objects in the order in which the reports name them.
#pragma once

#include <cstdint>

namespace assay::audit {

enum class RequestIndex : std::uint32_t {};
enum class ObjectIndex : std::uint32_t {};

constexpr std::uint32_t index(RequestIndex request) {
  return static_cast<std::uint32_t>(request);
}
constexpr std::uint32_t index(ObjectIndex object) {
  return static_cast<std::uint32_t>(object);
}

}  // namespace assay::audit
