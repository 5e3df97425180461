// Plays a schedule on a database: each session has a thread and a connection, and takes its next step when the table
// says so. A step that the database does not answer soon counts as blocked; the others go on, and what is left of the
// blocked session's steps follows once it is let go.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "database/store.hpp"
#include "matrix/directed_schedule.hpp"
#include "record/recorder.hpp"

namespace assay::matrix {

struct StepOutcome {
  bool waited = false;               // until another session's transaction had ended
  bool skipped = false;              // its transaction had been refused before
  std::optional<std::string> error;  // the database refused the transaction
};

struct Played {
  std::vector<StepOutcome> steps;  // as those of the schedule
  // Some step took long although nobody was in its way: the machine is busy, and steps did not follow each other as
  // they should.
  bool out_of_step = false;
};

// Everything that the sessions see is recorded, the rows of the start by one session more than the schedule has.
// REQUIRES: the store was prepared, it has what the schedule needs, and the recorder has that many sessions. Throws
// StoreError.
Played play(database::Store& store, const database::Store::Mode& mode, const Schedule& schedule,
            record::Recorder& recorder, std::chrono::milliseconds patience);

}  // namespace assay::matrix
