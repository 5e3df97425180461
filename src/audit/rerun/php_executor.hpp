// Runs the requests of a PHP server again, each alone, in a warm worker process. A worker that dies is
// replaced and the request tried once more; if it dies again the audit has no answer for that request.
#pragma once

#include <memory>
#include <string>

#include "audit/audit.hpp"
#include "audit/rerun/php_worker.hpp"

namespace assay::audit {

class PhpExecutor : public Executor {
 public:
  // `reports` must outlive it. Throws std::runtime_error if no worker starts.
  PhpExecutor(PhpWorkerOptions options, const Reports& reports);

  void run(std::span<const RequestIndex> group, Answers& answers) override;
  double process_seconds() const override;

 private:
  enum class Attempt : std::uint8_t { finished, worker_died };
  // What the request has produced so far.
  struct Produced {
    std::uint32_t status = 200;
    std::string headers;  // as they came
    std::string body;
  };

  void replace_worker();
  Attempt run_once(RequestIndex request, Answers& answers, bool last_try);
  static bool answer(PhpWorker& worker, wire::Bytes body, Run& run);
  static bool finish(wire::Bytes body, const Produced& produced, Run& run);

  PhpWorkerOptions options_;
  const Reports& reports_;
  std::unique_ptr<PhpWorker> worker_;
  double seconds_before_ = 0;  // of workers that are gone
};

}  // namespace assay::audit
