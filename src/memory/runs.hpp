// Numbers 0, 1, 2, … cut into consecutive runs: the versions of each key, the writes of each key. Where a run
// begins is a look-up; so is, nearly, which run a number lies in: the run of every 2^s-th number is kept, and
// between two of those few runs begin. That table has about as many entries as there are runs, so it stays in
// the cache where an entry per number would not, and takes a fraction of the memory.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay {

class Runs {
 public:
  Runs() = default;
  // Where each run begins, and where the last one ends. REQUIRES: begins with 0 and never falls.
  explicit Runs(std::vector<std::uint32_t> begin);

  std::uint32_t size() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  // The first number of a run; of size(): how many numbers there are.
  std::uint32_t operator[](std::size_t run) const { return begin_[run]; }

  // REQUIRES: number < (*this)[size()].
  std::uint32_t run_of(std::uint32_t number) const {
    assert(number < begin_.back());
    const std::size_t mark = number >> shift_;
    std::uint32_t low = marks_[mark], high = marks_[mark + 1];
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (begin_[middle] <= number ? low : high) = middle;
    }
    // Where low == high the next run begins behind the next mark.
    return low + (begin_[low + std::size_t{1}] <= number ? 1 : 0);
  }

  std::size_t resident_bytes() const {
    return (begin_.capacity() + marks_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  std::vector<std::uint32_t> begin_{0};
  std::vector<std::uint32_t> marks_;  // number >> shift_ -> the run that holds the first such number
  std::uint32_t shift_ = 0;
};

}  // namespace assay
