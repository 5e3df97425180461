// What can be seen of our PDO driver from outside of it.
#pragma once

#include "common/world.hpp"

namespace assay::php {

struct SqlCursor {  // of a statement
  std::uint64_t connection = 0;
  const SqlResult* result = nullptr;  // null: none of ours
  std::size_t* next_row = nullptr;
};
SqlCursor sql_cursor(pdo_stmt_t* stmt);

// The number of a connection; 0: none of ours.
std::uint64_t sql_connection(pdo_dbh_t* dbh);

}  // namespace assay::php
