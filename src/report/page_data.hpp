// What the HTML page shows, chosen so that it stays small whatever the size of the history: the transactions
// that the evidence speaks of, a few neighbours of each in its session, and summaries of the rest. All texts
// of the input are cut and made printable here; the page treats them as text and nothing else.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.hpp"

namespace assay::report {

// How much of everything is shown at most.
struct PageLimits {
  std::size_t stories = 4;
  std::size_t scenes = 8;         // of one story
  std::size_t steps = 60;         // of one scene
  std::size_t bad_reads = 20;     // of one story
  std::size_t transactions = 60;  // that stories speak of
  std::size_t operations = 40;    // of one of them
  std::size_t neighbours = 3;     // on each side of one of them
  std::size_t neighbour_operations = 6;
  std::size_t departures = 12;
  std::size_t pieces = 160;  // of a chart over time

  PageLimits halved() const;
};

// A JSON object on one line, in valid UTF-8.
std::string page_data(const Checked& checked, const PageLimits& limits);

}  // namespace assay::report
