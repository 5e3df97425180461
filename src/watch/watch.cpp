#include "watch/watch.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <thread>

#include "history/digest.hpp"
#include "history/error.hpp"

namespace assay::watch {

namespace {

using std::chrono::milliseconds;

// A round waits for as long as the last one took, so that what is kept is not judged again for a handful of
// new transactions: at most half of the time goes into gathering, and a violation is told soon.
constexpr milliseconds kShortestGathering{20}, kLongestGathering{1000};
// Sessions that start together should be admitted together.
constexpr milliseconds kFirstGathering{300};
constexpr milliseconds kLook{100};
constexpr std::chrono::seconds kRateOver{5};

std::uint64_t digest_of(const Round& round) {
  if (round.counterexample) return digest(*round.counterexample);
  return XXH3_64bits(round.reason.data(), round.reason.size());
}

bool has_horizon(Level level) {
  return level == Level::read_committed || level == Level::monotonic_atomic_view ||
         level == Level::read_atomic;
}

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Watch::Watch(const Settings& settings, MakeSources make_sources, Listener listener)
    : settings_(settings), make_sources_(std::move(make_sources)), listener_(std::move(listener)) {
  if (!settings_.checkpoint) return;
  held_.emplace(*settings_.checkpoint);
  log_ = std::make_unique<Log>(*settings_.checkpoint);
  reported_ = Reported(*settings_.checkpoint / "reported");
}

void Watch::run(const std::atomic<bool>& interrupted) {
  interrupted_ = &interrupted;
  const std::uint64_t next = resume();
  if (settings_.stop && reported_.size() > 0) return;
  {
    Feed feed(make_sources_(progress_), owners_, log_.get(), next, settings_.feed, listener_.note);
    follow(feed, interrupted);
    input_error_ = feed.error();
    publish(&feed);
  }
  if (log_ && undecided_ == 0 && added_ > saved_) save();
}

// Goes back to the newest checkpoint and through the log after it, with rounds cut where they were.
std::uint64_t Watch::resume() {
  std::optional<Checkpoint> checkpoint;
  if (log_) checkpoint = load_checkpoint(*settings_.checkpoint, listener_.note);
  if (!checkpoint) {
    watcher_ = std::make_unique<Watcher>(settings_.watcher);
  } else {
    const std::string folder = settings_.checkpoint->string();
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
    transactions_ = checkpoint->transactions;
    rounds_ = checkpoint->rounds;
    last_round_.verdict = checkpoint->verdict;
    last_round_.reason = checkpoint->reason;
  }
  if (!log_) return 0;
  std::deque<collect::Fragment> waiting;
  const std::uint64_t next =
      log_->open(added_,
                 {[&](std::uint64_t, collect::Fragment fragment) { waiting.push_back(std::move(fragment)); },
                  [&](std::uint64_t end) {
                    for (; added_ < end && !waiting.empty(); waiting.pop_front()) add(waiting.front());
                    decide(std::nullopt);
                  }},
                 listener_.note);
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

void Watch::add(const collect::Fragment& fragment) {
  collect::Progress& progress = progress_[fragment.collector];
  progress.next = fragment.sequence + 1;
  progress.done = fragment.last;
  progress.cursor = fragment.cursor;
  std::vector<std::string>& sessions = sessions_of_[fragment.collector];
  const History& history = fragment.history;
  for (std::uint32_t s = 0; s < history.sessions(); ++s) {
    std::string name = to_string(history.name(Session{s}));
    if (!owners_.try_emplace(name, fragment.collector).second) continue;
    watcher_->admit(name);
    sessions.push_back(std::move(name));
  }
  if (fragment.last) {
    for (const std::string& session : sessions) watcher_->close(session);
  } else {
    watcher_->add(history);
  }
  transactions_ += history.transactions();
  ++added_;
  ++undecided_;
}

bool Watch::may_begin(std::optional<Clock::time_point> first) const {
  if (rounds_ > 0) return true;
  if (settings_.collectors > 0) return progress_.size() >= settings_.collectors;
  return first && Clock::now() - *first >= kFirstGathering;
}

void Watch::follow(Feed& feed, const std::atomic<bool>& interrupted) {
  std::optional<Clock::time_point> first, since;
  if (undecided_ > 0) first = since = oldest_undecided_ = Clock::now();
  for (;;) {
    const auto gathering = std::clamp(
        std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(last_round_.seconds)),
        kShortestGathering, kLongestGathering);
    const auto now = Clock::now();
    const std::vector<Feed::Arrived> arrived =
        feed.take(since ? std::min(*since + gathering, now + kLook) : now + kLook);
    for (const Feed::Arrived& one : arrived) {
      if (!first) first = one.at;
      if (!since) since = oldest_undecided_ = one.at;
      add(one.fragment);
    }
    const bool ended = feed.ended(), stopped = interrupted;
    const bool due = since && may_begin(first) && (Clock::now() - *since >= gathering || feed.crowded());
    if (undecided_ > 0 && (due || ended || stopped)) {
      decide(oldest_undecided_);
      since.reset();
      oldest_undecided_.reset();
      if (log_ && Clock::now() >= next_save_) save();
    }
    publish(&feed);
    if (listener_.round && !arrived.empty()) listener_.round();
    if (ended || stopped || (settings_.stop && reported_.size() > 0)) return;
  }
}

void Watch::decide(std::optional<Clock::time_point> oldest) {
  if (log_ && oldest) log_->append_round(added_);
  // A broken database may show thousands of violations at once: whoever wants to stop need not wait for all.
  const auto stopped = [&] { return interrupted_->load() || (settings_.stop && reported_.size() > 0); };
  do {
    last_round_ = watcher_->decide();
    ++rounds_;
    if (last_round_.verdict == Verdict::violated) tell(last_round_);
  } while (last_round_.more && !stopped());
  undecided_ = 0;
  if (oldest) last_lag_ = seconds(Clock::now() - *oldest);
}

void Watch::tell(const Round& round) {
  const std::uint64_t digest = digest_of(round);
  if (reported_.has(digest)) return;
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
    } catch (const StorageError& error) {
      if (!noted) listener_.note(fmt::format("{}: trying again until it works", error.what()));
      if (interrupted_->load()) throw InputError("checkpoint", "", error.what());
    }
    std::this_thread::sleep_for(kLook);
  }
}

void Watch::save() {
  const auto begin = Clock::now();
  Checkpoint checkpoint;
  checkpoint.level = settings_.watcher.level;
  checkpoint.clock_drift = settings_.watcher.clock_drift;
  checkpoint.fragments = added_;
  checkpoint.transactions = transactions_;
  checkpoint.rounds = rounds_;
  checkpoint.violations = reported_.size();
  checkpoint.verdict = last_round_.verdict;
  checkpoint.reason = last_round_.reason;
  watcher_->save(checkpoint.state);
  checkpoint.collectors = progress_;
  checkpoint.owners = owners_;
  try {
    log_->forget_before(save_checkpoint(*settings_.checkpoint, checkpoint));
    saved_ = added_;
    if (std::exchange(save_failed_, false)) listener_.note("checkpoints can be written again");
  } catch (const StorageError& error) {
    if (!std::exchange(save_failed_, true))
      listener_.note(fmt::format("{}: no checkpoint; the log keeps growing meanwhile", error.what()));
  }
  // A twentieth of the time at most.
  const auto took = Clock::now() - begin;
  next_save_ = Clock::now() + std::max<Clock::duration>(settings_.checkpoint_every, 20 * took);
}

void Watch::publish(const Feed* feed) {
  const auto now = Clock::now();
  if (rate_.empty() || now - rate_.back().first >= kLook) rate_.emplace_back(now, transactions_);
  while (rate_.size() > 2 && now - rate_[1].first > kRateOver) rate_.pop_front();
  const double over = seconds(now - rate_.front().first);

  Status status;
  status.fragments = added_;
  status.transactions = transactions_;
  status.rounds = rounds_;
  status.violations = reported_.size();
  status.collectors = progress_.size();
  status.verdict = last_round_.verdict;
  status.reason = last_round_.reason;
  status.kept = watcher_->kept();
  status.transactions_per_second =
      over > 0 ? static_cast<double>(transactions_ - rate_.front().second) / over : 0;
  std::optional<Clock::time_point> oldest = oldest_undecided_;
  if (!oldest && feed != nullptr) oldest = feed->oldest();
  status.lag_seconds = oldest ? seconds(now - *oldest) : 0;
  status.last_lag_seconds = last_lag_;
  status.round_seconds = last_round_.seconds;
  status.round_transactions = last_round_.transactions;
  status.log_bytes = log_ ? log_->bytes() : 0;
  status.storage_works = (feed == nullptr || !feed->stuck()) && !save_failed_;
  const std::lock_guard lock(mutex_);
  status_ = std::move(status);
}

Status Watch::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

}  // namespace assay::watch
