#include "format/non_history.hpp"

#include <algorithm>

namespace assay::format {

namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view start;
  std::string_view is;
};

constexpr Signature kSignatures[] = {
    {"\x1f\x8b"sv, "this is a gzip file that cannot be unpacked here: unpack it first"},
    {"PK\x03\x04"sv, "this is a zip archive, not a history: unpack it first"},
    {"\x28\xb5\x2f\xfd"sv, "this is a zstd file in a compressed one: unpack it first"},
    {"\xfd"
     "7zXZ\0"sv,
     "this is an xz file, not a history: unpack it first"},
    {"BZh"sv, "this is a bzip2 file, not a history: unpack it first"},
    {"SQLite format 3\0"sv, "this is an SQLite database, not a history of one"},
    {"\x7f"
     "ELF"sv,
     "this is a program, not a history"},
};

// A line of a Cobra polygraph dump: n:<nodes>, e:<a>,<b> or c:<a>,<b>|<c>,<d>…
bool polygraph_line(std::string_view line) {
  if (line.size() < 3 || line[1] != ':') return false;
  if (line[0] != 'n' && line[0] != 'e' && line[0] != 'c') return false;
  return std::all_of(line.begin() + 2, line.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == ',' || c == '|' || c == '\r'; });
}

}  // namespace

std::optional<std::string_view> known_non_history(std::string_view bytes) {
  for (const Signature& signature : kSignatures) {
    if (bytes.substr(0, signature.start.size()) == signature.start) return signature.is;
  }
  if (polygraph_line(bytes.substr(0, bytes.substr(0, 4096).find('\n')))) {
    return "this is a Cobra polygraph dump, a solver's input and not a history: give the logs it was made "
           "from";
  }
  return std::nullopt;
}

}  // namespace assay::format
