// All that a watch must know to go on in another process: the watcher's state after a round, how far each
// collector had come, and what was found. Written under a new name, made safe and put in place, with a
// checksum; the one before is kept until the next, in case this one turns out to be damaged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "check/outcome.hpp"
#include "collect/fragment.hpp"
#include "collect/source.hpp"
#include "level/level.hpp"
#include "system/disk.hpp"

namespace assay::watch {

struct Checkpoint {
  Level level{};
  std::int64_t clock_drift = 0;
  std::uint64_t fragments = 0;  // how many are in `state`, all decided; the log goes on from there
  std::uint64_t transactions = 0, committed = 0, rounds = 0, violations = 0;
  check::Verdict verdict = check::Verdict::holds;  // of the last round
  std::string reason;
  std::string state;  // of the watcher
  collect::ProgressOf collectors;
  collect::OwnerOf owners;
};

// Throws StorageError; then the ones before are as they were. Returns the `fragments` of the older one that
// is kept, or of this one if it is the only one: nothing before that is needed any more.
std::uint64_t save_checkpoint(system::Disk& disk, const Checkpoint& checkpoint);

// The newest that is whole; damaged ones are told and passed over. Where there is none, the log may still
// have everything.
std::optional<Checkpoint> load_checkpoint(const system::Disk& disk, const collect::Note& note);

}  // namespace assay::watch
