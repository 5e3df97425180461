// Reads a whole trace back, apart from the writer and from the auditor: the frames one after the other, until
// the bytes end or one is not whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "audit/wire/trace_records.hpp"

namespace assay::testing {

using TracePairs = std::vector<std::pair<std::string, std::string>>;

struct TraceEvent {
  bool is_request = true;
  std::uint64_t rid = 0, time = 0;
  TracePairs pairs;  // parameters or headers
  std::string body;
  audit::wire::EndReason end = audit::wire::EndReason::complete;
  std::uint32_t status = 0;

  // The value of the first pair of this name; "(none)" if there is none.
  std::string value(const std::string& name) const;
};

struct TraceFile {
  std::vector<TraceEvent> events;
  std::size_t left_over = 0;  // bytes behind the last whole frame
  std::string trouble;  // what is wrong with the file, or with the order of its events; empty if nothing

  const TraceEvent* request(std::uint64_t rid) const;
  const TraceEvent* response(std::uint64_t rid) const;
  std::size_t responses() const;
};

TraceFile read_trace(const std::filesystem::path& path);

}  // namespace assay::testing
