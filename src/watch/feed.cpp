#include "watch/feed.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <exception>

#include "history/error.hpp"
#include "watch/storage.hpp"

namespace assay::watch {

namespace {

constexpr std::chrono::milliseconds kIdle{20};        // between two looks at files that may have grown
constexpr std::chrono::milliseconds kRetry{250};      // after a failure of the disk
constexpr std::size_t kBatch = std::size_t{1} << 24;  // what is made safe at a time

std::size_t size_of(const collect::Fragment& fragment) {
  return fragment.history.resident_bytes() + 256;
}

}  // namespace

Feed::Feed(std::vector<std::unique_ptr<collect::Source>> sources, collect::OwnerOf owners, Log* log,
           std::uint64_t first, const FeedOptions& options, collect::Note note)
    : sources_(std::move(sources)),
      owners_(std::move(owners)),
      log_(log),
      next_(first),
      options_(options),
      note_(std::move(note)),
      thread_([this] { run(); }) {}

Feed::~Feed() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Feed::stopping() const {
  const std::lock_guard lock(mutex_);
  return stop_;
}

std::size_t Feed::room() const {
  const std::lock_guard lock(mutex_);
  return options_.queue_bytes - std::min(options_.queue_bytes, queued_bytes_);
}

bool Feed::crowded() const {
  const std::lock_guard lock(mutex_);
  return queued_bytes_ >= options_.queue_bytes / 2;
}

void Feed::run() {
  std::optional<std::string> error;
  try {
    while (!stopping()) {
      if (!collect_once()) break;
    }
  } catch (const InputError& failure) {
    error = failure.what();
  } catch (const std::exception& failure) {
    error = fmt::format("while taking fragments in: {}", failure.what());
  }
  const std::lock_guard lock(mutex_);
  error_ = error;
  ended_ = true;
  changed_.notify_all();
}

// False when nothing will come any more.
bool Feed::collect_once() {
  collect::Batch batch(owners_, std::min(room(), kBatch));
  std::exception_ptr failure;
  bool all_ended = true, all_at_rest = true;
  if (batch.has_room()) {
    for (const auto& source : sources_) {
      // What came before the mistake still counts.
      try {
        if (!source->ended()) source->collect(batch);
      } catch (const InputError&) {
        failure = std::current_exception();
        break;
      }
      all_ended = all_ended && source->ended();
      all_at_rest = all_at_rest && (source->ended() || source->at_rest());
    }
  } else {
    all_ended = all_at_rest = false;
  }
  const bool at_the_end = !failure && (all_ended || (options_.until_end && all_at_rest && batch.empty()));
  if (at_the_end && !all_ended) {
    for (const auto& source : sources_) {
      if (!source->ended()) source->finish(batch);
    }
  }
  const bool any = !batch.empty();
  if (any) {
    std::vector<collect::Fragment> fragments = batch.take();
    const std::uint64_t first = next_;
    next_ += fragments.size();
    if (log_ != nullptr) {
      for (const collect::Fragment& fragment : fragments) log_->append(fragment);
      if (!make_safe()) return false;
    }
    push(std::move(fragments), first);
  }
  for (const auto& source : sources_) source->acknowledge();
  if (failure) std::rethrow_exception(failure);
  if (at_the_end) return false;
  if (!any) pause(kIdle, batch.has_room());
  return true;
}

// False if the feed was stopped before the disk would take it.
bool Feed::make_safe() {
  for (;;) {
    try {
      log_->sync();
      if (stuck_.exchange(false)) note_("the log can be written again: going on");
      return true;
    } catch (const StorageError& error) {
      if (!stuck_.exchange(true)) {
        note_(fmt::format(
            "{}; nothing is taken in or acknowledged until that works again, nothing acknowledged is lost",
            error.what()));
      }
    }
    pause(kRetry, false);
    if (stopping()) return false;
  }
}

void Feed::push(std::vector<collect::Fragment> fragments, std::uint64_t first) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  for (collect::Fragment& fragment : fragments) {
    fragment.block = {};
    queued_bytes_ += size_of(fragment);
    queue_.push_back({first++, now, std::move(fragment)});
  }
  changed_.notify_all();
}

void Feed::pause(std::chrono::milliseconds time, bool wake_for_input) {
  std::vector<pollfd> descriptors;
  if (wake_for_input) {
    for (const auto& source : sources_) source->wake(descriptors);
  }
  if (!descriptors.empty()) {
    ::poll(descriptors.data(), descriptors.size(), static_cast<int>(time.count()));
    return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [this] { return stop_; });
}

std::vector<Feed::Arrived> Feed::take(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return !queue_.empty() || ended_; });
  queued_bytes_ = 0;
  return std::exchange(queue_, {});
}

bool Feed::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_ && queue_.empty();
}

std::optional<std::string> Feed::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

std::optional<Feed::Clock::time_point> Feed::oldest() const {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  return queue_.front().at;
}

}  // namespace assay::watch
