// A history as dbcop's 2025 rewrite sees one: reads and writes of numbered versions in transactions that
// committed or did not. What both of its notations write.
#pragma once

#include <optional>
#include <string>

#include "history/history.hpp"

namespace assay::format {

struct DbcopEvent {
  bool write = false;
  Atom variable;
  std::optional<Atom> version;  // none: the initial one; never none for a write
};

class DbcopEvents {
 public:
  // `path` is for messages.
  DbcopEvents(const History& history, std::string path) : history_(history), path_(std::move(path)) {}

  // Both throw InputError for what the format has no word for.
  DbcopEvent of(Op op) const;
  bool committed(Txn t) const;

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  const History& history_;
  std::string path_;
};

}  // namespace assay::format
