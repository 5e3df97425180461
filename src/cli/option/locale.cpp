#include "cli/option/locale.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace assay::cli {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kPlain = {{{"→", "->"},
                                                                                  {"←", "<-"},
                                                                                  {"…", "..."},
                                                                                  {"·", "-"},
                                                                                  {"×", "x"},
                                                                                  {"µ", "u"},
                                                                                  {"–", "-"},
                                                                                  {"“", "\""},
                                                                                  {"”", "\""}}};

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Where the character that begins at `at` ends.
std::size_t end_of_character(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && continues(text[end])) ++end;
  return end;
}

std::string code_of(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (length != character.size()) {
    std::string out;
    for (const char c : character) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return out;
  }
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return fmt::format("\\u{{{:x}}}", code);
}

}  // namespace

bool wants_ascii() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale(value);
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return locale.find("utf-8") == std::string::npos && locale.find("utf8") == std::string::npos;
  }
  return false;  // most terminals can, and many containers set nothing
}

std::string ascii(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    if (static_cast<unsigned char>(utf8[at]) < 0x80) {
      out += utf8[at++];
      continue;
    }
    const std::size_t end = end_of_character(utf8, at);
    const std::string_view character = utf8.substr(at, end - at);
    const auto* const plain =
        std::find_if(kPlain.begin(), kPlain.end(), [&](const auto& pair) { return pair.first == character; });
    out += plain != kPlain.end() ? std::string(plain->second) : code_of(character);
    at = end;
  }
  return out;
}

std::string in_locale(std::string text) {
  return wants_ascii() ? ascii(text) : text;
}

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string fitted(std::string_view utf8, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t shown = 0; shown < columns && at < utf8.size(); ++shown) at = end_of_character(utf8, at);
  return std::string(utf8.substr(0, at));
}

}  // namespace assay::cli
