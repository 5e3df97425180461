#include "report/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace assay::report {

namespace {

constexpr std::size_t kLongest = 60;               // bytes of one key or value in a sentence
constexpr std::size_t kBeginning = 32, kEnd = 12;  // bytes that remain of a longer one
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

// Of a well-formed sequence of up to three bytes; 0 for a longer one.
std::uint32_t code_point(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(sequence[i])}; };
  if (sequence.size() == 1) return byte(0);
  if (sequence.size() == 2) return (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
  if (sequence.size() == 3) return (byte(0) & 0xFU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
  return 0;
}

// U+0000–U+001F, U+007F and the C1 block U+0080–U+009F, some of which terminals obey.
bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  return sequence.size() == 2 && first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

// The marks that change the direction of what follows, on a terminal and in a browser (Unicode annex 9):
// U+061C, U+200E, U+200F, U+202A–U+202E and U+2066–U+2069.
bool is_direction(std::string_view sequence) {
  const std::uint32_t c = code_point(sequence);
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

std::string escaped(std::string_view sequence) {
  if (sequence == "\n") return "\\n";
  if (sequence == "\t") return "\\t";
  if (sequence == "\r") return "\\r";
  if (is_direction(sequence)) return fmt::format("\\u{:04x}", code_point(sequence));
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(sequence.back()));
}

bool is_one_word(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return c == ' ' || c == '"' || c == ',' || c == '\\' || c == '\'';
  });
}

std::uint32_t digest(std::string_view text) {
  std::uint64_t sum = 0xCBF29CE484222325ULL;  // FNV-1a
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return static_cast<std::uint32_t>(sum ^ (sum >> 32));
}

// REQUIRES: longer than kLongest.
std::string shortened(std::string_view text) {
  const auto starts_at = [&](std::size_t at) { return !continues(static_cast<unsigned char>(text[at])); };
  std::size_t beginning = kBeginning, end = text.size() - kEnd;
  while (beginning > 0 && !starts_at(beginning)) --beginning;
  while (end < text.size() && !starts_at(end)) ++end;
  return fmt::format("{}…{}#{:08x}", printable(text.substr(0, beginning)), printable(text.substr(end)),
                     digest(text));
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
    } else if (is_control(sequence) || is_direction(sequence)) {
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
  std::string out = atom.text.size() > kLongest ? shortened(atom.text) : printable(atom.text);
  if (atom.kind == AtomKind::json || is_one_word(out)) return out;
  return '"' + out + '"';
}

std::string cut(std::string text, std::size_t longest) {
  if (text.size() <= longest) return text;
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0U) == 0x80U) --longest;
  return text.substr(0, longest) + "…";
}

std::string markup(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        if (text.substr(i, 2) == "\xEF\xBF" && i + 2 < text.size() &&
            static_cast<unsigned char>(text[i + 2]) >= 0xBE) {
          i += 2;
        } else if (static_cast<unsigned char>(c) >= 0x20 && c != '\x7F') {
          out += c;
        }
    }
  }
  return out;
}

}  // namespace assay::report
