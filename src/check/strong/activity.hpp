// Variables by how much they had to do with recent conflicts (Moskewicz and others 2001, decaying as in MiniSat): a heap of
// those that may be open, the most active first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay::check {

class Activity {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  // A variable that had no part in a conflict so far is not in the heap.
  void add_variable() {
    activity_.push_back(0);
    place_.push_back(kNone);
  }

  void bump(std::uint32_t v) {
    activity_[v] += increment_;
    if (activity_[v] > kMost) rescale();
    if (place_[v] == kNone) {
      put(v);
    } else {
      rise(place_[v]);
    }
  }
  // After each conflict: what comes later counts for more.
  void decay() { increment_ /= kDecay; }

  // It is open again.
  void put_back(std::uint32_t v) {
    if (activity_[v] > 0 && place_[v] == kNone) put(v);
  }
  bool empty() const { return heap_.empty(); }
  // REQUIRES: !empty().
  std::uint32_t take_most_active() {
    const std::uint32_t v = heap_.front();
    place_[v] = kNone;
    const std::uint32_t last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      heap_[0] = last;
      place_[last] = 0;
      sink(0);
    }
    return v;
  }

 private:
  static constexpr double kDecay = 0.95, kMost = 1e100;

  void put(std::uint32_t v) {
    place_[v] = static_cast<std::uint32_t>(heap_.size());
    heap_.push_back(v);
    rise(place_[v]);
  }
  void rise(std::size_t i) {
    for (; i > 0 && activity_[heap_[i]] > activity_[heap_[(i - 1) / 2]]; i = (i - 1) / 2)
      exchange(i, (i - 1) / 2);
  }
  void sink(std::size_t i) {
    for (std::size_t child = 2 * i + 1; child < heap_.size(); child = 2 * i + 1) {
      if (child + 1 < heap_.size() && activity_[heap_[child + 1]] > activity_[heap_[child]]) ++child;
      if (activity_[heap_[child]] <= activity_[heap_[i]]) return;
      exchange(i, child);
      i = child;
    }
  }
  void exchange(std::size_t a, std::size_t b) {
    std::swap(heap_[a], heap_[b]);
    place_[heap_[a]] = static_cast<std::uint32_t>(a);
    place_[heap_[b]] = static_cast<std::uint32_t>(b);
  }
  void rescale() {
    for (double& a : activity_) a /= kMost;
    increment_ /= kMost;
  }

  std::vector<double> activity_;
  std::vector<std::uint32_t> place_;  // in heap_, or kNone
  std::vector<std::uint32_t> heap_;
  double increment_ = 1;
};

}  // namespace assay::check
