// Runs the statements of a report again, one after the other in the order of the log, each on a connection of
// its own request: the independent judge of that order.
#pragma once

#include <string>

#include "reports.hpp"

namespace assay::php::testing {

struct Redone {
  std::size_t statements = 0;
  std::size_t busy = 0;  // that were refused, which in the true order none is
};

// On the database file `copy`, the operations on the database `name`.
Redone redo_sql(const Reports& reports, const std::string& name, const std::string& copy);

// Everything in a database, as text.
std::string dump(const std::string& path);

}  // namespace assay::php::testing
