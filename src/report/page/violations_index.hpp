// The pages of a watch on one page: how many violations of each kind there were, and where those are told.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

struct ListedPage {
  std::string file;  // beside the index
  std::string kind;  // empty if it is of an earlier watch
  std::uint64_t number = 0;
};

// HTML that needs nothing else. `counts` are by kind.
std::string violations_index(std::string_view level, const std::map<std::string, std::uint64_t>& counts,
                             const std::vector<ListedPage>& pages);

}  // namespace assay::report
