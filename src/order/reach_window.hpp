// Who reaches whom, within a window of a topological order: for each position, one bit for each of the positions that follow it
// up to the end of the window. Filled from the last position to the first. Linear in the nodes: only the rows of one
// window are kept, so memory is the square of the window in bits, however long the order is.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::order {

class ReachWindow {
 public:
  // `window`: how many positions ahead are looked at, rounded up to whole words; at least one word.
  explicit ReachWindow(std::uint32_t window)
      : words_(window / kBits + (window % kBits != 0 ? 2 : 1)), bits_(std::size_t{rows()} * words_) {}

  // Whether `to` is near enough behind `from` to be in its row.
  bool sees(std::uint32_t from, std::uint32_t to) const {
    return to > from && to / kBits - from / kBits < words_;
  }
  // REQUIRES: open(from) was the last but less than a window of calls ago.
  bool reaches(std::uint32_t from, std::uint32_t to) const {
    return sees(from, to) && (row(from)[to / kBits - from / kBits] >> (to % kBits) & 1U) != 0;
  }

  // Begins the row of a position. REQUIRES: called for every position, in descending order.
  void open(std::uint32_t position) {
    std::uint64_t* own = row(position);
    for (std::uint32_t i = 0; i < words_; ++i) own[i] = 0;
  }
  // There is an edge: `from` reaches `to` and all that it reaches. REQUIRES: sees(from, to).
  void join(std::uint32_t from, std::uint32_t to) {
    assert(sees(from, to));
    const std::uint32_t ahead = to / kBits - from / kBits;
    std::uint64_t* own = row(from) + ahead;
    const std::uint64_t* other = row(to);
    for (std::uint32_t i = 0; i < words_ - ahead; ++i) own[i] |= other[i];
    *own |= std::uint64_t{1} << (to % kBits);
  }

 private:
  static constexpr std::uint32_t kBits = 64;

  std::uint32_t rows() const { return words_ * kBits; }  // as many as a position can see, and itself
  std::uint64_t* row(std::uint32_t position) {
    return bits_.data() + std::size_t{position % rows()} * words_;
  }
  const std::uint64_t* row(std::uint32_t position) const {
    return bits_.data() + std::size_t{position % rows()} * words_;
  }

  std::uint32_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace assay::order
