// The isolation levels that a database offers against the anomalies that have a name: which of them can be seen at which
// level. Each cell is a recording of its own, decided by the engine; how it was made (a schedule, a random workload) only
// says where to look.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/options.hpp"
#include "database/fault/target.hpp"
#include "evidence/examination.hpp"
#include "level/anomaly.hpp"
#include "matrix/directed_schedule.hpp"
#include "matrix/stage.hpp"

namespace assay::matrix {

enum class Finding : std::uint8_t {
  prevented,  // it is not there: nobody waited, nothing was refused
  blocked,    // it is not there: some step had to wait until another transaction had ended
  error,      // it is not there: the database refused a transaction
  seen,
  none,   // nothing was seen of a random workload
  other,  // something else was seen that a weaker level forbids
  undecided,
  not_run,  // the database lacks what it needs
};
std::string_view name(Finding finding);

// A row: a schedule, or a workload whose transactions are drawn.
struct Row {
  const Schedule* schedule = nullptr;  // null of a workload
  std::string name, title, code;
};

struct Cell {
  Finding finding = Finding::not_run;
  check::Verdict promise = check::Verdict::holds;  // what the level that the database promises here comes to
  std::vector<Anomaly> anomalies;  // by which the weakest violated levels are, the weakest first
  std::string sentence;            // that tells the first of them
  std::vector<StepOutcome> steps;  // of a schedule
  std::uint64_t committed = 0;     // transactions
  std::string history, page;       // files in the folder; the page may be missing
};

struct Matrix {
  std::string store;                         // product and version
  std::vector<database::Store::Mode> modes;  // columns, the weakest first
  std::vector<Row> rows;
  std::vector<std::vector<Cell>> cells;  // by row, then column

  bool keeps_promises() const;  // no cell breaks its column's promise
  bool is_decided() const;      // and none leaves it open
};

struct MatrixOptions {
  std::string recorded_by;                  // program and version, for the histories' first notes
  std::filesystem::path folder;             // where histories go; it is there
  std::chrono::milliseconds patience{150};  // after which a step counts as blocked
  std::chrono::nanoseconds random{0};       // how long each workload runs at each level; 0: not at all
  std::optional<std::uint64_t> random_transactions = {};  // how many it makes at most
  std::uint64_t seed = 1;
  check::Options check = {};
  // Before each cell, and with what was found; the page's name is asked for and may be empty. Either may be unset.
  std::function<void(std::string_view mode, std::string_view row)> begun = {};
  std::function<std::string(const std::string& name, const evidence::Examination&)> page = {};
};

// Ends early, with the cells that are done, when `stop` is set. Throws StoreError or InputError.
Matrix make_matrix(database::Target& target, const MatrixOptions& options, std::atomic<bool>& stop);

}  // namespace assay::matrix
