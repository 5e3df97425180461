#include "format/jepsen/elle_edn.hpp"

#include "format/jepsen/edn.hpp"
#include "format/jepsen/jepsen.hpp"
#include "format/single_file.hpp"

namespace assay::format {

namespace {

void read_all(EdnReader& edn, JepsenReader& jepsen) {
  Forms forms;
  // One vector around everything is read element by element, so that only one operation is in memory at a
  // time.
  if (edn.at('[') || edn.at('(')) {
    const std::size_t start = edn.offset();
    const char close = edn.at('[') ? ']' : ')';
    edn.step();
    while (!edn.at(close)) {
      if (edn.at_end()) edn.fail_at(start, "this form does not end: the file was cut off");
      edn.read(forms);
      jepsen.operation(forms, 0);
    }
    edn.step();
    if (!edn.at_end()) edn.fail_expected("the end of the input");
    return;
  }
  while (!edn.at_end()) {
    edn.read(forms);
    if (forms[0].kind != FormKind::sequence) {
      jepsen.operation(forms, 0);
      continue;
    }
    // A vector behind a tag.
    for (std::uint32_t child = first_child(0); child < forms[0].end; child = next_sibling(forms, child)) {
      jepsen.operation(forms, child);
    }
  }
}

}  // namespace

bool sniff_elle_edn(const Input& input) {
  constexpr std::size_t kSniffed = 16384;
  if (input.directory || input.files.size() != 1) return false;
  const std::string_view head = input.files[0].bytes.substr(0, kSniffed);
  const std::size_t first = head.find_first_not_of(" \t\r\n,");
  if (first == std::string_view::npos ||
      std::string_view("{[(#;").find(head[first]) == std::string_view::npos) {
    return false;
  }
  return head.find(":type :") != std::string_view::npos || head.find(":process ") != std::string_view::npos;
}

History read_elle_edn(const Input& input, const ReadOptions& options) {
  const InputFile& file = single_file(input);
  EdnReader edn(file.path, file.bytes);
  JepsenReader jepsen(file, "edn", options);
  read_all(edn, jepsen);
  return jepsen.finish();
}

}  // namespace assay::format
