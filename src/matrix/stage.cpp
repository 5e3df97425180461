#include "matrix/stage.hpp"

#include <deque>
#include <exception>
#include <thread>
#include <utility>

#include "record/client.hpp"
#include "system/thread_safety.hpp"

namespace assay::matrix {

namespace {

using database::Failure;
using database::StoreError;
using record::Client;
using Clock = std::chrono::steady_clock;

constexpr int kMostFailures = 200;
constexpr std::chrono::milliseconds kWaitAfterFailure{20};

// One transaction, again until it commits and `body` is satisfied. In a cluster, what one node has committed is not at
// once on the others.
template <class Body>
void until_done(Client& client, const Body& body) {
  for (int failures = 0;; ++failures) {
    try {
      client.begin();
      const bool done = body();
      client.commit();
      if (done) return;
    } catch (const StoreError& error) {
      if (error.failure() == Failure::fatal) throw;
    }
    if (failures == kMostFailures)
      throw StoreError(Failure::fatal, "the rows of a schedule could not be loaded and seen by all sessions");
    std::this_thread::sleep_for(kWaitAfterFailure);
  }
}

void perform(Client& client, const Step& step) {
  switch (step.act) {
    case Act::read:
      client.read(step.key);
      return;
    case Act::write:
      client.write(step.key, std::to_string(step.value));
      return client.settle();
    case Act::insert:
      client.insert(step.key, std::to_string(step.value));
      return;
    case Act::erase:
      client.erase(step.key);
      return;
    case Act::append:
      client.append(step.key);
      return client.settle();
    case Act::read_list:
      client.read_list(step.key);
      return;
    case Act::select:
      client.filter_read({"", step.value, step.high});
      return;
    case Act::commit:
      return client.commit();
    case Act::abort:
      return client.abort();
  }
}

bool ends_transaction(Act act) {
  return act == Act::commit || act == Act::abort;
}

class Stage {
 public:
  Stage(const Schedule& schedule, std::vector<Client> clients)
      : schedule_(schedule),
        clients_(std::move(clients)),
        actors_(clients_.size()),
        notes_(schedule.steps.size()) {
    for (std::size_t i = 0; i < clients_.size(); ++i) threads_.emplace_back([this, i] { act(i); });
  }
  ~Stage() {
    {
      const system::MutexLock lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  Played play(std::chrono::milliseconds patience) {
    for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
      const std::size_t who = schedule_.steps[i].session - 1;
      if (!give(who, i)) continue;  // it is blocked, and comes to this when it is let go
      if (!idle_within(who, patience)) continue;
      // What ended a transaction may have let others go on. They come first.
      if (ended(i)) {
        for (std::size_t other = 0; other < clients_.size(); ++other) idle_within(other, patience);
      }
    }
    for (std::size_t who = 0; who < clients_.size(); ++who) wait_for(who);
    return played();
  }

 private:
  struct Actor {
    std::deque<std::size_t> steps;  // to do; the first is being done
    bool open = false;              // its transaction
    bool refused = false;           // the rest of its transaction is skipped
  };
  struct Note {
    StepOutcome outcome;
    Clock::time_point begun{}, done{};
    bool ended_transaction = false;
  };

  // False if the session is still at an earlier step.
  bool give(std::size_t who, std::size_t step) {
    bool free = false;
    {
      const system::MutexLock lock(mutex_);
      free = actors_[who].steps.empty();
      actors_[who].steps.push_back(step);
    }
    changed_.notify_all();
    return free;
  }

  // False if it is at some step after that time, which then counts as blocked.
  bool idle_within(std::size_t who, std::chrono::milliseconds patience) {
    const Clock::time_point until = Clock::now() + patience;
    system::MutexLock lock(mutex_);
    while (!actors_[who].steps.empty()) {
      if (changed_.wait_until(lock, until)) continue;
      if (actors_[who].steps.empty()) break;
      notes_[actors_[who].steps.front()].outcome.waited = true;
      return false;
    }
    return true;
  }

  // The store gives up in time, so this ends.
  void wait_for(std::size_t who) {
    system::MutexLock lock(mutex_);
    while (!actors_[who].steps.empty()) changed_.wait(lock);
  }

  bool ended(std::size_t step) {
    const system::MutexLock lock(mutex_);
    return notes_[step].ended_transaction;
  }

  // One session, on its own thread.
  void act(std::size_t who) {
    while (const std::optional<std::size_t> number = next(who)) {
      const Step& step = schedule_.steps[*number];
      std::optional<std::string> error;
      std::exception_ptr failure;
      const Task task = begin(who, *number);
      try {
        if (task == Task::begin_and_do) clients_[who].begin();
        if (task != Task::skip) perform(clients_[who], step);
      } catch (const StoreError& refusal) {
        if (refusal.failure() == Failure::fatal) failure = std::current_exception();
        error = refusal.what();
      } catch (...) {
        failure = std::current_exception();
      }
      end(who, *number, error, failure);
    }
  }

  // The session's next step, once there is one; none when all is over.
  std::optional<std::size_t> next(std::size_t who) {
    system::MutexLock lock(mutex_);
    while (actors_[who].steps.empty() && !over_) changed_.wait(lock);
    if (actors_[who].steps.empty()) return std::nullopt;
    return actors_[who].steps.front();
  }

  enum class Task : std::uint8_t { skip, go_on, begin_and_do };
  Task begin(std::size_t who, std::size_t number) {
    const system::MutexLock lock(mutex_);
    const Actor& actor = actors_[who];
    notes_[number].begun = Clock::now();
    notes_[number].outcome.skipped = actor.refused || failure_;
    if (notes_[number].outcome.skipped) return Task::skip;
    return actor.open ? Task::go_on : Task::begin_and_do;
  }

  void end(std::size_t who, std::size_t number, const std::optional<std::string>& error,
           const std::exception_ptr& failure) {
    {
      const system::MutexLock lock(mutex_);
      Actor& actor = actors_[who];
      Note& note = notes_[number];
      const bool is_last = ends_transaction(schedule_.steps[number].act);
      note.done = Clock::now();
      note.outcome.error = error;
      note.ended_transaction = error.has_value() || (is_last && !note.outcome.skipped);
      actor.refused = (actor.refused || error) && !is_last;
      actor.open = !actor.refused && !is_last;
      if (failure && !failure_) failure_ = failure;
      actor.steps.pop_front();
    }
    changed_.notify_all();
  }

  // A step that waited was blocked only if another session's transaction ended meanwhile.
  Played played() {
    const system::MutexLock lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    Played played;
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      Note& note = notes_[i];
      bool let_go = note.outcome.error.has_value();
      for (std::size_t j = 0; j < notes_.size(); ++j) {
        let_go = let_go ||
                 (schedule_.steps[j].session != schedule_.steps[i].session && notes_[j].ended_transaction &&
                  notes_[j].done >= note.begun && notes_[j].begun <= note.done);
      }
      if (note.outcome.waited && !let_go) {
        note.outcome.waited = false;
        played.out_of_step = true;
      }
      played.steps.push_back(note.outcome);
    }
    return played;
  }

  const Schedule& schedule_;
  std::vector<Client> clients_;  // each used by its thread alone
  system::Mutex mutex_;
  system::Condition changed_;
  std::vector<Actor> actors_ GUARDED_BY(mutex_);
  std::vector<Note> notes_ GUARDED_BY(mutex_);  // by step
  std::exception_ptr failure_ GUARDED_BY(mutex_);
  bool over_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // last: they use all the others
};

}  // namespace

Played play(database::Store& store, const database::Store::Mode& mode, const Schedule& schedule,
            record::Recorder& recorder, std::chrono::milliseconds patience) {
  const std::uint32_t sessions = sessions_of(schedule);
  const auto client = [&](std::uint32_t number) {
    return Client(store.open_session(number), {number, sessions + 1, mode.asked, true}, &recorder);
  };
  Client loader = client(sessions);
  until_done(loader, [&] {
    loader.write(kRowX, std::to_string(kValueX));
    loader.write(kRowY, std::to_string(kValueY));
    return true;
  });
  // So the history itself shows that loading came first.
  std::vector<Client> clients;
  for (std::uint32_t number = 0; number < sessions; ++number) {
    clients.push_back(client(number));
    Client& seeing = clients.back();
    until_done(seeing, [&] { return seeing.read(kRowX).has_value() && seeing.read(kRowY).has_value(); });
  }
  return Stage(schedule, std::move(clients)).play(patience);
}

}  // namespace assay::matrix
