#include "common/sql_text.hpp"

#include <sqlite3.h>
#include <strings.h>

#include <array>

namespace assay::php {

namespace {

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

std::string_view skip_comments(std::string_view sql) {
  for (;;) {
    sql = skip_blank(sql);
    std::size_t end = 0;
    if (sql.substr(0, 2) == "--") {
      end = sql.find('\n');
    } else if (sql.substr(0, 2) == "/*") {
      end = sql.find("*/", 2);
      if (end != std::string_view::npos) end += 2;
    } else {
      return sql;
    }
    if (end == std::string_view::npos) return {};
    sql.remove_prefix(end);
  }
}

// The next word, taken off the text.
std::string_view take_word(std::string_view& sql) {
  sql = skip_comments(sql);
  std::size_t size = 0;
  while (size < sql.size() && ((sql[size] | 0x20) >= 'a' && (sql[size] | 0x20) <= 'z')) ++size;
  const std::string_view word = sql.substr(0, size);
  sql.remove_prefix(size);
  return word;
}

bool same(std::string_view word, std::string_view expected) {
  return word.size() == expected.size() && strncasecmp(word.data(), expected.data(), word.size()) == 0;
}

template <std::size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  for (const std::string_view each : words) {
    if (same(word, each)) return true;
  }
  return false;
}

}  // namespace

std::string_view skip_blank(std::string_view sql) {
  while (!sql.empty() && (blank(sql.front()) || sql.front() == ';')) sql.remove_prefix(1);
  return sql;
}

Verb verb(std::string_view sql) {
  const std::string_view word = take_word(sql);
  if (same(word, "begin")) return Verb::begin;
  if (one_of<3>(word, {"commit", "end", "release"})) return Verb::commit;
  if (same(word, "rollback")) return Verb::roll_back;
  if (one_of<4>(word, {"create", "drop", "alter", "analyze"})) return Verb::define;
  return same(word, "pragma") ? Verb::pragma : Verb::other;
}

bool changes_rows(std::string_view sql, bool without_columns) {
  const std::string_view word = take_word(sql);
  if (same(word, "with")) return without_columns;
  return one_of<4>(word, {"insert", "update", "delete", "replace"});
}

std::string_view sqlite_version() {
  return sqlite3_libversion();
}

}  // namespace assay::php
