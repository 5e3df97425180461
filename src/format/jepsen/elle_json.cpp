#include "format/jepsen/elle_json.hpp"

#include <algorithm>

#include "format/jepsen/jepsen.hpp"
#include "format/single_file.hpp"
#include "format/text/json_cursor.hpp"

namespace assay::format {

namespace {

constexpr int kMostDepth = 128;
constexpr std::size_t kMostNodes = std::size_t{1} << 24;

void read_form(JsonCursor& json, Forms& forms, int depth) {
  if (depth > kMostDepth) json.fail("nested more than 128 deep");
  if (forms.size() >= kMostNodes) json.fail("one operation has more than 16,777,216 parts");
  const char c = json.peek();
  const auto node = static_cast<std::uint32_t>(forms.size());
  forms.emplace_back().offset = json.offset();
  if (c == '{') {
    forms[node].kind = FormKind::map;
    json.object([&](std::string_view name) {
      Form& key = forms.emplace_back();
      key.kind = FormKind::string;
      key.offset = json.offset();
      key.text = name;
      key.end = static_cast<std::uint32_t>(forms.size());
      read_form(json, forms, depth + 1);
    });
  } else if (c == '[') {
    forms[node].kind = FormKind::sequence;
    json.array([&] { read_form(json, forms, depth + 1); });
  } else if (!json.accept_null()) {
    const Atom atom = json.atom("a value");
    switch (atom.kind) {
      case AtomKind::integer:
        forms[node].kind = FormKind::integer;
        break;
      case AtomKind::natural:
        forms[node].kind = FormKind::natural;
        break;
      case AtomKind::text:
        forms[node].kind = FormKind::string;
        break;
      case AtomKind::json:
        forms[node].kind = FormKind::other;
        break;
    }
    forms[node].bits = atom.bits;
    forms[node].text = atom.text;
  }
  forms[node].end = static_cast<std::uint32_t>(forms.size());
}

}  // namespace

bool sniff_elle_json(const Input& input) {
  if (input.directory || input.files.size() != 1) return false;
  const std::vector<std::string> fields = first_object_fields(input.files[0].bytes);
  const auto has = [&](std::string_view name) {
    return std::find(fields.begin(), fields.end(), name) != fields.end();
  };
  return has("type") && (has("value") || has("f") || has("process"));
}

History read_elle_json(const Input& input, const ReadOptions& options) {
  const InputFile& file = single_file(input);
  JsonCursor json(file.path, file.bytes);
  JepsenReader jepsen(file, "elle-json", options);
  Forms forms;
  const auto operation = [&] {
    forms.clear();
    read_form(json, forms, 0);
    jepsen.operation(forms, 0);
  };
  if (json.peek() == '[') {
    json.array(operation);
    if (!json.at_end()) json.fail_expected("the end of the input");
  } else {
    while (!json.at_end()) operation();
  }
  return jepsen.finish();
}

}  // namespace assay::format
