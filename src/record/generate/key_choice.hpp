// Which key an operation touches: uniform, zipf, or a hot spot. Constant time per draw, integers only (see
// random.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "system/random.hpp"

namespace assay::record {

struct KeyDistribution {
  enum class Kind : std::uint8_t { uniform, zipf, hotspot } kind = Kind::uniform;
  double theta = 0.99;      // zipf: the i-th key (from 1) is drawn in proportion to i^-theta; 0 is uniform
  double hot_keys = 0.2;    // hotspot: this share of the keys ...
  double hot_access = 0.8;  // ... gets this share of the operations
};

class KeyChoice {
 public:
  // REQUIRES: keys > 0, 0 <= theta <= 8, shares between 0 and 1.
  KeyChoice(std::uint32_t keys, const KeyDistribution& distribution);
  std::uint32_t draw(system::Random& random) const;

 private:
  void build_alias_table(double theta);

  KeyDistribution::Kind kind_;
  std::uint32_t keys_;
  std::uint32_t hot_ = 0;
  system::Share hot_access_;
  // Walker's alias method: column i keeps i for draws below threshold, else gives its alias.
  struct Column {
    std::uint64_t threshold;
    std::uint32_t alias;
  };
  std::vector<Column> columns_;
  std::uint64_t column_height_ = 0;
};

}  // namespace assay::record
