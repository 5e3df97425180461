// One value of a data notation, EDN or JSON, as a flat tree: nodes in the order of the text, each knowing
// where its subtree ends. What Jepsen's two notations have in common, so that one reader understands both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::format {

enum class FormKind : std::uint8_t {
  nil,
  integer,  // `bits`: a signed 64-bit number
  natural,  // `bits`: an unsigned number above that
  other,  // a scalar with no type of its own, valid as JSON text: true, 1.5, an integer of more than 64 bits
  string,
  keyword,   // `text` starts with its colon
  opaque,    // a symbol, character or ratio: it may stand where nobody looks
  sequence,  // a vector or list
  set,
  map,  // keys and values by turns
};

struct Form {
  FormKind kind = FormKind::nil;
  std::uint32_t end = 0;   // the node after this one's subtree
  std::size_t offset = 0;  // of its first byte in the file
  std::uint64_t bits = 0;
  std::string_view text;
};

using Forms = std::vector<Form>;

// The direct children of a node, by index.
inline std::uint32_t first_child(std::uint32_t node) {
  return node + 1;
}
inline std::uint32_t next_sibling(const Forms& forms, std::uint32_t node) {
  return forms[node].end;
}

// The name in a keyword or string: ":ok" and "ok" are both ok. Empty for everything else.
inline std::string_view name_of(const Form& form) {
  if (form.kind == FormKind::keyword) return form.text.substr(1);
  if (form.kind == FormKind::string) return form.text;
  return {};
}

}  // namespace assay::format
