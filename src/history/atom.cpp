#include "history/atom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

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
  if (used_ * 2 >= table_.size()) grow();
  const std::uint64_t hash = hash_(text);
  std::size_t at = place(hash);
  for (; table_[at].id_plus_one != 0; at = (at + 1) & (table_.size() - 1)) {
    if (table_[at].hash == hash && (*this)[table_[at].id_plus_one - 1] == text) {
      return table_[at].id_plus_one - 1;
    }
  }
  const std::uint32_t id = size();
  bytes_ += text;
  ends_.push_back(bytes_.size());
  table_[at] = {hash, id + 1};
  ++used_;
  return id;
}

void TextPool::grow() {
  LargeVector<Entry> old(std::max(kMinimum, table_.size() * 2));
  std::swap(old, table_);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].id_plus_one == 0) continue;
    std::size_t at = place(old[i].hash);
    while (table_[at].id_plus_one != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = old[i];
  }
}

}  // namespace assay
