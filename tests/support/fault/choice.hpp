// Which of a program's calls to fail when there are too many to try them all: the first ones, which set things up,
// and a drawn part of the others. ASSAY_RANDOM_CASES says how many in all; enough of them is every call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

namespace assay::testing {

// Of the calls 1 to `made`; one more, which nobody meets, comes last.
inline std::vector<std::uint64_t> calls_to_fail(std::uint64_t made, std::uint64_t most,
                                                std::mt19937_64& random) {
  std::vector<std::uint64_t> all(made), chosen;
  for (std::uint64_t n = 0; n < made; ++n) all[n] = n + 1;
  const std::uint64_t first = std::min(most / 4, made);
  const auto rest = all.begin() + static_cast<std::ptrdiff_t>(first);
  chosen.assign(all.begin(), rest);
  std::sample(rest, all.end(), std::back_inserter(chosen), most - std::min(most, first), random);
  chosen.push_back(made + 1);
  return chosen;
}

}  // namespace assay::testing
