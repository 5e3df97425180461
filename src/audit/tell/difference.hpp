// Where two texts first differ, and what stands there: enough to see it, however long they are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::audit {

struct Difference {
  std::size_t line = 1, column = 1;  // of the first byte that differs, in both
  std::vector<std::string> before;   // a few lines that are the same in both
  std::string expected, found;       // that line of each, or the part of it around the place; can be printed
  std::size_t mark = 0;              // where in them it is, in characters
};

// Nothing if they are the same.
std::optional<Difference> first_difference(std::string_view expected, std::string_view found);

}  // namespace assay::audit
