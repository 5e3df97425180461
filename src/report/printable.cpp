#include "report/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace assay::report {

namespace {

constexpr std::size_t kLongest = 60;  // bytes of one key or value in a sentence
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool continues(unsigned char c) {
  return (c & 0xC0U) == 0x80U;
}

// The length of the well-formed UTF-8 sequence that `text` begins with, or 0 (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char lowest = 0x80;
  unsigned char highest = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) lowest = 0xA0;
    if (lead == 0xED) highest = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) lowest = 0x90;
    if (lead == 0xF4) highest = 0x8F;
  }
  if (length == 0 || text.size() < length || byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!continues(byte(i))) return 0;
  }
  return length;
}

// U+0000–U+001F, U+007F and the C1 block U+0080–U+009F, some of which terminals obey.
bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  return sequence.size() == 2 && first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

std::string escaped(std::string_view sequence) {
  if (sequence == "\n") return "\\n";
  if (sequence == "\t") return "\\t";
  if (sequence == "\r") return "\\r";
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(sequence.back()));
}

bool is_one_word(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return c == ' ' || c == '"' || c == ',' || c == '\\' || c == '\'';
  });
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0) {
      out += kReplacement;
    } else if (is_control(sequence)) {
      out += escaped(sequence);
    } else {
      out += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::string printable(const Atom& atom) {
  if (atom.kind != AtomKind::text && atom.kind != AtomKind::json) return to_string(atom);
  std::string_view text = atom.text;
  const bool cut = text.size() > kLongest;
  if (cut) {
    std::size_t end = kLongest;
    while (end > 0 && continues(static_cast<unsigned char>(text[end]))) --end;
    text = text.substr(0, end);
  }
  std::string out = printable(text) + (cut ? "…" : "");
  if (atom.kind == AtomKind::json || is_one_word(out)) return out;
  return '"' + out + '"';
}

std::string cut(std::string text, std::size_t longest) {
  if (text.size() <= longest) return text;
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0U) == 0x80U) --longest;
  return text.substr(0, longest) + "…";
}

}  // namespace assay::report
