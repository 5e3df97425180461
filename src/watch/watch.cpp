#include "watch/watch.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <stdexcept>

#include "evidence/examination.hpp"
#include "history/digest.hpp"
#include "system/input_error.hpp"
#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

using std::chrono::milliseconds;

// A round waits for as long as the last one took, so that what is kept is not decided again for a handful of
// new transactions: at most half of the time goes into gathering, and a violation is told soon.
constexpr milliseconds kShortestGathering{20}, kLongestGathering{1000};
constexpr milliseconds kLook{100};
constexpr std::chrono::seconds kRateOver{5};

std::uint64_t digest_of(const Round& round) {
  if (round.counterexample) return digest(*round.counterexample);
  return XXH3_64bits(round.reason.data(), round.reason.size());
}

bool has_horizon(Level level) {
  return rules_of(level).forgets == Forgets::beyond_horizon;
}

// Begins a doubt about a part of the history that is not there any more.
constexpr std::string_view kLeftOut = "left out: ";

// Not an InputError, which would stand for damage to the log.
struct TooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Watch::Watch(const Settings& settings, MakeSources make_sources, Listener listener)
    : settings_(settings), make_sources_(std::move(make_sources)), listener_(std::move(listener)) {
  if (settings_.timing != nullptr) timing_ = settings_.timing;
  disk_ = settings_.disk;
  if (disk_ == nullptr && settings_.checkpoint) {
    held_.emplace(*settings_.checkpoint);
    own_disk_ = std::make_unique<system::FolderDisk>(*settings_.checkpoint);
    disk_ = own_disk_.get();
  }
  if (disk_ == nullptr) return;
  log_ = std::make_unique<Log>(*disk_);
  reported_ = Reported(*disk_);
  doubts_ = Doubts(*disk_);
  working_ = Working(*disk_);
  left_out_ = std::any_of(doubts_.all().begin(), doubts_.all().end(),
                          [](const collect::Doubt& one) { return one.why.starts_with(kLeftOut); });
}

void Watch::run(const std::atomic<bool>& interrupted) {
  std::unique_ptr<Intake> intake = begin(interrupted);
  if (!intake) return;
  Feed feed(std::move(intake), settings_.feed);
  while (look(feed)) {
  }
  end(feed);
}

std::unique_ptr<Intake> Watch::begin(const std::atomic<bool>& interrupted) {
  interrupted_ = &interrupted;
  const std::uint64_t next = resume();
  if (undecided_ > 0) oldest_undecided_ = now();
  if (settings_.stop && reported_.size() > 0) return nullptr;
  return std::make_unique<Intake>(make_sources_(progress_), owners_, log_.get(), next,
                                  settings_.feed.until_end, listener_.note);
}

void Watch::end(const Inflow& inflow) {
  input_error_ = inflow.error();
  publish(&inflow);
  if (log_ && undecided_ == 0 && !last_round_.more && added_ > saved_) save();
}

// Goes back to the newest checkpoint and through the log after it, with rounds cut where they were.
std::uint64_t Watch::resume() {
  std::optional<Checkpoint> checkpoint;
  if (log_) checkpoint = load_checkpoint(*disk_, listener_.note);
  if (!checkpoint) {
    watcher_ = std::make_unique<Watcher>(settings_.watcher);
  } else {
    const std::string folder = disk_->shown("");
    if (checkpoint->level != settings_.watcher.level ||
        checkpoint->clock_drift != settings_.watcher.clock_drift) {
      throw InputError(
          folder, "",
          fmt::format("this is a watch at {} with a clock drift of {} ns; to watch something else, "
                      "name another folder",
                      info(checkpoint->level).name, checkpoint->clock_drift));
    }
    watcher_ = std::make_unique<Watcher>(Watcher::load(checkpoint->state, folder));
    progress_ = std::move(checkpoint->collectors);
    owners_ = std::move(checkpoint->owners);
    for (const auto& [session, collector] : owners_) sessions_of_[collector].push_back(session);
    added_ = saved_ = checkpoint->fragments;
    transactions_ = decided_ = checkpoint->transactions;
    committed_ = checkpoint->committed;
    rounds_ = checkpoint->rounds;
    last_round_.verdict = checkpoint->verdict;
    last_round_.reason = checkpoint->reason;
  }
  if (!log_) return 0;
  tell_what_was_left();
  std::deque<collect::Fragment> waiting;
  const Log::Visitor visitor{
      [&](std::uint64_t, collect::Fragment fragment) { waiting.push_back(std::move(fragment)); },
      [&](std::uint64_t end) {
        for (; added_ < end && !waiting.empty(); waiting.pop_front()) add(waiting.front());
        decide(std::nullopt);
      },
      [&](std::uint64_t index, const std::string& collector, std::uint64_t unpacked) {
        return leaves_out(index, collector, unpacked);
      }};
  std::uint64_t next = 0;
  try {
    next = log_->open(added_, visitor, listener_.note);
  } catch (const TooLarge& error) {
    throw LogTooLarge(disk_->shown(""), "", error.what());
  }
  for (; !waiting.empty(); waiting.pop_front()) add(waiting.front());
  // Not before: rounds that are gone through again must find what they found.
  if (watcher_->horizon() != settings_.watcher.horizon) {
    if (has_horizon(settings_.watcher.level))
      listener_.note(
          fmt::format("the horizon is {} transactions from now on, it was {}: what was forgotten stays so",
                      settings_.watcher.horizon, watcher_->horizon()));
    watcher_->set_horizon(settings_.watcher.horizon);
  }
  for (const std::uint64_t digest : reported_.untold()) {
    listener_.note(
        fmt::format("violation {:016x} was being told when the watch was stopped: look for its report, it is "
                    "not told again",
                    digest));
    keep_trying([&] { reported_.told(digest); });
  }
  if (next > 0) {
    listener_.note(
        fmt::format("going on after {} fragments and {} transactions of {} collectors, {} violations told",
                    next, transactions_, progress_.size(), reported_.size()));
  }
  publish(nullptr);
  return next;
}

// A process may have ended in the middle of a round for many reasons. If it was the fragments, it happens again.
void Watch::tell_what_was_left() {
  const auto& left = working_.left();
  if (!left || left->end <= added_) return;
  listener_.note(fmt::format("the watch has ended {} while it decided fragments {} to {}: {}",
                             left->times == 1 ? "once" : fmt::format("{} times", left->times), left->first,
                             left->end - 1,
                             settings_.leave_out ? "they are left out"
                                                 : "they are gone through again, and can be left out if that "
                                                   "ends it again"));
}

bool Watch::leaves_out(std::uint64_t index, const std::string& collector, std::uint64_t unpacked) {
  const auto& left = working_.left();
  const bool deadly = left && left->first <= index && index < left->end;
  const bool large = unpacked > settings_.unpacked_bytes;
  if (large && !settings_.leave_out) {
    throw TooLarge(
        fmt::format("fragment {} of the log, from {}, would take up to {} bytes in memory, and {} are "
                    "allowed: allow more, or leave it out",
                    index, collector, unpacked, settings_.unpacked_bytes));
  }
  if (!settings_.leave_out || (!deadly && !large)) return false;
  const std::string why =
      fmt::format("{}fragment {} of the log, from {}, {}", kLeftOut, index, collector,
                  large ? fmt::format("which would take up to {} bytes in memory", unpacked)
                        : "at which a watch has ended before");
  listener_.note(fmt::format("{}: from here on nothing can be decided", why));
  keep_trying([&] { doubts_.add({why}); });
  left_out_ = true;
  return true;
}

void Watch::add(const collect::Fragment& fragment) {
  collect::Progress& progress = progress_[fragment.collector];
  progress.next = fragment.sequence + 1;
  progress.done = fragment.last;
  if (fragment.sequence == 0)
    progress.announced = fragment.history.sessions() > 0 && fragment.history.transactions() == 0;
  progress.cursor = fragment.cursor;
  std::vector<std::string>& sessions = sessions_of_[fragment.collector];
  const History& history = fragment.history;
  for (std::uint32_t s = 0; s < history.sessions(); ++s) {
    std::string name = to_string(history.name(Session{s}));
    if (!owners_.try_emplace(name, fragment.collector).second) continue;
    if (fragment.sequence > 0) progress.announced = false;
    if (watcher_->knows_all_sessions()) {
      listener_.note(
          fmt::format("session {} is new, although all sessions were known: it is taken to begin after what "
                      "was settled, and "
                      "what was told as a value that nobody wrote may be its",
                      name));
    }
    watcher_->admit(name);
    sessions.push_back(std::move(name));
  }
  if (fragment.last) {
    for (const std::string& session : sessions) watcher_->close(session);
  } else {
    watcher_->add(history);
  }
  if (all_sessions_declared()) watcher_->all_sessions_known();
  transactions_ += history.transactions();
  committed_ += evidence::committed(history);
  ++added_;
  ++undecided_;
  if (!doubts_.empty()) keep_trying([&] { doubts_.settle(fragment.collector); });
}

bool Watch::all_sessions_declared() const {
  if (settings_.sessions > 0 && owners_.size() >= settings_.sessions) return true;
  return settings_.collectors > 0 && progress_.size() >= settings_.collectors &&
         std::all_of(progress_.begin(), progress_.end(),
                     [](const auto& one) { return one.second.announced || one.second.done; });
}

bool Watch::all_collectors_done() const {
  return std::all_of(progress_.begin(), progress_.end(), [](const auto& one) { return one.second.done; });
}

bool Watch::look(Inflow& inflow) {
  const auto gathering =
      std::clamp(std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(last_round_.seconds)),
                 kShortestGathering, kLongestGathering);
  const auto soon = now() + kLook;
  // Asked before what has come is taken: who was told that it is safe, and then stops the watch, gets an answer about it.
  const bool stopped = *interrupted_;
  std::vector<Inflow::Arrived> arrived =
      inflow.take(oldest_undecided_ ? std::min(*oldest_undecided_ + gathering, soon) : soon);
  for (Inflow::Arrived& one : arrived) {
    if (!oldest_undecided_) oldest_undecided_ = one.at;
    add(one.fragment);
    one.fragment = {};  // the watcher has a copy
  }
  const bool ended = inflow.ended();
  const bool enough = inflow.crowded() || transactions_ - decided_ >= settings_.watcher.round_transactions;
  const bool due = oldest_undecided_ && (enough || now() - *oldest_undecided_ >= gathering);
  // Who was not heard of by the end never will be.
  const bool settles = ended && !inflow.error() && all_collectors_done() && !watcher_->knows_all_sessions();
  if (settles) watcher_->all_sessions_known();
  if ((settles && transactions_ > 0) || (undecided_ > 0 && (due || ended || stopped))) {
    decide(oldest_undecided_);
    oldest_undecided_.reset();
    if (log_ && !last_round_.more && now() >= next_save_) save();
  }
  publish(&inflow);
  if (listener_.round && !arrived.empty()) listener_.round();
  return !ended && !stopped && !(settings_.stop && reported_.size() > 0);
}

void Watch::decide(std::optional<Clock::time_point> oldest) {
  if (log_ && oldest) log_->append_round(added_);
  // Who stops a watch gets an answer about all that it has taken, however many rounds that is. But a broken database may show
  // thousands of violations at once: to stop, nobody need wait for all of them.
  const auto stopped = [&] { return reported_.size() > 0 && (interrupted_->load() || settings_.stop); };
  working_.begin(added_ - undecided_, added_);
  do {
    const auto began = now();
    last_round_ = watcher_->decide();
    last_round_.seconds = seconds(now() - began);
    ++rounds_;
    if (last_round_.verdict == Verdict::violated) tell(last_round_);
  } while (last_round_.more && !stopped());
  working_.done();
  undecided_ = 0;
  decided_ = transactions_;
  warn_of_growth();
  if (oldest) last_lag_ = seconds(now() - *oldest);
}

// What a session that was not heard of could still touch is everything.
void Watch::warn_of_growth() {
  if (warned_of_growth_ || watcher_->knows_all_sessions() ||
      rules_of(settings_.watcher.level).forgets != Forgets::settled ||
      watcher_->kept().live < settings_.watcher.round_transactions) {
    return;
  }
  warned_of_growth_ = true;
  listener_.note(
      "nobody said how many sessions there are, so one that was not heard of may still send anything: "
      "nothing can "
      "be forgotten, and memory and the time of a round grow with the history");
}

void Watch::tell(const Round& round) {
  const std::uint64_t digest = digest_of(round);
  if (reported_.has(digest)) return;
  if (left_out_) {  // what was left out may be what would explain it
    listener_.note(
        "something looks like a violation, but a part of the history was left out: it is not told");
    return;
  }
  // The cut of this round must be known to the next process before anybody hears of the violation: cut
  // otherwise, it might come to look like another one.
  if (log_) keep_trying([&] { log_->sync(); });
  const std::function<void()> say = listener_.violation({reported_.size() + 1, digest, transactions_, round});
  keep_trying([&] { reported_.enter(digest); });
  say();
  keep_trying([&] { reported_.told(digest); });
}

void Watch::keep_trying(const std::function<void()>& write) {
  for (bool noted = false;; noted = true) {
    try {
      write();
      return;
    } catch (const system::StorageError& error) {
      if (!noted) listener_.note(fmt::format("{}: trying again until it works", error.what()));
      if (interrupted_->load()) throw InputError("checkpoint", "", error.what());
    }
    timing_->pause(kLook);
  }
}

void Watch::save() {
  const auto began = now();
  Checkpoint checkpoint;
  checkpoint.level = settings_.watcher.level;
  checkpoint.clock_drift = settings_.watcher.clock_drift;
  checkpoint.fragments = added_;
  checkpoint.transactions = transactions_;
  checkpoint.committed = committed_;
  checkpoint.rounds = rounds_;
  checkpoint.violations = reported_.size();
  checkpoint.verdict = last_round_.verdict;
  checkpoint.reason = last_round_.reason;
  watcher_->save(checkpoint.state);
  checkpoint.collectors = progress_;
  checkpoint.owners = owners_;
  try {
    log_->forget_before(save_checkpoint(*disk_, checkpoint));
    saved_ = added_;
    if (std::exchange(save_failed_, false)) listener_.note("checkpoints can be written again");
  } catch (const system::StorageError& error) {
    if (!std::exchange(save_failed_, true))
      listener_.note(fmt::format("{}: no checkpoint; the log keeps growing meanwhile", error.what()));
  }
  // A twentieth of the time at most.
  const auto took = now() - began;
  next_save_ = now() + std::max<Clock::duration>(settings_.checkpoint_every, 20 * took);
}

void Watch::publish(const Inflow* inflow) {
  const auto present = now();
  if (rate_.empty() || present - rate_.back().first >= kLook) rate_.emplace_back(present, transactions_);
  while (rate_.size() > 2 && present - rate_[1].first > kRateOver) rate_.pop_front();
  const double over = seconds(present - rate_.front().first);

  Status status;
  status.fragments = added_;
  status.transactions = transactions_;
  status.committed = committed_;
  status.rounds = rounds_;
  status.violations = reported_.size();
  status.collectors = progress_.size();
  status.verdict = last_round_.verdict;
  status.reason = last_round_.reason;
  status.sessions_known = watcher_->knows_all_sessions();
  status.kept = watcher_->kept();
  status.transactions_per_second =
      over > 0 ? static_cast<double>(transactions_ - rate_.front().second) / over : 0;
  std::optional<Clock::time_point> oldest = oldest_undecided_;
  if (!oldest && inflow != nullptr) oldest = inflow->oldest();
  status.lag_seconds = oldest ? seconds(present - *oldest) : 0;
  status.last_lag_seconds = last_lag_;
  status.round_seconds = last_round_.seconds;
  status.round_transactions = last_round_.transactions;
  status.log_bytes = log_ ? log_->bytes() : 0;
  status.storage_works = (inflow == nullptr || !inflow->stuck()) && !save_failed_;
  doubt(status, inflow);
  const system::MutexLock lock(mutex_);
  status_ = std::move(status);
}

// With a part missing or in dispute, what was decided is not about the whole.
void Watch::doubt(Status& status, const Inflow* inflow) {
  for (const collect::Doubt& one : inflow != nullptr ? inflow->doubts() : std::vector<collect::Doubt>()) {
    keep_trying([&] { doubts_.add(one); });
  }
  if (doubts_.empty() || (status.verdict != Verdict::holds && !left_out_)) return;
  status.verdict = Verdict::undecided;
  status.reason = doubts_.all().front().why;
}

Status Watch::status() const {
  const system::MutexLock lock(mutex_);
  return status_;
}

}  // namespace assay::watch
