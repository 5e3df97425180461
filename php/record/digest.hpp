// The path a request takes through the program, as one number: requests with equal numbers (almost certainly)
// took the same branches, and the auditor can run them together. It is advice, so it needs no cryptographic
// strength.
//
// PHP's virtual machine jumps from one instruction to the next through a pointer in the instruction. Where a
// branch was not taken, a case of a switch or match begins, or an exception is caught, that pointer is led
// through a few machine instructions of our own, which mix the place into the number and go on to where it
// pointed. Nothing else changes: no instruction, no call, no fused comparison.
#pragma once

#include <cstdint>
#include <string>

namespace assay::php {

enum class DigestWay {
  detours,     // if this PHP allows them, else handlers
  handlers,    // branch_handlers.hpp
  alternate,   // detours, in requests with even numbers only: what they cost is measured within one process
  operations,  // costs nothing and tells little
};

// Before anything is compiled. Why there are no detours, or nothing.
std::string start_digest(DigestWay way);
// What is compiled from here on counts. Call in each request: opcache puts itself in between later than us.
void watch_branches();

void begin_digest(std::uint64_t request);
std::uint64_t digest();
// Counts only where no branches are seen: then the operations are the path.
void digest_operation(std::uint64_t type);

}  // namespace assay::php
