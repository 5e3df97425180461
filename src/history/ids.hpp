// The dense 32-bit names of everything in a history. Each is its own type, so that a transaction cannot be
// passed where a key is meant; index() turns any of them into a subscript.
#pragma once

#include <cstdint>

namespace assay {

enum class Session : std::uint32_t {};
enum class Txn : std::uint32_t {};
enum class Op : std::uint32_t {};
enum class Key : std::uint32_t {};
// A version is one distinct (key, value) pair; several operations may write it.
enum class Version : std::uint32_t {};

// The virtual transaction that wrote the state before the first real one. It precedes all others at every
// level.
inline constexpr Txn kInitialTxn{0xFFFFFFFFU};

template <class Id>
constexpr std::uint32_t index(Id id) {
  return static_cast<std::uint32_t>(id);
}

// A half-open run of consecutive ids, for range-for loops.
template <class Id>
class IdRange {
 public:
  class iterator {
   public:
    constexpr explicit iterator(std::uint32_t at) : at_(at) {}
    constexpr Id operator*() const { return Id{at_}; }
    constexpr iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr bool operator==(const iterator&) const = default;

   private:
    std::uint32_t at_;
  };

  constexpr IdRange(std::uint32_t first, std::uint32_t last) : first_(first), last_(last) {}
  constexpr iterator begin() const { return iterator{first_}; }
  constexpr iterator end() const { return iterator{last_}; }
  constexpr std::uint32_t size() const { return last_ - first_; }
  constexpr bool empty() const { return first_ == last_; }
  constexpr Id operator[](std::uint32_t i) const { return Id{first_ + i}; }

 private:
  std::uint32_t first_;
  std::uint32_t last_;
};

}  // namespace assay
