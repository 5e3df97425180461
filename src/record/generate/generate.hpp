// Makes histories: simulated clients run random transactions against the in-memory store, which keeps a
// chosen level (see store/memory.hpp), and what they see is written down. Optionally one textbook anomaly is
// planted (see plant.hpp), or the store is told to break its level by itself. A seed gives the same history
// everywhere; time and memory are linear in what is generated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "database/own/memory.hpp"
#include "history/history.hpp"
#include "level/anomaly.hpp"
#include "level/level.hpp"
#include "record/generate/key_choice.hpp"

namespace assay::record {

struct GenerateOptions {
  enum class Model : std::uint8_t {
    registers,  // read, write, insert, delete, range read, read of rows
    lists,      // append, read of the whole list
  };

  std::uint32_t sessions = 20;
  std::uint32_t transactions = 1000;  // over all sessions, those that abort included
  // Drawn uniformly per transaction. A read-modify-write counts once and records a read and a write.
  std::uint32_t min_operations = 8;
  std::uint32_t max_operations = 8;

  std::uint32_t keys = 1000;
  KeyDistribution distribution = {};
  Model model = Model::registers;
  std::uint32_t appends_per_key = 32;  // lists: a key that has as many elements is replaced by a new one

  double reads = 0.5;   // share of the operations that only read
  double ranges = 0.0;  // registers: share of those that read a range of keys
  double rows = 0.0;    // registers: share of the others that read the rows of a range and claim no more
  std::uint32_t range_keys = 10;
  double updates = 0.5;  // share of the writes that read the key first (read-modify-write), others are blind
  double deletes = 0.0;  // registers: share of the writes that delete
  bool tombstones = true;   // a read of a deleted row sees a value of its own; else the same as no row yet
  double duplicates = 0.0;  // registers: share of the writes that write one of a few values, not a new one

  double aborts = 0.01;  // share of the transactions that the client aborts; conflicts come on top
  double unknown = 0.0;  // share whose fate the client never learns; half of them take effect
  bool times = true;     // start and end of each transaction, by one simulated clock

  Level level = Level::serializable;
  std::optional<Anomaly> inject = std::nullopt;  // planted once, in a few transactions on top of the others
  std::optional<Anomaly> fault = std::nullopt;   // the store lets it through wherever it comes up
  std::uint64_t seed = 1;
};

// Throws InputError if the options make no sense; its path is the name of the one that does not, with hyphens:
// "range-keys".
void validate(const GenerateOptions& options);

// Where an anomaly was planted, by the names the history uses.
struct Planted {
  Anomaly anomaly;
  std::vector<std::int64_t> transactions;
  std::vector<std::int64_t> keys;
};

struct Generated {
  History history;
  std::optional<Planted> planted;
  // By transaction name: how the store ended it. Empty unless asked for; all zero for planted transactions.
  std::vector<database::Receipt> receipts;
};

enum class Receipts : std::uint8_t { drop, keep };

// Transactions are named 0, 1, 2, ... in order of their end, sessions and keys by numbers too. Throws as
// validate().
Generated generate(const GenerateOptions& options, Receipts receipts = Receipts::drop);

}  // namespace assay::record
