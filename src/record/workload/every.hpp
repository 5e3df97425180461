// The workloads' makers, one per file, for the table in workload.cpp.
#pragma once

#include <memory>

#include "record/workload/workload.hpp"

namespace assay::record {

std::unique_ptr<Workload> make_blindw_read_mostly(const WorkloadOptions& options);
std::unique_ptr<Workload> make_blindw_read_write(const WorkloadOptions& options);
std::unique_ptr<Workload> make_blindw_write_heavy(const WorkloadOptions& options);
std::unique_ptr<Workload> make_general(const WorkloadOptions& options);
std::unique_ptr<Workload> make_twitter(const WorkloadOptions& options);
std::unique_ptr<Workload> make_rubis(const WorkloadOptions& options);
std::unique_ptr<Workload> make_tpcc(const WorkloadOptions& options);
std::unique_ptr<Workload> make_bank(const WorkloadOptions& options);
std::unique_ptr<Workload> make_list_append(const WorkloadOptions& options);
std::unique_ptr<Workload> make_predicate(const WorkloadOptions& options);

}  // namespace assay::record
