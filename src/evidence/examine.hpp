// Examines a history at some levels: decides each, then explains what is violated. Everything that tells a
// verdict to somebody begins here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "check/options.hpp"
#include "evidence/examination.hpp"
#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::evidence {

// Which violated levels are explained: what refutes a level refutes all that imply it, so that for a person
// the weakest are enough.
enum class Explain : std::uint8_t { nothing, weakest, all };

struct ExamineOptions {
  check::Options check = {};
  Explain explain = Explain::all;
  // The keys of one tenant, told by their names, stay together, and tenants are decided apart (split/split.hpp).
  std::optional<std::string> tenants = {};
  double read_seconds = 0;  // reading the history took: for the reports
  // Where fewer transactions committed, a level that holds says too little: it is undecided.
  std::uint64_t require_committed = 0;
  // Called when all is decided and nothing is explained yet. May be empty.
  std::function<void(const Examination&)> decided = {};
};

// Running out of memory while deciding is "undecided". REQUIRES: history is not null.
Examination examine(std::shared_ptr<const History> history, std::span<const Level> levels,
                    const ExamineOptions& options);

// What an examination that was not made comes to.
Examination undecided(std::shared_ptr<const History> history, std::span<const Level> levels,
                      const std::string& reason, check::SessionOrder sessions);

}  // namespace assay::evidence
