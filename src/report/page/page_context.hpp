// What the page shows that only its caller knows.
#pragma once

#include <string>

namespace assay::report {

struct PageContext {
  std::string command;        // that gives this verdict again; empty if there is none
  std::string small_history;  // the first counterexample in Assay's JSON lines; empty if there is none
};

}  // namespace assay::report
