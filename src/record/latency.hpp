// How long transactions took, in few bytes whatever their number: counts in buckets of which 32 lie between
// each power of two and the next, so that a percentile is right to about 3 %.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace assay::record {

class Latencies {
 public:
  void add(std::chrono::nanoseconds taken) {
    ++buckets_[bucket(static_cast<std::uint64_t>(taken.count() < 0 ? 0 : taken.count()))];
    ++count_;
  }
  void add(const Latencies& other) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
  }
  std::uint64_t count() const { return count_; }
  // In seconds: of so many transactions out of 100, none took longer. 0 if there are none.
  double percentile(double percent) const {
    const double rank = percent / 100 * static_cast<double>(count_);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      below += buckets_[i];
      if (below != 0 && static_cast<double>(below) >= rank) return static_cast<double>(upper(i)) * 1e-9;
    }
    return 0;
  }

 private:
  static constexpr unsigned kFine = 5;  // 2^kFine buckets between two powers of two

  static std::size_t bucket(std::uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    if (width <= kFine + 1) return value;
    const unsigned shift = width - kFine - 1;
    return (std::size_t{shift} << kFine) + (value >> shift);
  }
  static std::uint64_t upper(std::size_t index) {
    if (index < (std::size_t{2} << kFine)) return index;
    const std::size_t shift = (index >> kFine) - 1;
    const std::uint64_t leading = (index & ((std::size_t{1} << kFine) - 1)) + (std::size_t{1} << kFine);
    return ((leading + 1) << shift) - 1;
  }

  std::array<std::uint64_t, std::size_t{60} << kFine> buckets_{};
  std::uint64_t count_ = 0;
};

}  // namespace assay::record
