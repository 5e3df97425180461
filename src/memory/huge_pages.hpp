// Large arrays that are visited at random spend more time on address translation than on anything else.
// Asking the system for 2 MiB pages removes most of it; where it does not grant them, nothing changes but the
// speed.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace assay {

// Zero-filled memory; on huge pages if it is large. Throws std::bad_alloc.
void* allocate_zeroed(std::size_t bytes);
void free_zeroed(void* begin, std::size_t bytes);
// Gives what memory it can of the first `done` bytes back early; nobody may read them any more.
void forget_front(void* begin, std::size_t bytes, std::size_t done);

// For the vectors of a check that are large and visited at random.
template <class Value>
struct HugePageAllocator {
  using value_type = Value;

  HugePageAllocator() = default;
  template <class Other>
  HugePageAllocator(const HugePageAllocator<Other>& /*other*/) {}

  Value* allocate(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(Value)) throw std::bad_array_new_length();
    return static_cast<Value*>(allocate_zeroed(n * sizeof(Value)));
  }
  void deallocate(Value* values, std::size_t n) { free_zeroed(values, n * sizeof(Value)); }
  bool operator==(const HugePageAllocator&) const = default;
};
template <class Value>
using LargeVector = std::vector<Value, HugePageAllocator<Value>>;

// A fixed number of zero-filled plain values.
template <class Value>
class ZeroedArray {
 public:
  static_assert(std::is_trivially_destructible_v<Value>);

  ZeroedArray() = default;
  explicit ZeroedArray(std::size_t n)
      : values_(static_cast<Value*>(allocate_zeroed(n * sizeof(Value))), Free{n}) {}

  std::size_t size() const { return values_ ? values_.get_deleter().n : 0; }
  Value& operator[](std::size_t i) { return values_.get()[i]; }
  const Value& operator[](std::size_t i) const { return values_.get()[i]; }
  // Nobody will ask for the values before i any more.
  void forget_before(std::size_t i) {
    forget_front(values_.get(), size() * sizeof(Value), i * sizeof(Value));
  }

 private:
  struct Free {
    std::size_t n = 0;
    void operator()(Value* values) const { free_zeroed(values, n * sizeof(Value)); }
  };
  std::unique_ptr<Value, Free> values_;
};

}  // namespace assay
