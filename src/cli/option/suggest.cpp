#include "cli/option/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace assay::cli {

namespace {

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kLongest = 64;  // nothing longer is a typo of ours
  if (word.empty() || word.size() > kLongest) return "";
  const std::string* best = nullptr;
  std::size_t least = 0;
  for (const std::string& candidate : known) {
    // A beginning is as good as one mistake.
    const std::size_t d = word.size() >= 3 && candidate.starts_with(word) ? 1 : distance(word, candidate);
    if (best == nullptr || d < least) {
      best = &candidate;
      least = d;
    }
  }
  if (best == nullptr || least > std::max<std::size_t>(1, best->size() / 3)) return "";
  return fmt::format(" (did you mean '{}'?)", *best);
}

}  // namespace assay::cli
