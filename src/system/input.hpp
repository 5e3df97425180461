// Brings the bytes of a path into memory: a file, every file of a directory, or standard input. They are read
// and not mapped: whoever else writes to the file, what was read stays as it was when it was looked at, and a
// file that becomes shorter is an error and no SIGBUS.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace assay::system {

// The bytes of one file, or of each file of a directory, which somebody else owns.
struct InputFile {
  std::string path;  // as shown to the user
  std::string_view bytes;
};

struct Input {
  std::string path;
  bool directory = false;
  std::vector<InputFile> files;  // of a directory: the regular files in it, sorted by name, not recursive
};

// The bytes of one file; they stay where they are for the life of the object.
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

}  // namespace assay::system
