#include "support/xml.hpp"

#include <regex>
#include <vector>

namespace assay::testing {

namespace {

bool text_is_fine(const std::string& text) {
  static const std::regex fine("([^<&\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f]|&(amp|lt|gt|quot|apos|#[0-9]+);)*");
  return text.find('\0') == std::string::npos && std::regex_match(text, fine);
}

}  // namespace

std::string xml_error(std::string_view view) {
  std::string rest(view);
  static const std::regex declaration("^<\\?xml version=\"1\\.0\" encoding=\"UTF-8\"\\?>\\s*");
  rest = std::regex_replace(rest, declaration, "", std::regex_constants::format_first_only);
  static const std::regex tag("^<(/?)([A-Za-z][\\w-]*)((\\s+[A-Za-z][\\w-]*=\"[^\"<]*\")*)\\s*(/?)>");
  std::vector<std::string> open;
  bool had_root = false;
  while (!rest.empty()) {
    if (rest[0] != '<') {
      const std::string text = rest.substr(0, rest.find('<'));
      if (!text_is_fine(text)) return "bad text: " + text;
      if (open.empty() && text.find_first_not_of(" \n") != std::string::npos) return "text outside: " + text;
      rest.erase(0, text.size());
      continue;
    }
    std::smatch found;
    if (!std::regex_search(rest, found, tag)) return "bad tag: " + rest.substr(0, 80);
    if (!text_is_fine(found[3])) return "bad attributes: " + found[3].str();
    const bool closes = found[1].length() != 0;
    if (closes) {
      if (open.empty() || open.back() != found[2]) return "unmatched: " + found[0].str();
      open.pop_back();
    } else {
      if (open.empty() && had_root) return "a second root";
      had_root = true;
      if (found[5].length() == 0) open.push_back(found[2]);
    }
    rest = found.suffix();
  }
  return open.empty() && had_root ? "" : "not closed";
}

}  // namespace assay::testing
