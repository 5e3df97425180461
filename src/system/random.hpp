// The randomness of everything that is generated: xoshiro256** (Blackman and Vigna 2018) seeded through
// splitmix64, and integer arithmetic only. A seed gives the same history on every machine and with every
// compiler, which the distributions of the standard library do not promise.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

namespace assay::system {

// A probability as a 32-bit fraction: scaling a double by a power of two is exact, so the comparison is the
// same everywhere.
class Share {
 public:
  Share() = default;
  // REQUIRES: 0 <= probability <= 1.
  explicit Share(double probability) : threshold_(static_cast<std::uint64_t>(probability * 4294967296.0)) {
    assert(probability >= 0 && probability <= 1);
  }
  bool covers(std::uint32_t draw) const { return draw < threshold_; }

 private:
  std::uint64_t threshold_ = 0;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9E3779B97F4A7C15ULL;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), without bias. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    assert(bound > 0);
    if (bound > UINT32_MAX) return below_large(bound);
    // Lemire 2019: multiply instead of divide; the rare biased low part is drawn again.
    const auto narrow = static_cast<std::uint32_t>(bound);
    std::uint64_t product = high_half() * bound;
    if (static_cast<std::uint32_t>(product) < narrow) {
      const std::uint32_t biased = (0U - narrow) % narrow;
      while (static_cast<std::uint32_t>(product) < biased) product = high_half() * bound;
    }
    return product >> 32;
  }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(below(std::uint64_t{bound})); }

  bool chance(Share share) { return share.covers(static_cast<std::uint32_t>(high_half())); }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
  std::uint64_t high_half() { return next() >> 32; }
  std::uint64_t below_large(std::uint64_t bound) {
    std::uint64_t mask = bound - 1;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    while (true) {
      const std::uint64_t draw = next() & mask;
      if (draw < bound) return draw;
    }
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace assay::system
