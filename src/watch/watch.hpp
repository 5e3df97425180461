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
#include <optional>
#include <string>
#include <vector>

#include "collect/source.hpp"
#include "system/disk.hpp"
#include "system/durable_file.hpp"
#include "system/input_error.hpp"
#include "system/thread_safety.hpp"
#include "system/timing.hpp"
#include "watch/feed.hpp"
#include "watch/keep/checkpoint.hpp"
#include "watch/keep/doubts.hpp"
#include "watch/keep/log.hpp"
#include "watch/keep/reported.hpp"
#include "watch/keep/working.hpp"
#include "watch/watcher.hpp"

namespace assay::watch {

struct Settings {
  WatchOptions watcher;
  FeedOptions feed;
  std::optional<std::filesystem::path> checkpoint;  // the folder
  std::chrono::milliseconds checkpoint_every{5000};
  // Not null: instead of that folder, and instead of this machine's time. They must outlive the watch.
  system::Disk* disk = nullptr;
  system::Timing* timing = nullptr;
  bool stop = false;  // at the first violation
  // How it is known who may still send something, where 0 is "it is not": there are so many collectors, of
  // which each announces its sessions; there are so many sessions.
  std::size_t collectors = 0, sessions = 0;
  // Of one fragment in the log; one that would take more is an error, or left out.
  std::uint64_t unpacked_bytes = UINT64_MAX;
  bool leave_out = false;  // fragments of the log that are too large, or that a process ended at
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
  std::uint64_t committed = 0;       // of the transactions
  Verdict verdict = Verdict::holds;  // of the last round
  std::string reason;                // where that is undecided: why
  bool sessions_known = false;       // it is settled who may still send something
  Kept kept;
  double transactions_per_second = 0;  // over the last seconds
  double lag_seconds = 0;              // age of the oldest fragment that no round has decided
  double last_lag_seconds = 0;         // the same at the end of the last round
  double round_seconds = 0;            // the last round
  std::uint64_t round_transactions = 0;
  std::uint64_t log_bytes = 0;
  bool storage_works = true;
};

// A fragment of the log takes more memory than it may.
class LogTooLarge : public InputError {
 public:
  using InputError::InputError;
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
  // The three parts of that, for whoever brings what arrives in his own way. Goes back to what an earlier
  // process kept, and gives what takes in the rest; null if there is nothing to do.
  std::unique_ptr<Intake> begin(const std::atomic<bool>& interrupted);
  // Takes what has arrived, and decides if it is time. False: that was the last.
  bool look(Inflow& inflow);
  void end(const Inflow& inflow);

  // From any thread.
  Status status() const;
  // How far each collector has come with what was added.
  const collect::ProgressOf& progress() const { return progress_; }
  // Why the input could not be read to its end.
  const std::optional<std::string>& input_error() const { return input_error_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t resume();
  Clock::time_point now() const { return timing_->now(); }
  void add(const collect::Fragment& fragment);
  void decide(std::optional<Clock::time_point> oldest);
  void tell(const Round& round);
  void save();
  void tell_what_was_left();
  bool leaves_out(std::uint64_t index, const std::string& collector, std::uint64_t unpacked);
  void doubt(Status& status, const Inflow* inflow);
  void keep_trying(const std::function<void()>& write);
  bool all_sessions_declared() const;
  bool all_collectors_done() const;
  void warn_of_growth();
  void publish(const Inflow* inflow);

  Settings settings_;
  MakeSources make_sources_;
  Listener listener_;
  std::optional<system::HeldFolder> held_;
  std::unique_ptr<system::Disk> own_disk_;
  system::Disk* disk_ = nullptr;  // null: nothing is kept
  system::Timing own_timing_;
  system::Timing* timing_ = &own_timing_;
  std::unique_ptr<Log> log_;
  Reported reported_;
  Doubts doubts_;
  Working working_;
  bool left_out_ = false;  // a part of the history: nothing that is found now counts
  std::unique_ptr<Watcher> watcher_;

  // As of the last fragment that was added.
  collect::ProgressOf progress_;
  collect::OwnerOf owners_;
  std::map<std::string, std::vector<std::string>> sessions_of_;  // by collector
  std::uint64_t added_ = 0;                                      // fragments
  std::uint64_t undecided_ = 0;                                  // of them, since the last round

  std::uint64_t transactions_ = 0, committed_ = 0, rounds_ = 0;
  std::uint64_t decided_ = 0;  // transactions_ at the last round
  Round last_round_;
  double last_lag_ = 0;
  bool save_failed_ = false;
  bool warned_of_growth_ = false;
  std::uint64_t saved_ = 0;  // added_ at the last checkpoint
  Clock::time_point next_save_{};
  std::optional<Clock::time_point> oldest_undecided_;
  std::deque<std::pair<Clock::time_point, std::uint64_t>> rate_;  // transactions, now and then
  std::optional<std::string> input_error_;
  const std::atomic<bool>* interrupted_ = nullptr;

  mutable system::Mutex mutex_;
  Status status_ GUARDED_BY(mutex_);
};

}  // namespace assay::watch
