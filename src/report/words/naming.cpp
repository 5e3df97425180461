#include "report/words/naming.hpp"

#include <fmt/format.h>

#include "report/printable.hpp"

namespace assay::report {

std::string full_name(const History& history, Txn txn) {
  if (txn == kInitialTxn) return "the initial state";
  return fmt::format("transaction {} of session {}", printable(history.name(txn)),
                     printable(history.name(history.session_of(txn))));
}

}  // namespace assay::report
