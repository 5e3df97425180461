// The neutral JSON lines of ../shared/histories, read in the plainest way: independent of src/format, so that
// a mistake there does not hide one here.
#pragma once

#include <string>
#include <vector>

#include "history/history.hpp"
#include "level/level.hpp"

namespace assay {

History read_neutral(const std::string& path);

struct Label {
  std::string path;  // relative to ../shared/histories
  Level level;
  bool satisfies;
};
// The rows of labels.csv about files in one folder with a verdict that is certain; none if the file is not
// there.
std::vector<Label> labels_of(const std::string& folder);
// The same of another file in the format of labels.csv, for all folders.
std::vector<Label> labels_in(const std::string& file);
std::string shared_histories();

}  // namespace assay
