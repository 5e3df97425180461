// The judge of certificates. Believes nothing but the history: parses the certificate strictly, runs an order
// of events operation by operation, or checks each step of a derivation by itself. It rests on the history
// (src/history) and the table of levels (src/level), and on nothing that decides and proves.
//
// Read the files in this order to know why an accepted certificate is right:
//
//   lines        what a certificate is written in
//   queries      what a range or predicate read says, key by key
//   row_counts   and how many rows it would return of what is there
//   facts        what the operations of a history say, whatever the level
//   replay       "holds" at prefix and stronger: run the history in the given order
//   axioms       "holds" below prefix: evaluate the level's axiom under the given commit order
//   proof        "violated": a read that no level allows, or steps that end in a cycle
//   verify       the entrance: reads the claim and chooses among the three
#pragma once

#include <string>
#include <string_view>

#include "history/history.hpp"
#include "verify/claim.hpp"

namespace assay::verify {

struct Verification {
  bool accepted = false;
  std::string reason;  // rejected: where and why, for a person
  Claim claim;         // as far as it was understood
};

// How a reason may call what the input named.
using Show = std::string (*)(const Atom&);

// `path` names the certificate in errors. REQUIRES: the history is as its clients logged it (no queries taken
// apart). Throws InputError for a text that is no certificate at all.
Verification verify(std::string_view certificate, const std::string& path, const History& history,
                    Show show = to_string);

}  // namespace assay::verify
