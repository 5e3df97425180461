// What the writers of the numeric formats share: their keys, values and names are natural numbers, their
// operations plain reads and writes, and anything else in a history is refused with a reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.hpp"

namespace assay::format {

// Who is being written, for errors.
struct Target {
  std::string path;
  std::string_view format;

  [[noreturn]] void refuse(const std::string& what) const;
};

// Throws InputError if the history has operations other than read and write.
void require_reads_and_writes(const History& history, const Target& target);

// The atom as a natural number. Throws InputError if it is none.
std::uint64_t require_natural(const Atom& atom, std::string_view what, const Target& target);

// One number per transaction or session, no two alike: the name where every name is a natural number and no
// two are alike, else its place in the history, from 0.
std::vector<std::uint64_t> transaction_numbers(const History& history);
std::vector<std::uint64_t> session_numbers(const History& history);

}  // namespace assay::format
