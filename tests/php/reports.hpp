// What the recorder wrote, read back for tests with nothing but the headers of the format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "audit/wire/contents.hpp"
#include "audit/wire/report_records.hpp"

namespace assay::php::testing {

namespace wire = audit::wire;

struct Operation {
  wire::ObjectKind kind = wire::ObjectKind::database;
  std::string object;
  std::uint64_t seq = 0;
  std::uint64_t rid = 0;
  std::uint64_t opnum = 0;
  wire::OperationType type = wire::OperationType::sql_open;
  std::uint64_t outcome = 0;
  std::string contents;
};

struct Told {
  wire::NdKind kind = wire::NdKind::clock;
  std::uint64_t after = 0;
  std::uint64_t repeat = 0;
  std::string value;
};

struct Reports {
  std::map<std::uint64_t, Operation> operations;  // by seq
  std::map<std::uint64_t, std::uint64_t> tags;    // by request
  std::map<std::uint64_t, std::uint64_t> counts;
  std::map<std::uint64_t, std::vector<Told>> told;
  std::size_t bytes = 0;  // of all report files
  std::size_t tails = 0;  // files that a killed process left

  std::vector<Operation> of_request(std::uint64_t rid) const;  // by opnum
};

// Throws std::runtime_error where a file is not as the format says.
Reports read_reports(const std::string& folder);

}  // namespace assay::php::testing
