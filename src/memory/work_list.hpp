// Numbered things to do, each in the list at most once: the newest first, or the one of the lowest rank.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace assay {

class WorkList {
 public:
  enum class Next : std::uint8_t { newest, lowest };

  // For things numbered below `size`.
  WorkList(std::size_t size, Next next) : listed_(size, false), next_(next) {}

  bool empty() const { return newest_.empty() && lowest_.empty(); }
  bool by_rank() const { return next_ == Next::lowest; }

  // Nothing happens if it is listed; it then keeps its rank, which counts only if the lowest is taken next.
  void add(std::uint32_t thing, std::uint32_t rank) {
    if (listed_[thing]) return;
    listed_[thing] = true;
    by_rank() ? push_by_rank(thing, rank) : newest_.push_back(thing);
  }

  // Of what is listed now, and as long as nothing is added, the lowest rank(thing) is taken first.
  template <class Rank>
  void sort(Rank rank) {
    if (by_rank()) return;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranked;
    ranked.reserve(newest_.size());
    for (const std::uint32_t thing : newest_) ranked.emplace_back(rank(thing), thing);
    std::sort(ranked.begin(), ranked.end(), std::greater<>());
    for (std::size_t i = 0; i < ranked.size(); ++i) newest_[i] = ranked[i].second;
  }

  // REQUIRES: !empty().
  std::uint32_t take() {
    assert(!empty());
    std::uint32_t thing = 0;
    if (by_rank()) {
      std::pop_heap(lowest_.begin(), lowest_.end(), std::greater<>());
      thing = lowest_.back().second;
      lowest_.pop_back();
    } else {
      thing = newest_.back();
      newest_.pop_back();
    }
    listed_[thing] = false;
    return thing;
  }

 private:
  void push_by_rank(std::uint32_t thing, std::uint32_t rank) {
    lowest_.emplace_back(rank, thing);
    std::push_heap(lowest_.begin(), lowest_.end(), std::greater<>());
  }

  std::vector<bool> listed_;
  Next next_;
  std::vector<std::uint32_t> newest_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lowest_;  // rank and thing
};

}  // namespace assay
