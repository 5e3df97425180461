#include "split/tenant_pattern.hpp"

#include <gtest/gtest.h>

namespace assay::split {
namespace {

std::string tenant(const char* pattern, const char* key) {
  const auto found = TenantPattern(pattern).tenant_of(key);
  return found ? std::string(*found) : "none";
}

TEST(TenantPattern, IsTheBeginningThatThePatternMatches) {
  EXPECT_EQ(tenant("shop:*:", "shop:7:cart:1"), "shop:7:");
  EXPECT_EQ(tenant("*:", "a:b:c"), "a:");
  EXPECT_EQ(tenant("?", "731"), "7");
  EXPECT_EQ(tenant("t??:", "t42:x"), "t42:");
  EXPECT_EQ(tenant("shop:*", "shop:7:cart"), "shop:7:cart");
  EXPECT_EQ(tenant("", "anything"), "");
}

TEST(TenantPattern, LeavesOtherKeysAlone) {
  EXPECT_EQ(tenant("shop:*:", "assay:fence"), "none");
  EXPECT_EQ(tenant("shop:*:", "shop:7"), "none");
  EXPECT_EQ(tenant("??", "x"), "none");
  EXPECT_EQ(tenant("*a", ""), "none");
}

TEST(TenantPattern, TriesLongerRunsUntilTheRestMatches) {
  EXPECT_EQ(tenant("*ab:", "aab:x"), "aab:");
  EXPECT_EQ(tenant("*a?c", "xabaac!"), "xabaac");
  EXPECT_EQ(tenant("a*b*c", "a1b2b3c4c"), "a1b2b3c");
}

}  // namespace
}  // namespace assay::split
