// What Assay makes in somebody's database carries a mark, and what has its names but not the mark is not
// Assay's: a recording removes what an earlier one left, and nothing else. Each product keeps the mark where
// it goes with what it marks: as the comment of a table (PostgreSQL, MariaDB), inside the statement that
// SQLite keeps of each table, as a key of its own beside the others (RocksDB, Redis).
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "database/store.hpp"

namespace assay::database {

// Without quotes, so that it can stand in any statement as it is.
constexpr std::string_view kMark = "made by Assay, which removes it before its next recording";

// `what` is for example "the table assay_rows".
[[noreturn]] inline void refuse_unmarked(std::string_view product, std::string_view what) {
  throw StoreError(
      Failure::fatal,
      fmt::format("{}: {} is there, and Assay did not make it (it lacks Assay's mark): it is left as "
                  "it is. Record on another database, or remove it yourself if nobody needs it",
                  product, what));
}

}  // namespace assay::database
