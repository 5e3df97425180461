// Trace and reports as plain values that can be changed and written again: for planting lies (tamper.hpp) and
// for making files without a server. Reading a draft takes as much memory as the files; auditing needs none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "audit/reports.hpp"
#include "audit/trace.hpp"
#include "audit/wire/report_records.hpp"
#include "audit/wire/trace_records.hpp"

namespace assay::audit {

using OwnedPairs = std::vector<std::pair<std::string, std::string>>;

struct DraftEvent {
  bool is_response = false;
  std::uint64_t rid = 0;
  std::uint64_t time = 0;
  wire::EndReason end = wire::EndReason::complete;
  std::uint32_t status = 200;
  OwnedPairs pairs;   // parameters, or headers
  std::string bytes;  // standard input, or body
};

struct DraftOperation {
  wire::ObjectKind kind = wire::ObjectKind::session;
  std::string object;
  std::uint64_t seq = 0;
  std::uint64_t rid = 0;
  std::uint64_t opnum = 0;
  wire::OperationType type = wire::OperationType::register_read;
  std::uint64_t outcome = 0;
  std::string contents;
};

struct DraftValue {
  std::uint64_t rid = 0;
  std::uint64_t after = 0;
  wire::NdKind kind = wire::NdKind::clock;
  std::uint64_t repeat = 1;
  std::string value;
};

struct Draft {
  std::vector<DraftEvent> events;
  std::vector<DraftOperation> operations;  // those of one object in the order of its log
  std::vector<Count> counts;
  std::vector<Group> groups;
  std::vector<DraftValue> values;
  OwnedPairs properties;

  Draft() = default;
  // Throws InputError.
  Draft(const Trace& trace, const Reports& reports);

  // The files as a collector and one worker would have written them.
  std::string trace_file() const;
  std::string report_file() const;
};

}  // namespace assay::audit
