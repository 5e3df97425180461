// Several executors, each on a thread of its own, that take groups of requests from one list.
#pragma once

#include <memory>
#include <vector>

#include "audit/audit.hpp"

namespace assay::audit {

class ExecutorTeam : public Executor {
 public:
  // REQUIRES: at least one.
  explicit ExecutorTeam(std::vector<std::unique_ptr<Executor>> members);

  void run(std::span<const RequestIndex> group, Answers& answers) override;
  // Throws what a member threw, after all have ended.
  void run_all(std::span<const std::vector<RequestIndex>> groups, Answers& answers) override;
  double process_seconds() const override;

 private:
  std::vector<std::unique_ptr<Executor>> members_;
};

}  // namespace assay::audit
