#include "format/assay/jsonl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/assay/jsonl_lines.hpp"
#include "format/cut_off.hpp"
#include "format/initial.hpp"
#include "format/single_file.hpp"
#include "format/text/json_cursor.hpp"
#include "history/open_tables.hpp"
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

namespace {

// Whether a line that no end of line follows is more than the beginning of one.
bool is_whole(std::string_view line) {
  std::size_t open = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text && c == '\\')
      ++i;
    else if (c == '"')
      in_text = !in_text;
    else if (!in_text && (c == '{' || c == '['))
      ++open;
    else if (!in_text && (c == '}' || c == ']') && open > 0)
      --open;
  }
  return open == 0 && !in_text;
}

}  // namespace

History read_jsonl(const Input& input, const ReadOptions& options) {
  const InputFile& file = single_file(input);
  JsonlLines lines(file.path, options.initial);
  const char* at = file.bytes.data();
  const char* const end = at + file.bytes.size();
  while (at != end) {
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const char* const line_end = newline != nullptr ? newline : end;
    const std::string_view line(at, static_cast<std::size_t>(line_end - at));
    if (newline == nullptr && lines.header() && !is_whole(line)) break;
    lines.add(line);
    at = newline != nullptr ? newline + 1 : end;
  }
  if (!lines.any_line())
    throw InputError(file.path, "", "the file is empty: expected one transaction per line");
  const bool cut_off = lines.header() && !lines.ended();
  const std::string cut_at = fmt::format("line {}", lines.line_number() + 1);
  if (cut_off && !options.accept_truncated)
    throw CutOff(file.path, cut_at,
                 "the file was cut off: it has a header but no line {\"assay\":\"end\",...}");
  const std::optional<Session> first = lines.first_session();
  History history = lines.finish(file.path);
  if (cut_off) history = without_what_is_missing(history, cut_at);
  if (!lines.open_tables().empty()) history = without_unseen(history, lines.open_tables());
  if (options.initial != Initial::first_transaction || history.transactions() == 0) return history;
  return fold_initial_transaction(history, history.transactions_of(*first)[0]);
}

}  // namespace assay::format
