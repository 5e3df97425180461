// What the process that checked one of several histories tells the one that asked, through a pipe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/junit.hpp"

namespace assay::cli {

struct Told {
  std::string verdict = {};      // in a part of a line: "violated: lost update"
  std::string annotations = {};  // each a line
  std::string json = {};         // one object
  report::Suite suite = {};
  std::string failure = {};  // instead of all the others: why there is no verdict

  std::string packed() const;
  // Nothing if these are other bytes, or not all of them.
  static std::optional<Told> unpacked(std::string_view bytes);
};

}  // namespace assay::cli
