// Several executors, each on a thread of its own, that take groups of requests from one list.
#pragma once

#include <memory>
#include <vector>

#include "audit/audit.hpp"

namespace assay::audit {

class ExecutorTeam : public Executor {
 public:
  // Groups may be of any size; a member takes `at_once` requests at most at a time, so that the last one does not keep a
  // single member busy while the others have nothing to do. REQUIRES: at least one of each.
  explicit ExecutorTeam(std::vector<std::unique_ptr<Executor>> members, std::size_t at_once = 16);

  void run(std::span<const RequestIndex> group, Answers& answers) override;
  // Throws what a member threw, after all have ended.
  void run_all(std::span<const std::vector<RequestIndex>> groups, Answers& answers) override;
  double process_seconds() const override;

 private:
  std::vector<std::unique_ptr<Executor>> members_;
  std::size_t at_once_;
};

}  // namespace assay::audit
