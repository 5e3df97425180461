// Redo: every object performs its log once, in order, from the state at the beginning. The results, by their
// place in the log, are what re-executed operations are answered with.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/fit.hpp"
#include "audit/object/sqlite_connection.hpp"
#include "audit/period/carried.hpp"
#include "audit/reports.hpp"
#include "audit/trace.hpp"
#include "audit/verdict.hpp"

namespace assay::audit {

// The state before the first request: what an audit has left, or databases; then sessions, key-value table and
// locks begin empty.
struct InitialState {
  std::map<std::string, std::filesystem::path>
      databases;  // by the name in the reports; others do not exist yet
  std::shared_ptr<const Carried> carried{};
};

// Results by place. Equal ones are kept once: pages ask for the same things over and over.
class Results {
 public:
  wire::Bytes operator[](Place place) const { return *results_[ids_[index(place.object)][place.position]]; }
  void add(ObjectIndex object, const std::string& result);
  void reserve(const Reports& reports);
  std::size_t distinct() const { return results_.size(); }

 private:
  std::vector<std::vector<std::uint32_t>> ids_;
  std::deque<std::string> kept_;
  std::vector<const std::string*> results_;
  std::unordered_map<std::string_view, std::uint32_t> known_;
};

struct Redone {
  Results results;
  std::uint64_t not_performed = 0;
  std::optional<Finding> finding;  // an operation that is impossible, or not supported
  bool undecided = false;          // the finding is of the second kind
  // What goes over to the next period, if there is to be one: objects, their files and operations.
  std::optional<Carried> next{};
};

// Requests that never ended lose their connections and locks after their last operation on them; those that go
// over to a next period, when they are in somebody's way and do nothing more here.
// `folder` is the auditor's own, for copies of databases; `next` is one for the state at the end, or empty.
// REQUIRES: the reports were limited to the period. Throws InputError, std::filesystem::filesystem_error,
// std::runtime_error.
Redone redo(const Trace& trace, const Reports& reports, const InitialState& initial,
            const std::filesystem::path& folder, const SqliteLimits& limits,
            const std::filesystem::path& next = {});

}  // namespace assay::audit
