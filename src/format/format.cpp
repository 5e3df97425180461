#include "format/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "format/assay/jsonl.hpp"
#include "format/assay/packed.hpp"
#include "format/awdit.hpp"
#include "format/cobra/cobra.hpp"
#include "format/compressed.hpp"
#include "format/dbcop/dbcop.hpp"
#include "format/dbcop/dbcop_dsl.hpp"
#include "format/dbcop/dbcop_json.hpp"
#include "format/jepsen/elle_edn.hpp"
#include "format/jepsen/elle_json.hpp"
#include "format/non_history.hpp"
#include "format/plume.hpp"
#include "format/viper.hpp"
#include "system/input.hpp"
#include "system/input_error.hpp"

namespace assay::format {

namespace {

constexpr Format kFormats[] = {
    {"packed", "Assay's own binary format: columns, compressed and checksummed", false, sniff_packed,
     read_packed, write_packed},
    {"jsonl", "Assay's own JSON lines: one transaction per line", false, sniff_jsonl, read_jsonl,
     write_jsonl},
    {"cobra", "Cobra logs: a directory of T<n>.log", true, sniff_cobra, read_cobra, write_cobra},
    {"dbcop", "dbcop bincode: history.bincode", false, sniff_dbcop, read_dbcop, write_dbcop},
    {"text", "Plume, PolySI and IsoVista text: r(key,value,session,txn)", false, sniff_text, read_text,
     write_text},
    {"viper", "Viper JSON: a directory of J<n>.log", true, sniff_viper, read_viper, nullptr},
    {"edn", "Jepsen and Elle EDN: rw-register or list-append", false, sniff_elle_edn, read_elle_edn,
     write_elle_edn},
    {"elle-json", "elle-cli JSON: the same as JSON", false, sniff_elle_json, read_elle_json, nullptr},
    {"dbcop-json", "dbcop (2025) JSON: sessions, transactions, events", false, sniff_dbcop_json,
     read_dbcop_json, write_dbcop_json},
    {"dbcop-dsl", "dbcop (2025) DSL: [x:=1 y==2] lines", false, sniff_dbcop_dsl, read_dbcop_dsl,
     write_dbcop_dsl},
    {"awdit", "AWDIT test text: r key value, ----- between transactions, ===== between sessions", false,
     sniff_awdit, read_awdit, write_awdit},
};

std::string names_of_formats() {
  std::vector<std::string_view> names;
  for (const Format& format : kFormats) names.push_back(format.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const Format& format_named(std::string_view name, const std::string& path) {
  const Format* format = find_format(name);
  if (format == nullptr) {
    throw InputError(path, "",
                     fmt::format("there is no format '{}'; the formats are {}", name, names_of_formats()));
  }
  return *format;
}

// The first bytes as a person can read them in an error.
std::string shown(std::string_view bytes) {
  std::string out;
  for (const char c : bytes.substr(0, 24)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return out;
}

std::string file_names(const Input& input) {
  std::string out;
  const std::size_t some = std::min<std::size_t>(input.files.size(), 3);
  for (std::size_t i = 0; i < some; ++i) {
    out += (i == 0 ? "" : ", ") + std::filesystem::path(input.files[i].path).filename().string();
  }
  return out + (input.files.size() > some ? ", …" : "");
}

const Format* sniffed(const Input& input) {
  for (const Format& format : kFormats) {
    if (format.sniff(input)) return &format;
  }
  return nullptr;
}

// A directory that holds nothing but one file (as dbcop's hist-00000/history.bincode) stands for that file.
Input only_file(const Input& directory) {
  return {directory.files.front().path, false, directory.files};
}

[[noreturn]] void no_match(const Input& input) {
  if (input.directory) {
    throw NoFormatMatches(
        input.path, "",
        fmt::format("no format matches the files of this directory ({}); tried {}; name one of "
                    "them to read it as such",
                    file_names(input), names_of_formats()));
  }
  throw NoFormatMatches(
      input.path, "byte 0",
      fmt::format(
          "no format matches, the file starts with \"{}\"; tried {}; name one of them to read it as such",
          shown(input.files.front().bytes), names_of_formats()));
}

History read_as(const Format& format, const Input& input, const ReadOptions& options) {
  if (format.directory && !input.directory) {
    throw InputError(
        input.path, "",
        fmt::format("this is one session of a history in format {}, which is a directory of files: "
                    "give the directory",
                    format.name));
  }
  try {
    return format.read(input, options);
  } catch (const std::length_error& error) {  // a builder's limits
    throw InputError(input.path, "", error.what());
  }
}

History read_plain(const Input& input, const ReadOptions& options, std::optional<std::string_view> format) {
  if (format) return read_as(format_named(*format, input.path), input, options);
  if (!input.directory) {
    if (input.files.front().bytes.empty()) throw InputError(input.path, "byte 0", "the file is empty");
    if (const auto other = known_non_history(input.files.front().bytes)) {
      throw InputError(input.path, "byte 0", std::string(*other));
    }
  }
  if (const Format* found = sniffed(input)) return read_as(*found, input, options);
  no_match(input);
}

}  // namespace

std::span<const Format> formats() {
  return kFormats;
}

const Format* find_format(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& f) { return f.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

History read_history(const std::string& path, const ReadOptions& options,
                     std::optional<std::string_view> format) {
  if (format) format_named(*format, path);  // a misspelt name before a long read
  const system::OpenedInput opened = system::open_input(path);
  return read_history(opened.input, options, format);
}

History read_history(const Input& input, const ReadOptions& options, std::optional<std::string_view> format) {
  if (input.files.empty()) throw InputError(input.path, "", "the directory holds no files");
  const Format* const named = format ? &format_named(*format, input.path) : nullptr;
  if (input.directory) {
    const bool for_its_file = named != nullptr ? !named->directory : sniffed(input) == nullptr;
    if (for_its_file && input.files.size() == 1) return read_history(only_file(input), options, format);
    if (for_its_file && named != nullptr) {
      throw InputError(input.path, "",
                       fmt::format("format {} is one file, and this is a directory with {} ({})", named->name,
                                   input.files.size(), file_names(input)));
    }
    return read_plain(input, options, format);
  }
  const system::InputFile& file = input.files.front();
  if (!is_compressed(file.bytes)) return read_plain(input, options, format);
  const Unpacked content = unpack(file, most_to_unpack());
  return read_plain({input.path, false, {{file.path, content.bytes()}}}, options, format);
}

void write_history(const History& history, const std::filesystem::path& path, std::string_view format) {
  const Format& named = format_named(format, path.string());
  if (named.write == nullptr) {
    throw InputError(path.string(), "",
                     fmt::format("Assay reads format {} but does not write it", named.name));
  }
  named.write(history, path);
}

}  // namespace assay::format
