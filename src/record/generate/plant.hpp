// Plants one anomaly: a few transactions, run at a moment when no other is open and all sites agree, that see
// exactly the textbook pattern. Because everything before is visible to them and they are visible to
// everything after, the history around them stays as correct as it was, and because each writer has read what
// it overwrites, no other order of the transactions can explain the pattern away.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/history.hpp"
#include "level/anomaly.hpp"

namespace assay::record {

// A key is named by its place in the script; version 0 is what it held before, 1, 2, ... are planted in this
// order.
struct PlantedOperation {
  enum class Kind : std::uint8_t { read, write, insert, range } kind;
  std::uint8_t key;
  std::uint8_t version;
};

struct PlantedTransaction {
  std::uint8_t session;  // transactions of one script that have the same number run in one session
  Status status;
  std::uint8_t start, end;  // ticks
  std::vector<PlantedOperation> operations;
};

struct PlantScript {
  std::uint8_t sessions;
  std::vector<std::uint8_t> final_versions;      // by key: the version that stands in the end
  std::vector<PlantedTransaction> transactions;  // in order of their ends
};

// REQUIRES: the anomaly has a textbook instance.
PlantScript plant_script(Anomaly anomaly);

}  // namespace assay::record
