// Brings the bytes of a path into memory: a file, every file of a directory, or standard input. Large regular
// files are mapped; small ones and what cannot be mapped (pipes, devices) are read.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/format.hpp"

namespace assay::format {

// The bytes of one file, mapped or read; they stay where they are for the life of the object.
class FileBytes {
 public:
  virtual ~FileBytes() = default;
  virtual std::string_view bytes() const = 0;
};

struct OpenedInput {
  Input input;
  std::vector<std::unique_ptr<FileBytes>> owners;  // of the bytes that `input` shows
};

// "-" is standard input. Throws InputError.
OpenedInput open_input(const std::string& path);

}  // namespace assay::format
