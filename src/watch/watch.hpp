// A whole watch: fragments come in, rounds are cut by themselves, violations are told once, and with a
// checkpoint folder another process can go on where this one was killed. The watcher decides (watcher.hpp);
// this is everything around it but the command line.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collect/source.hpp"
#include "watch/feed.hpp"
#include "watch/log.hpp"
#include "watch/reported.hpp"
#include "watch/resume_point.hpp"
#include "watch/storage.hpp"
#include "watch/watcher.hpp"

namespace assay::watch {

struct Settings {
  WatchOptions watcher;
  FeedOptions feed;
  std::optional<std::filesystem::path> checkpoint;  // the folder
  std::chrono::milliseconds checkpoint_every{5000};
  bool stop = false;           // at the first violation
  std::size_t collectors = 0;  // the first round waits until so many have sent something
};

// A violation that was not told before.
struct Violation {
  std::uint64_t number = 0;        // from 1
  std::uint64_t digest = 0;        // the same whenever and wherever it is found in the same rounds
  std::uint64_t transactions = 0;  // taken in when it was found
  const Round& round;
};

// For people and machines that look on while it runs.
struct Status {
  std::uint64_t fragments = 0, transactions = 0, rounds = 0, violations = 0, collectors = 0;
  Verdict verdict = Verdict::holds;  // of the last round
  std::string reason;                // where that is undecided: why
  Kept kept;
  double transactions_per_second = 0;  // over the last seconds
  double lag_seconds = 0;              // age of the oldest fragment that no round has decided
  double last_lag_seconds = 0;         // the same at the end of the last round
  double round_seconds = 0;            // the last round
  std::uint64_t round_transactions = 0;
  std::uint64_t log_bytes = 0;
  bool storage_works = true;
};

class Watch {
 public:
  // Given how far each collector had come, makes the sources.
  using MakeSources =
      std::function<std::vector<std::unique_ptr<collect::Source>>(const collect::ProgressOf&)>;
  struct Listener {
    // Does all that does no harm when it is done again, as writing a page, and returns what must be done
    // once.
    std::function<std::function<void()>(const Violation&)> violation;
    std::function<void()> round;  // after each
    collect::Note note;           // from any thread
  };

  // Throws InputError: the checkpoint cannot be used.
  Watch(const Settings& settings, MakeSources make_sources, Listener listener);

  // Returns when the input has ended, `interrupted` is set, or the first violation was told and that is the
  // end. Throws InputError if the checkpoint cannot be used.
  void run(const std::atomic<bool>& interrupted);

  // From any thread.
  Status status() const;
  // Why the input could not be read to its end.
  const std::optional<std::string>& input_error() const { return input_error_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t resume();
  void add(const collect::Fragment& fragment);
  void decide(std::optional<Clock::time_point> oldest);
  void tell(const Round& round);
  void save();
  void keep_trying(const std::function<void()>& write);
  bool may_begin(std::optional<Clock::time_point> first) const;
  void follow(Feed& feed, const std::atomic<bool>& interrupted);
  void publish(const Feed* feed);

  Settings settings_;
  MakeSources make_sources_;
  Listener listener_;
  std::optional<HeldFolder> held_;
  std::unique_ptr<Log> log_;
  Reported reported_;
  std::unique_ptr<Watcher> watcher_;

  // As of the last fragment that was added.
  collect::ProgressOf progress_;
  collect::OwnerOf owners_;
  std::map<std::string, std::vector<std::string>> sessions_of_;  // by collector
  std::uint64_t added_ = 0;                                      // fragments
  std::uint64_t undecided_ = 0;                                  // of them, since the last round

  std::uint64_t transactions_ = 0, rounds_ = 0;
  Round last_round_;
  double last_lag_ = 0;
  bool save_failed_ = false;
  std::uint64_t saved_ = 0;  // added_ at the last checkpoint
  Clock::time_point next_save_{};
  std::optional<Clock::time_point> oldest_undecided_;
  std::deque<std::pair<Clock::time_point, std::uint64_t>> rate_;  // transactions, now and then
  std::optional<std::string> input_error_;
  const std::atomic<bool>* interrupted_ = nullptr;

  mutable std::mutex mutex_;
  Status status_;
};

}  // namespace assay::watch
