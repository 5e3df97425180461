#include "format/assay/jsonl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "format/assay/jsonl_lines.hpp"
#include "format/initial.hpp"
#include "format/single_file.hpp"
#include "format/text/json_cursor.hpp"
#include "system/input_error.hpp"

namespace assay::format {

bool sniff_jsonl(const Input& input) {
  if (input.directory || input.files.size() != 1) return false;
  const std::vector<std::string> fields = first_object_fields(input.files[0].bytes);
  const auto has = [&](std::string_view name) {
    return std::find(fields.begin(), fields.end(), name) != fields.end();
  };
  return (!fields.empty() && fields[0] == "assay") || has("ops") || (has("s") && has("t"));
}

History read_jsonl(const Input& input, const ReadOptions& options) {
  const InputFile& file = single_file(input);
  JsonlLines lines(file.path, options.initial);
  const char* at = file.bytes.data();
  const char* const end = at + file.bytes.size();
  while (at != end) {
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const char* const line_end = newline != nullptr ? newline : end;
    lines.add({at, static_cast<std::size_t>(line_end - at)});
    at = newline != nullptr ? newline + 1 : end;
  }
  if (!lines.any_line())
    throw InputError(file.path, "", "the file is empty: expected one transaction per line");
  if (lines.header() && !lines.ended()) {
    throw InputError(file.path, fmt::format("line {}", lines.line_number() + 1),
                     "the file was cut off: it has a header but no line {\"assay\":\"end\",...}");
  }
  const std::optional<Session> first = lines.first_session();
  History history = lines.finish(file.path);
  if (options.initial != Initial::first_transaction || history.transactions() == 0) return history;
  return fold_initial_transaction(history, history.transactions_of(*first)[0]);
}

}  // namespace assay::format
