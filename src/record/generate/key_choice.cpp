#include "record/generate/key_choice.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace assay::record {

namespace {

// i^-theta in units of 2^-32, by integers alone: the power functions of mathematical libraries differ in
// their last bits, and one such bit would give another history for the same seed.
class InversePower {
 public:
  explicit InversePower(double theta) : theta_(static_cast<std::uint64_t>(theta * 1048576.0)) {
    // roots_[k] = 2^-(2^-(k+1)), as a fraction of 2^32: each is the square root of the one before.
    std::uint64_t square = std::uint64_t{1} << 63;
    for (std::uint64_t& root : roots_) {
      root = square_root(square);
      square = root << 32;
    }
  }

  std::uint64_t operator()(std::uint32_t i) const {
    // theta < 2^24 and the logarithm < 2^37 in units of 2^-32 fit 64 bits together.
    const std::uint64_t exponent = (theta_ * log2(i)) >> 20;
    const std::uint64_t whole = exponent >> 32;
    if (whole >= 32) return 1;
    std::uint64_t power = std::uint64_t{1} << 32;
    for (std::size_t k = 0; k < roots_.size(); ++k) {
      if ((exponent >> (31 - k) & 1) != 0) power = (power * roots_[k]) >> 32;
    }
    return std::max<std::uint64_t>(power >> whole, 1);
  }

 private:
  static std::uint64_t square_root(std::uint64_t n) {
    std::uint64_t root = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1) {
      if ((root | bit) * (root | bit) <= n) root |= bit;
    }
    return root;
  }

  // In units of 2^-32: one bit per squaring of the mantissa.
  static std::uint64_t log2(std::uint32_t i) {
    const auto whole = static_cast<std::uint64_t>(std::bit_width(i) - 1);
    std::uint64_t mantissa = std::uint64_t{i} << (31 - whole);  // [1, 2) in units of 2^-31
    std::uint64_t fraction = 0;
    for (int bit = 0; bit < 32; ++bit) {
      mantissa = (mantissa * mantissa) >> 31;
      fraction <<= 1;
      if (mantissa >> 32 != 0) {
        fraction |= 1;
        mantissa >>= 1;
      }
    }
    return whole << 32 | fraction;
  }

  std::uint64_t theta_;
  std::array<std::uint64_t, 32> roots_{};
};

}  // namespace

KeyChoice::KeyChoice(std::uint32_t keys, const KeyDistribution& distribution)
    : kind_(distribution.kind), keys_(keys), hot_access_(distribution.hot_access) {
  if (kind_ == KeyDistribution::Kind::zipf) build_alias_table(distribution.theta);
  if (kind_ == KeyDistribution::Kind::hotspot) {
    hot_ = static_cast<std::uint32_t>(static_cast<double>(keys) * distribution.hot_keys);
    hot_ = std::clamp<std::uint32_t>(hot_, 1, keys);
  }
}

// Vose's construction, in units of 1/keys of the total weight, so that it divides nothing.
void KeyChoice::build_alias_table(double theta) {
  const InversePower weight(theta);
  columns_.resize(keys_);
  for (std::uint32_t k = 0; k < keys_; ++k) {
    const std::uint64_t w = weight(k + 1);
    columns_[k] = {w * keys_, k};  // below 2^63: a weight is at most 2^32 and there are fewer than 2^31 keys
    column_height_ += w;
  }
  std::vector<std::uint32_t> small, large;
  for (std::uint32_t k = 0; k < keys_; ++k)
    (columns_[k].threshold < column_height_ ? small : large).push_back(k);
  while (!small.empty() && !large.empty()) {
    const std::uint32_t s = small.back();
    const std::uint32_t l = large.back();
    small.pop_back();
    columns_[s].alias = l;
    columns_[l].threshold -= column_height_ - columns_[s].threshold;
    if (columns_[l].threshold < column_height_) {
      large.pop_back();
      small.push_back(l);
    }
  }
}

std::uint32_t KeyChoice::draw(system::Random& random) const {
  switch (kind_) {
    case KeyDistribution::Kind::uniform:
      break;
    case KeyDistribution::Kind::zipf: {
      const std::uint32_t k = random.below(keys_);
      return random.below(column_height_) < columns_[k].threshold ? k : columns_[k].alias;
    }
    case KeyDistribution::Kind::hotspot:
      if (random.chance(hot_access_) || hot_ == keys_) return random.below(hot_);
      return hot_ + random.below(keys_ - hot_);
  }
  return random.below(keys_);
}

}  // namespace assay::record
