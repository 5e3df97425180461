// Directed schedules: small tables of who does what in which order, each made so that one anomaly comes out if the
// database lets it. They stand on the examples of Berenson et al. (1995), Adya (1999), Fekete et al. (2004), Bailis et
// al. (2013) and Kleppmann's Hermitage; docs/matrix.md tells them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "level/anomaly.hpp"

namespace assay::matrix {

enum class Act : std::uint8_t {
  read,       // the row
  write,      // the row: creates or replaces it
  insert,     // the row, if it is not there
  erase,      // the row
  append,     // an element to the list
  read_list,  // the list
  select,     // all rows whose value is between low and high
  commit,
  abort,
};

// A session's first act, and its first after a commit or an abort, begins a transaction.
struct Step {
  std::uint32_t session;  // from 1
  Act act;
  std::string_view key = "";
  std::int64_t value = 0;  // that is written; of a select the lowest
  std::int64_t high = 0;   // of a select
};

struct Schedule {
  std::string_view name;          // as in files and JSON: "lost-update"
  std::string_view title;         // as in a table: "lost update"
  std::string_view code;          // Adya's or Berenson's name for it; empty if it has none
  Anomaly anomaly;                // that it is made for: whether it was seen, the levels that forbid it tell
  std::span<const Anomaly> also;  // narrower names that it may have in a history
  std::string_view about;         // in one sentence
  std::span<const Step> steps;
};

// Before each, the rows x = 10 and y = 20 are there, and every session has seen them.
inline constexpr std::string_view kRowX = "x", kRowY = "y";
inline constexpr std::int64_t kValueX = 10, kValueY = 20;

// From what the weakest levels forbid to what only the strongest do.
std::span<const Schedule> schedules();

std::uint32_t sessions_of(const Schedule& schedule);
bool needs_lists(const Schedule& schedule);
bool needs_selects(const Schedule& schedule);
// "session 2 writes x = 12"
std::string told(const Step& step);

}  // namespace assay::matrix
