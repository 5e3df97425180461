// A recording that ends, or is damaged, before its end: what is whole of it can be read by who accepts that
// (ReadOptions::accept_truncated).
#pragma once

#include <string>

#include "history/history.hpp"
#include "system/input_error.hpp"

namespace assay::format {

class CutOff : public InputError {
 public:
  using InputError::InputError;
};

// What the beginning of a recording proves by itself. Whoever is missing may have written what nobody here wrote, and
// deleted what somebody here wrote: reads that this would explain are left out, and queries become the rows that
// they returned. What is left over is a part of every whole history that begins so: if that keeps a level, this does.
// Values that repeat are taken for such only if they do here. `where` says where it was cut off, for a note.
History without_what_is_missing(const History& beginning, const std::string& where);

}  // namespace assay::format
