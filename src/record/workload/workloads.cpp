#include "record/workload/workloads.hpp"

#include "record/workload/every.hpp"

namespace assay::record {

namespace {

constexpr WorkloadInfo kWorkloads[] = {
    {"twitter", "C-Twitter: tweet, follow, unfollow, read a timeline", make_twitter},
    {"blindw-rm", "read-only and write-only transactions of 8 operations, 90 % of them read-only",
     make_blindw_read_mostly},
    {"blindw-rw", "the same, half of them read-only", make_blindw_read_write},
    {"blindw-wh", "the same, 10 % of them read-only", make_blindw_write_heavy},
    {"general", "PolySI's: reads and blind writes of 15 operations on zipf-distributed keys", make_general},
    {"rubis", "C-RUBiS: an auction site, where users register, sell, bid and comment", make_rubis},
    {"tpcc", "TPC-C: a wholesale supplier, all five transactions", make_tpcc},
    {"bank", "transfers between accounts, whose sum must not change", make_bank},
    {"list-append", "lists that grow, as in Jepsen's tests", make_list_append},
    {"predicate", "rows chosen by ranges of keys and of values, with inserts and deletes", make_predicate},
};

}  // namespace

std::span<const WorkloadInfo> workloads() {
  return kWorkloads;
}

const WorkloadInfo* find_workload(std::string_view name) {
  for (const WorkloadInfo& workload : kWorkloads) {
    if (workload.name == name) return &workload;
  }
  return nullptr;
}

}  // namespace assay::record
