// Which tenant a key belongs to, told from its name: the beginning of the name that a pattern matches.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::split {

// '?' stands for one character and '*' for as few as possible, at the end of the pattern for all that is left; every
// other character stands for itself. Of "shop:*:" and "shop:7:cart" it is "shop:7:".
class TenantPattern {
 public:
  explicit TenantPattern(std::string pattern) : pattern_(std::move(pattern)) {}
  // What the pattern matches of the beginning of `key`; nothing: the key belongs to no tenant.
  std::optional<std::string_view> tenant_of(std::string_view key) const;

 private:
  std::string pattern_;
};

}  // namespace assay::split
