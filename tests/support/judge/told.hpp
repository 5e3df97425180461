// What a report tells of a violation, taken out of its words again: by the text, the JSON and the page. For the
// judge of truth (truth.hpp), which compares it with the history.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evidence/examination.hpp"
#include "history/history.hpp"

namespace assay {

// An event as it is called: a transaction's begin, or its commit.
struct ToldEvent {
  std::string name;
  bool begin = false;
  auto operator<=>(const ToldEvent&) const = default;
};

struct ToldStep {
  ToldEvent from, to;
  std::string reason;
  std::vector<std::size_t> premises;  // places of steps
};

struct ToldScene {
  std::vector<std::string> assumptions;
  std::vector<ToldStep> steps;
  std::vector<std::size_t> cycle;  // places of steps
  bool complete = true;            // all steps are told
};

struct ToldDeeds {
  std::string name, full_name, operations;
};

// One violation.
struct Told {
  std::string where;                 // which report
  std::string anomaly;               // as in JSON, or its title
  std::map<std::string, Txn> names;  // short names that the report explains
  std::vector<std::string> sentences, bad_reads;
  std::vector<ToldDeeds> deeds;
  std::vector<ToldScene> scenes;
};

std::vector<Told> told_by_text(const evidence::Examination& examination);
std::vector<Told> told_by_json(const evidence::Examination& examination);
std::vector<Told> told_by_page(const evidence::Examination& examination);

}  // namespace assay
