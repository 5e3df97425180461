#include "memory/huge_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace assay {
namespace {

// Small ones come from the ordinary allocator, large ones from pages of their own.
constexpr std::size_t kSizes[] = {0, 1, 1000, 100'000, std::size_t{3} << 20};

TEST(ZeroedArray, IsZeroAndHoldsWhatIsWritten) {
  for (const std::size_t size : kSizes) {
    ZeroedArray<std::uint64_t> array(size);
    ASSERT_EQ(array.size(), size);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(array[i], 0U) << i << " of " << size;
    for (std::size_t i = 0; i < size; ++i) array[i] = ~i;
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(array[i], ~i) << i << " of " << size;
  }
}

TEST(ZeroedArray, KeepsWhatIsBehindTheForgottenFront) {
  const std::size_t size = std::size_t{3} << 20;
  ZeroedArray<std::uint64_t> array(size);
  for (std::size_t i = 0; i < size; ++i) array[i] = i;
  for (const std::size_t front : {std::size_t{1}, size / 3, size / 2 + 1, size - 1, size}) {
    array.forget_before(front);
    for (std::size_t i = front; i < size; ++i) ASSERT_EQ(array[i], i);
  }
}

TEST(LargeVector, GrowsAsAVectorDoes) {
  LargeVector<std::uint32_t> grown;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) grown.push_back(i);
  for (std::uint32_t i = 0; i < 1'000'000; ++i) ASSERT_EQ(grown[i], i);
}

TEST(LargeVector, MoreThanThereIsIsRefused) {
  HugePageAllocator<std::uint64_t> allocator;
  EXPECT_THROW(static_cast<void>(allocator.allocate(std::numeric_limits<std::size_t>::max() / 8 + 1)),
               std::bad_alloc);
  EXPECT_THROW(static_cast<void>(allocator.allocate(std::numeric_limits<std::size_t>::max() / 16)),
               std::bad_alloc);
}

}  // namespace
}  // namespace assay
