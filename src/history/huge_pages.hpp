// Large arrays that are visited at random spend more time on address translation than on anything else.
// Asking the system for 2 MiB pages removes most of it; where it does not grant them, nothing changes but the
// speed.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace assay {

// Advises huge pages for memory that is allocated but not yet touched.
void prefer_huge_pages(void* begin, std::size_t bytes);

// Zero-filled memory; on huge pages if it is large. Throws std::bad_alloc.
void* allocate_zeroed(std::size_t bytes);
void free_zeroed(void* begin, std::size_t bytes);

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

 private:
  struct Free {
    std::size_t n = 0;
    void operator()(Value* values) const { free_zeroed(values, n * sizeof(Value)); }
  };
  std::unique_ptr<Value, Free> values_;
};

}  // namespace assay
