// Which transactions and which steps of a refutation a person should see. Where the refutation tells cases
// apart, each innermost case is a scene of its own; all scenes share one cast, so that a name means the
// same transaction everywhere. All reports show these scenes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/outcome.hpp"
#include "history/history.hpp"
#include "report/sentence.hpp"
#include "report/story.hpp"

namespace assay::report {

struct Scene {
  std::vector<const check::Step*> assumptions;  // of the cases around it, the outermost first
  const check::Derivation* derivation;          // one with a cycle
  std::vector<std::uint32_t> steps;             // of it: those to tell, in order of derivation
  std::size_t left_out = 0;                     // steps that those rest on and that are too many to tell
};

// Borrows from the outcome and the story they were made of.
struct Scenes {
  std::vector<Scene> shown;
  std::size_t left_out = 0;
  std::vector<Txn> cast;             // the transactions that they speak of; not the initial state
  std::map<Txn, std::string> names;  // of the cast: those of the story, or A, B, ...
  bool two_sided = false;            // steps tell the begin of a transaction from its commit

  // Calls the cast by these names, and everybody else in full.
  Naming naming(const History& history) const;
};

struct SceneLimits {
  std::size_t scenes = 12;
  std::size_t steps = 40;  // of one scene
  std::size_t bad_reads = 10;
};

// `story` is that of the outcome, if it has one.
Scenes scenes_of(const History& history, const check::Outcome& outcome, const std::optional<Story>& story,
                 const SceneLimits& limits);

}  // namespace assay::report
