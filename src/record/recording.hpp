// A recording from end to end: a workload runs on a database, its clients' view goes to a file or to somebody
// else, faults strike meanwhile, and what was done is told.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "database/fault/target.hpp"
#include "database/store.hpp"
#include "history/history.hpp"
#include "record/run.hpp"
#include "record/workload/workloads.hpp"

namespace assay::record {

// The way of running transactions that a word names: the product's own words for it come first, since what SQL
// calls repeatable read is not always what Assay does; then the names of levels. Its strongest for no word;
// nothing if it has none of that name.
std::optional<database::Store::Mode> find_mode(const database::Store& store,
                                               const std::optional<std::string>& isolation);
// "REPEATABLE READ" is also asked for as repeatable-read, Repeatable_Read and so on: all of them in one
// spelling.
std::string plain_spelling(std::string_view words);

// The note by which a page knows what was recorded, where and when.
std::string first_note(std::string_view recorded_by, std::string_view store,
                       const database::Store::Mode& mode, std::string_view workload, std::uint32_t sessions,
                       std::uint64_t seed);

struct RecordingPlan {
  const WorkloadInfo& workload;
  WorkloadOptions shape;
  RunOptions run;  // but for its level, which the mode tells
  database::Store::Mode mode;
};

// Where the blocks of the history go. With neither nothing is written down, which shows what recording costs.
struct RecordingOutput {
  std::string recorded_by;          // program and version, for the history's first note
  std::optional<std::string> file;  // stays, as far as it came, whatever is thrown
  std::function<void(History)> also;
};

struct Recording {
  std::string store;  // product and version
  database::Store::Mode mode;
  std::uint32_t sessions = 0;
  RunResult result;
};

// Throws StoreError, also where the store lacks what the workload needs, or InputError.
Recording make_recording(database::Target& target, const RecordingPlan& plan, const RecordingOutput& output,
                         const RunControl& control);

}  // namespace assay::record
