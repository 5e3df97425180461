// The one file of an input whose format is not a directory.
#pragma once

#include "format/read_options.hpp"
#include "system/input_error.hpp"

namespace assay::format {

inline const InputFile& single_file(const Input& input) {
  if (input.directory) throw InputError(input.path, "", "this is a directory, but the format is one file");
  if (input.files.size() != 1) throw InputError(input.path, "", "expected one file");
  return input.files[0];
}

}  // namespace assay::format
