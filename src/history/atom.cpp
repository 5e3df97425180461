#include "history/atom.hpp"

#include <fmt/format.h>

#include <functional>

namespace assay {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
  return out;
}

}  // namespace

std::string to_string(const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::integer:
      return fmt::format("{}", static_cast<std::int64_t>(atom.bits));
    case AtomKind::natural:
      return fmt::format("{}", atom.bits);
    case AtomKind::text:
    case AtomKind::json:
      break;
  }
  return std::string(atom.text);
}

std::string to_json(const Atom& atom) {
  return atom.kind == AtomKind::text ? quoted(atom.text) : to_string(atom);
}

std::uint32_t TextPool::intern(std::string_view text) {
  const std::uint64_t hash = std::hash<std::string_view>{}(text);
  for (auto [it, end] = ids_.equal_range(hash); it != end; ++it) {
    if ((*this)[it->second] == text) return it->second;
  }
  const std::uint32_t id = size();
  bytes_ += text;
  ends_.push_back(bytes_.size());
  ids_.emplace(hash, id);
  return id;
}

}  // namespace assay
