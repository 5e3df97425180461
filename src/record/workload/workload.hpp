// A workload: what applications do to a database. It names the rows that are there at the start and gives
// each session a script of transactions. A script first plans a transaction, which takes all the randomness
// that it needs, and then runs it; so a seed gives the same plans whatever the other sessions do and however
// often transactions abort. One file per workload; docs/record.md describes them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "record/client.hpp"
#include "record/generate/key_choice.hpp"
#include "system/random.hpp"

namespace assay::record {

// Thrown by a script that decides to undo its transaction.
struct Rollback {};

class Script {
 public:
  virtual ~Script() = default;
  // The next transaction, from nothing but `random` and what was planned before.
  virtual void plan(system::Random& random) = 0;
  // Runs it in the client's open transaction. Throws StoreError, or Rollback.
  virtual void run(Client& client) = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;

  using PutRow = std::function<void(std::string_view key, std::string_view value)>;
  virtual void load(const PutRow& put) const = 0;
  // `session` counts from 1.
  virtual std::unique_ptr<Script> script(std::uint32_t session) const = 0;

  virtual bool needs_lists() const { return false; }
  virtual bool needs_ranges() const { return false; }
  // Whether values mean something, to predicates or to a person, so that the history shows them beside their versions.
  virtual bool shows_values() const { return false; }
};

// What is not set has the workload's own default.
struct WorkloadOptions {
  std::optional<std::uint32_t> keys;        // blindw, general, list-append; rows of predicate
  std::optional<std::uint32_t> operations;  // of a transaction: blindw, general, predicate, list-append
  std::optional<double> reads;              // share of reads: general, predicate, list-append
  std::optional<KeyDistribution> distribution;
  std::optional<std::uint32_t> users;       // twitter, rubis
  std::optional<std::uint32_t> items;       // rubis, tpcc
  std::optional<std::uint32_t> warehouses;  // tpcc
  std::optional<std::uint32_t> customers;   // tpcc: of a district
  std::optional<std::uint32_t> accounts;    // bank
};

// The number in a row's value; 0 if there is no row or the value is not a number.
std::int64_t number_in(const std::optional<std::string>& value);

}  // namespace assay::record
