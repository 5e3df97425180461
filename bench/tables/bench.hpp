// What every table needs: the programs, a folder, and one `assay check` measured as a process of its own,
// beside the bar it must not pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "process.hpp"

namespace assay::tables {

struct Bench {
  std::string assay, hard, queries, reading;  // the programs
  std::string shared;                         // the public histories; may not exist
  bool full = false;                          // also what takes minutes
  TemporaryFolder folder;

  // Makes a packed history with these options of `assay generate`; returns its path. Does so once per `name`.
  std::string generate(const std::string& name, const std::vector<std::string>& options) const;
  // The same history, packed.
  std::string pack(const std::string& name, const std::string& path) const;
};

struct Checked {
  Ran cost;
  std::string verdict, method;
  std::uint64_t transactions = 0, operations = 0, conflicts = 0;
};
// The cheapest of a few runs if it is a short one: the first may find cold caches.
Checked check(const Bench& bench, const std::string& path, const std::string& level,
              const std::vector<std::string>& options = {});

// What a row must not pass; what is not set is not judged.
struct Bar {
  std::optional<double> cpu_seconds, megabytes, growth;
  std::string verdict;  // empty: any but undecided
};

// Prints a table row by row. A row that passes its bar ends with a mark, and `misses` counts it.
class Table {
 public:
  explicit Table(const std::string& title);
  // `smaller`: the same with a tenth of the transactions, to tell the growth.
  void row(const std::string& name, const Checked& checked, const Bar& bar,
           const std::optional<Checked>& smaller = std::nullopt);
  void note(const std::string& text);
  int misses() const { return misses_; }

 private:
  int misses_ = 0;
};

// Each returns how many bars were missed.
int engine(const Bench& bench);
int weak(const Bench& bench);
int read(const Bench& bench);
int hard(const Bench& bench);
int queries(const Bench& bench);

}  // namespace assay::tables
