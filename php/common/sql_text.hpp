// What can be told of a statement from its text alone.
#pragma once

#include <string_view>

namespace assay::php {

// Without white space and semicolons at its beginning.
std::string_view skip_blank(std::string_view sql);

enum class Verb {
  begin,
  commit,  // or END, or RELEASE, which may be one
  roll_back,
  define,  // what may change the schema: it may also find that there is nothing to do
  pragma,
  other,
};
Verb verb(std::string_view sql);

// Does SQLite count the rows that this statement changed? `WITH` begins queries and changes; only queries
// have columns.
bool changes_rows(std::string_view sql, bool without_columns);

// The version that PHP reports; both sides are built against the same library.
std::string_view sqlite_version();

}  // namespace assay::php
