// The formats a history can be read from and written to. Each lives in one file; this table is all the rest
// of Assay sees. Reading sniffs the content, never the file name, unless the caller names a format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/read_options.hpp"
#include "history/history.hpp"
#include "system/input.hpp"
#include "system/input_error.hpp"

namespace assay::format {

struct Format {
  std::string_view name;         // by which a caller names it
  std::string_view description;  // one line for help texts
  bool directory;                // a history is a directory of files
  // Cheap: looks at a few kilobytes. True means "this is meant to be my format", not "this is valid".
  bool (*sniff)(const Input&);
  // Throws InputError.
  History (*read)(const Input&, const ReadOptions&);
  // nullptr where Assay does not write the format. Writes to `path` (a file, or a directory that it creates).
  // Throws InputError if the history has something that the format cannot express.
  void (*write)(const History&, const std::filesystem::path& path);
};

// The content is like no format, so that whoever asks must name one.
class NoFormatMatches : public InputError {
 public:
  using InputError::InputError;
};

// In the order in which they are sniffed: the most recognisable first.
std::span<const Format> formats();
const Format* find_format(std::string_view name);

// Reads a history; `format` forces one by name. "-" is standard input. Throws InputError.
History read_history(const std::string& path, const ReadOptions& options = {},
                     std::optional<std::string_view> format = std::nullopt);
// Reads from memory, for tests and fuzzers. `name` stands for the path in errors.
History read_history(const Input& input, const ReadOptions& options = {},
                     std::optional<std::string_view> format = std::nullopt);

void write_history(const History& history, const std::filesystem::path& path, std::string_view format);

}  // namespace assay::format
