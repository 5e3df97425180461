// A recording that ends, or is damaged, before its end: what is whole of it can be read by who accepts that
// (ReadOptions::accept_truncated).
#pragma once

#include "system/input_error.hpp"

namespace assay::format {

class CutOff : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace assay::format
