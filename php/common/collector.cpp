#include "common/collector.hpp"

#include <cstring>

#include "common/php.hpp"

namespace assay::php {

namespace {

constexpr std::uint32_t kFirstThreshold = 10001;
std::uint32_t* threshold = nullptr;

std::uint32_t threshold_told() {
  zend_gc_status status;
  zend_gc_get_status(&status);
  return status.threshold;
}

// The variables of the collector are not exported, but a function that returns one of them is, and its first
// instruction says where: movzbl displacement(%rip), %eax.
char* is_enabled() {
  unsigned char code[7];
  std::memcpy(code, reinterpret_cast<const void*>(&gc_enabled), sizeof code);
  if (code[0] != 0x0f || code[1] != 0xb6 || code[2] != 0x05) return nullptr;
  std::int32_t displacement = 0;
  std::memcpy(&displacement, code + 3, sizeof displacement);
  return reinterpret_cast<char*>(&gc_enabled) + sizeof code + displacement;
}

}  // namespace

bool find_collector() {
  threshold = nullptr;
  if (threshold_told() == 0) return true;  // it is switched off
  char* enabled = is_enabled();
  if (enabled == nullptr || threshold_told() != kFirstThreshold) return false;
  // Behind it are three more flags, two indices, and the threshold: believed when a change of it shows.
  auto* candidate = reinterpret_cast<std::uint32_t*>(enabled + 12);
  if (*candidate != kFirstThreshold) return false;
  *candidate = kFirstThreshold + 1;
  const bool shows = threshold_told() == kFirstThreshold + 1;
  *candidate = kFirstThreshold;
  if (shows) threshold = candidate;
  return shows;
}

void begin_collector() {
  if (threshold != nullptr) *threshold = kFirstThreshold;
}

}  // namespace assay::php
