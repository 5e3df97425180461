// What a simulated watcher has in place of threads and of this machine's time.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/random/random_history.hpp"
#include "system/input_error.hpp"
#include "system/timing.hpp"
#include "watch/inflow.hpp"
#include "watch/intake.hpp"

namespace assay::watch::simulation {

// Passes only when it is told to.
class Time : public system::Timing {
 public:
  Clock::time_point now() const override { return now_; }
  void pause(Clock::duration time) override { now_ += time; }

 private:
  Clock::time_point now_{std::chrono::hours(1)};
};

// Takes in what has come when it is told to, not by a thread.
class SteppedInflow : public Inflow {
 public:
  SteppedInflow(std::unique_ptr<Intake> intake, Time& time, Rng& rng)
      : intake_(std::move(intake)), time_(time), rng_(rng) {}

  // Takes in about so many bytes.
  void step(std::size_t room) {
    if (ended_) return;
    try {
      Intake::Taken taken = intake_->step(room);
      ended_ = taken.step == Intake::Step::ended;
      for (collect::Fragment& fragment : taken.fragments) {
        fragment.block = {};
        queue_.push_back({taken.first++, time_.now(), std::move(fragment)});
      }
    } catch (const InputError& error) {
      error_ = error.what();
      ended_ = true;
    }
  }

  std::vector<Arrived> take(Clock::time_point deadline) override {
    if (queue_.empty() && deadline > time_.now() && rng_.chance(0.5)) time_.pause(deadline - time_.now());
    return std::exchange(queue_, {});
  }
  bool ended() const override { return ended_ && queue_.empty(); }
  std::optional<std::string> error() const override { return error_; }
  std::optional<Clock::time_point> oldest() const override {
    return queue_.empty() ? std::nullopt : std::optional(queue_.front().at);
  }
  std::vector<collect::Doubt> doubts() const override { return intake_->doubts(); }
  bool stuck() const override { return intake_->stuck(); }
  bool crowded() const override { return queue_.size() > 8; }

 private:
  std::unique_ptr<Intake> intake_;
  Time& time_;
  Rng& rng_;
  std::vector<Arrived> queue_;
  bool ended_ = false;
  std::optional<std::string> error_;
};

}  // namespace assay::watch::simulation
