#include "split/tenant_pattern.hpp"

#include <cstddef>

namespace assay::split {

// The usual matching with one '*' to go back to: the last one is the only one that can need to be longer.
std::optional<std::string_view> TenantPattern::tenant_of(std::string_view key) const {
  constexpr std::size_t kNone = std::string_view::npos;
  const std::string_view pattern = pattern_;
  std::size_t p = 0, k = 0, star = kNone, after_star = 0;
  while (p < pattern.size()) {
    if (pattern[p] == '*') {
      if (p + 1 == pattern.size()) return key;
      star = p++;
      after_star = k;
    } else if (k < key.size() && (pattern[p] == '?' || pattern[p] == key[k])) {
      ++p;
      ++k;
    } else if (star != kNone && after_star < key.size()) {
      p = star + 1;
      k = ++after_star;
    } else {
      return std::nullopt;
    }
  }
  return key.substr(0, k);
}

}  // namespace assay::split
