#include "watch/feed.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "system/input_error.hpp"

namespace assay::watch {

namespace {

constexpr std::chrono::milliseconds kIdle{20};    // between two looks at files that may have grown
constexpr std::chrono::milliseconds kRetry{250};  // after a failure of the disk

std::size_t size_of(const collect::Fragment& fragment) {
  return fragment.history.resident_bytes() + 256;
}

}  // namespace

Feed::Feed(std::unique_ptr<Intake> intake, const FeedOptions& options)
    : intake_(std::move(intake)), options_(options), thread_([this] { run(); }) {}

Feed::~Feed() {
  {
    const system::MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Feed::stopping() const {
  const system::MutexLock lock(mutex_);
  return stop_;
}

std::size_t Feed::room() const {
  const system::MutexLock lock(mutex_);
  return options_.queue_bytes - std::min(options_.queue_bytes, queued_bytes_);
}

bool Feed::crowded() const {
  const system::MutexLock lock(mutex_);
  return queued_bytes_ >= options_.queue_bytes / 2;
}

void Feed::run() {
  std::optional<std::string> error;
  try {
    while (!stopping() && step()) {
    }
  } catch (const InputError& failure) {
    error = failure.what();
  } catch (const std::bad_alloc&) {
    error = "out of memory";  // so short that it takes none
  } catch (const std::exception& failure) {
    error = fmt::format("while taking fragments in: {}", failure.what());
  }
  const system::MutexLock lock(mutex_);
  error_ = std::move(error);
  ended_ = true;
  changed_.notify_all();
}

// False when nothing will come any more.
bool Feed::step() {
  const std::size_t most = room();
  Intake::Taken taken = intake_->step(most);
  note_doubts();  // before what came with them can be decided
  switch (taken.step) {
    case Intake::Step::took:
      push(std::move(taken));
      return true;
    case Intake::Step::idle:
      pause(kIdle, most > 0);
      return true;
    case Intake::Step::stuck:
      pause(kRetry, false);
      return true;
    case Intake::Step::ended:
      return false;
  }
  return false;
}

void Feed::note_doubts() {
  std::vector<collect::Doubt> all = intake_->doubts();
  const system::MutexLock lock(mutex_);
  doubts_ = std::move(all);
}

std::vector<collect::Doubt> Feed::doubts() const {
  const system::MutexLock lock(mutex_);
  return doubts_;
}

void Feed::push(Intake::Taken taken) {
  const auto now = Clock::now();
  const system::MutexLock lock(mutex_);
  for (collect::Fragment& fragment : taken.fragments) {
    fragment.block = {};
    queued_bytes_ += size_of(fragment);
    queue_.push_back({taken.first++, now, std::move(fragment)});
  }
  changed_.notify_all();
}

void Feed::pause(std::chrono::milliseconds time, bool wake_for_input) {
  std::vector<pollfd> descriptors;
  if (wake_for_input) intake_->wake(descriptors);
  if (!descriptors.empty()) {
    ::poll(descriptors.data(), descriptors.size(), static_cast<int>(time.count()));
    return;
  }
  const auto until = Clock::now() + time;
  system::MutexLock lock(mutex_);
  while (!stop_ && changed_.wait_until(lock, until)) {
  }
}

std::vector<Feed::Arrived> Feed::take(Clock::time_point deadline) {
  system::MutexLock lock(mutex_);
  while (queue_.empty() && !ended_ && changed_.wait_until(lock, deadline)) {
  }
  queued_bytes_ = 0;
  return std::exchange(queue_, {});
}

bool Feed::ended() const {
  const system::MutexLock lock(mutex_);
  return ended_ && queue_.empty();
}

std::optional<std::string> Feed::error() const {
  const system::MutexLock lock(mutex_);
  return error_;
}

std::optional<Feed::Clock::time_point> Feed::oldest() const {
  const system::MutexLock lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  return queue_.front().at;
}

}  // namespace assay::watch
