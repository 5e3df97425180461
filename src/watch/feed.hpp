// Takes fragments in on a thread of its own, so that collectors get their acknowledgements while a round is
// being decided, and queues them for the one that decides. The queue has a bound; where it is full nothing is
// collected, and the sources wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "system/thread_safety.hpp"
#include "watch/inflow.hpp"
#include "watch/intake.hpp"

namespace assay::watch {

struct FeedOptions {
  bool until_end = false;  // end when all that is there now was taken in
  std::size_t queue_bytes = std::size_t{1} << 23;
};

class Feed : public Inflow {
 public:
  Feed(std::unique_ptr<Intake> intake, const FeedOptions& options);
  ~Feed() override;

  std::vector<Arrived> take(Clock::time_point deadline) override;
  bool ended() const override;
  std::optional<std::string> error() const override;
  std::optional<Clock::time_point> oldest() const override;
  std::vector<collect::Doubt> doubts() const override;
  bool stuck() const override { return intake_->stuck(); }
  bool crowded() const override;

 private:
  void run();
  bool step();
  void note_doubts();
  void push(Intake::Taken taken);
  std::size_t room() const;
  bool stopping() const;
  void pause(std::chrono::milliseconds time, bool wake_for_input);

  std::unique_ptr<Intake> intake_;
  FeedOptions options_;

  mutable system::Mutex mutex_;
  system::Condition changed_;
  std::vector<Arrived> queue_ GUARDED_BY(mutex_);
  std::size_t queued_bytes_ GUARDED_BY(mutex_) = 0;
  std::vector<collect::Doubt> doubts_ GUARDED_BY(mutex_);
  bool ended_ GUARDED_BY(mutex_) = false;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::optional<std::string> error_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace assay::watch
