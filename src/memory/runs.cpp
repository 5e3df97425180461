#include "memory/runs.hpp"

#include <algorithm>
#include <cassert>

namespace assay {

Runs::Runs(std::vector<std::uint32_t> begin) : begin_(std::move(begin)) {
  assert(!begin_.empty() && begin_.front() == 0 && std::is_sorted(begin_.begin(), begin_.end()));
  const std::uint32_t numbers = begin_.back();
  if (numbers == 0) return;
  shift_ = static_cast<std::uint32_t>(std::bit_width(std::max(numbers / size(), 1U))) - 1;
  const std::uint32_t last = (numbers - 1) >> shift_;
  marks_.reserve(last + std::size_t{2});
  std::uint32_t run = 0;
  for (std::uint32_t mark = 0; mark <= last; ++mark) {
    while (begin_[run + std::size_t{1}] <= mark << shift_) ++run;
    marks_.push_back(run);
  }
  while (begin_[run + std::size_t{1}] < numbers) ++run;
  marks_.push_back(run);
}

}  // namespace assay
