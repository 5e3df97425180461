// Takes fragments in on a thread of its own, so that collectors get their acknowledgements while a round is
// being decided: collects from the sources, writes the log, acknowledges, and queues for the one that
// decides. The queue has a bound; where it is full nothing is collected, and the sources wait.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collect/source.hpp"
#include "watch/log.hpp"

namespace assay::watch {

struct FeedOptions {
  bool until_end = false;  // end when all that is there now was taken in
  std::size_t queue_bytes = std::size_t{1} << 28;
};

class Feed {
 public:
  using Clock = std::chrono::steady_clock;

  // `log` may be null: then "taken in" means to be in memory. `first` is the number of the first fragment.
  Feed(std::vector<std::unique_ptr<collect::Source>> sources, collect::OwnerOf owners, Log* log,
       std::uint64_t first, const FeedOptions& options, collect::Note note);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  struct Arrived {
    std::uint64_t index;
    Clock::time_point at;
    collect::Fragment fragment;  // without its block
  };
  // All that has arrived; waits for the first until `deadline`.
  std::vector<Arrived> take(Clock::time_point deadline);
  // Nothing more comes, and all was taken. With an error: a source failed.
  bool ended() const;
  std::optional<std::string> error() const;
  // When the oldest fragment in the queue arrived.
  std::optional<Clock::time_point> oldest() const;
  // The log cannot be written at the moment.
  bool stuck() const { return stuck_; }
  bool crowded() const;

 private:
  void run();
  bool collect_once();
  bool make_safe();
  void push(std::vector<collect::Fragment> fragments, std::uint64_t first);
  std::size_t room() const;
  bool stopping() const;
  void pause(std::chrono::milliseconds time, bool wake_for_input);

  std::vector<std::unique_ptr<collect::Source>> sources_;
  collect::OwnerOf owners_;
  Log* log_;
  std::uint64_t next_;
  FeedOptions options_;
  collect::Note note_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Arrived> queue_;
  std::size_t queued_bytes_ = 0;
  bool ended_ = false, stop_ = false;
  std::optional<std::string> error_;
  std::atomic<bool> stuck_ = false;
  std::thread thread_;
};

}  // namespace assay::watch
