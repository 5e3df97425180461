// Runs the requests of a PHP server again, each alone, in a warm worker process. A worker that dies is
// replaced and the request tried once more; if it dies again the audit has no answer for that request.
//
// If asked to, it tries groups as one first (docs/audit-superposition.md), in a worker of its own. Whatever does not
// agree there, for whatever reason, is run alone.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "audit/audit.hpp"
#include "audit/rerun/php_worker.hpp"

namespace assay::audit {

// What came of groups.
struct BatchTally {
  std::uint64_t groups = 0;                      // tried
  std::uint64_t requests = 0;                    // in them
  std::uint64_t agreed = 0;                      // requests that need not be run alone
  std::map<std::string, std::uint64_t> denials;  // why, and how many groups
};

class PhpExecutor : public Executor {
 public:
  // `reports` must outlive it; `most_lanes` requests at most are run as one, none if it is less than 2. Throws
  // std::runtime_error if no worker starts.
  PhpExecutor(PhpWorkerOptions options, const Reports& reports, unsigned most_lanes = 0);

  void run(std::span<const RequestIndex> group, Answers& answers) override;
  double process_seconds() const override;
  const BatchTally& tally() const { return tally_; }

 private:
  enum class Attempt : std::uint8_t { finished, worker_died };
  // What the request has produced so far.
  struct Produced {
    std::uint32_t status = 200;
    std::string headers;  // as they came
    std::string body;
  };

  wire::RunOrder order_of(const wire::Request& request) const;
  void replace_worker();
  Attempt run_once(RequestIndex request, Answers& answers, bool last_try);
  void run_alone(RequestIndex request, Answers& answers);
  // Those that are left to be run alone.
  std::vector<RequestIndex> run_together(std::span<const RequestIndex> group, Answers& answers);
  std::vector<RequestIndex> try_lanes(std::span<const RequestIndex> group, Answers& answers,
                                      unsigned parted = 0);
  std::vector<RequestIndex> try_parts(std::span<const RequestIndex> group, const std::vector<unsigned>& ways,
                                      Answers& answers, unsigned parted);
  bool start_group_worker();
  void forget_group_worker();
  static bool answer(PhpWorker& worker, wire::Bytes body, Run& run);
  static bool finish(wire::Bytes body, const Produced& produced, Run& run);

  PhpWorkerOptions options_;
  const Reports& reports_;
  std::unique_ptr<PhpWorker> worker_;
  double seconds_before_ = 0;  // of workers that are gone
  unsigned most_lanes_;
  std::unique_ptr<PhpWorker> group_worker_;  // when there is a group
  BatchTally tally_;
};

}  // namespace assay::audit
