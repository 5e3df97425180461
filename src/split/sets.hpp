// Numbers 0, 1, 2, … put into sets that grow together (union by size, path halving).
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace assay::split {

class Sets {
 public:
  explicit Sets(std::uint32_t n) : up_(n), size_(n, 1) { std::iota(up_.begin(), up_.end(), 0U); }

  std::uint32_t find(std::uint32_t i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }
  // The one that stands for both from now on.
  std::uint32_t join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return a;
    if (size_[a] < size_[b]) std::swap(a, b);
    up_[b] = a;
    size_[a] += size_[b];
    return a;
  }
  // For each number the number of its set: 0, 1, 2, … in order of their first members.
  std::vector<std::uint32_t> numbered() {
    constexpr std::uint32_t kNone = 0xFFFFFFFFU;
    std::vector<std::uint32_t> number(up_.size(), kNone), result(up_.size());
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < up_.size(); ++i) {
      std::uint32_t& of_set = number[find(i)];
      if (of_set == kNone) of_set = next++;
      result[i] = of_set;
    }
    return result;
  }

 private:
  std::vector<std::uint32_t> up_, size_;
};

}  // namespace assay::split
