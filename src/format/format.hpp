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

#include "history/history.hpp"

namespace assay::format {

// How an input shows the state before its first transaction, where the format leaves it open.
enum class Initial : std::uint8_t {
  automatic,          // what the format's own description says
  zero,               // reading 0 is reading the initial state
  first_transaction,  // the first transaction of the input wrote it
  none,               // there is no initial state: every value read must have been written
};

// What a failed statement inside a transaction that reports success says about the transaction.
enum class FailedStatements : std::uint8_t {
  drop,     // the statement did not happen, the rest did
  unknown,  // the fate of the whole transaction is unknown: it counts only if somebody read from it
};

struct ReadOptions {
  Initial initial = Initial::automatic;
  FailedStatements failed_statements = FailedStatements::unknown;
  // Of a recording that was cut off, take the part that is whole instead of refusing it; a note says what is
  // missing.
  bool accept_truncated = false;
};

// What a reader is given: the bytes of one file, or of each file of a directory, mapped into memory.
struct InputFile {
  std::string path;  // as shown to the user
  std::string_view bytes;
};

struct Input {
  std::string path;
  bool directory = false;
  std::vector<InputFile> files;  // of a directory: the regular files in it, sorted by name, not recursive
};

struct Format {
  std::string_view name;         // for --format
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
