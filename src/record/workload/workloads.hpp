// The workloads by name.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "record/workload/workload.hpp"

namespace assay::record {

struct WorkloadInfo {
  std::string_view name;
  std::string_view description;  // one line
  std::unique_ptr<Workload> (*make)(const WorkloadOptions& options);
};

std::span<const WorkloadInfo> workloads();
const WorkloadInfo* find_workload(std::string_view name);

}  // namespace assay::record
