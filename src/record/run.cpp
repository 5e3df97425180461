#include "record/run.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "record/pace.hpp"
#include "system/thread_safety.hpp"

namespace assay::record {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kRowsPerLoad = 200;   // rows of one loading transaction
constexpr std::uint32_t kMostFailures = 100;  // in a row, before loading or starting is given up
constexpr std::chrono::milliseconds kLookAround{100};
constexpr std::chrono::milliseconds kWaitAfterFailure{10};
constexpr std::chrono::seconds kLongestOutage{60};

// The plans of a session depend on the seed and its number, not on how many sessions there are.
std::uint64_t session_seed(std::uint64_t seed, std::uint32_t session) {
  return system::Random(seed ^ (std::uint64_t{session} * 0x9E3779B97F4A7C15ULL)).next();
}

// What sessions share. Counters are apart, so that counting costs nothing.
struct alignas(64) SessionCounts {
  std::atomic<std::uint64_t> committed = 0, aborted = 0, unknown = 0;
  void add(std::atomic<std::uint64_t>& which) { which.fetch_add(1, std::memory_order_relaxed); }
};

class Running {
 public:
  Running(database::Store& store, const Workload& workload, const RunOptions& options, Recorder* recorder,
          const RunControl& control)
      : store_(store),
        workload_(workload),
        options_(options),
        recorder_(recorder),
        control_(control),
        counts_(options.sessions),
        latencies_(options.sessions) {}

  RunResult run();

 private:
  Client client(std::uint32_t session);
  std::uint64_t load();
  void run_session(std::uint32_t session);
  void end_session(const std::exception_ptr& failure);
  bool ended_within(std::chrono::milliseconds time);
  void rethrow_failure();
  void wait_until_loaded(Client& client);
  void fence(Client& client);
  bool begin(Client& client) const;
  template <class Body>
  std::optional<database::Failure> attempt(Client& client, Body body);
  bool stopped() const { return control_.stop.load(std::memory_order_relaxed) || failed_.load(); }
  bool over() const { return stopped() || (until_ && Clock::now() >= *until_); }
  void pause(Clock::time_point until) const;
  RunCounts total() const;

  database::Store& store_;
  const Workload& workload_;
  const RunOptions& options_;
  Recorder* recorder_;
  const RunControl& control_;

  // By session, until its thread takes it. All connect before the run starts, and with it the trouble: who cannot
  // connect at first has the wrong address, who cannot later has to wait. The first session loads the rows too:
  // one that did nothing else would stay silent for the rest of the run, and who watches the recording would wait
  // for it.
  std::vector<Client> clients_;
  std::vector<SessionCounts> counts_;  // by session
  std::vector<Latencies> latencies_;
  std::atomic<bool> failed_ = false;
  system::Mutex mutex_;
  system::Condition session_ended_;
  std::uint32_t active_ GUARDED_BY(mutex_) = 0;  // sessions
  std::exception_ptr failure_ GUARDED_BY(mutex_);
  Clock::time_point start_, counted_from_;
  std::optional<Clock::time_point> until_;
};

Client Running::client(std::uint32_t session) {
  return Client(store_.open_session(session),
                {session, options_.sessions, options_.level, workload_.shows_values()}, recorder_);
}

// Waits for a store that went away. False: the run ends before it is back.
bool Running::begin(Client& client) const {
  const Clock::time_point give_up = Clock::now() + kLongestOutage;
  while (true) {
    try {
      client.begin();
      return true;
    } catch (const database::StoreError& error) {
      if (error.failure() == database::Failure::fatal) throw;
      if (Clock::now() >= give_up) {
        throw database::StoreError(
            database::Failure::fatal,
            fmt::format("no transaction could begin for {} s: {}", kLongestOutage.count(), error.what()));
      }
    }
    if (over()) return false;
    std::this_thread::sleep_for(kWaitAfterFailure);
  }
}

// One transaction; what it failed of, if it did. Throws only what is fatal.
template <class Body>
std::optional<database::Failure> Running::attempt(Client& client, Body body) {
  if (!begin(client)) return database::Failure::aborted;
  try {
    try {
      body();
    } catch (const Rollback&) {
      client.abort();
      return database::Failure::aborted;
    }
    client.commit();
    return std::nullopt;
  } catch (const database::StoreError& error) {
    if (error.failure() == database::Failure::fatal) throw;
    return error.failure();
  }
}

std::uint64_t Running::load() {
  struct LoadedRow {
    std::string key, value;
  };
  std::vector<LoadedRow> rows;
  Client& loader = clients_.front();
  std::uint64_t loaded = 0;
  const auto write = [&] {
    for (std::uint32_t failures = 0;; ++failures) {
      const auto failure = attempt(loader, [&] {
        for (const LoadedRow& row : rows) loader.write(row.key, row.value);
      });
      if (!failure) break;
      if (failures == kMostFailures)
        throw database::StoreError(database::Failure::fatal,
                                   "the rows could not be loaded: transactions kept failing");
      std::this_thread::sleep_for(kWaitAfterFailure);
    }
    loaded += rows.size();
    rows.clear();
  };
  workload_.load([&](std::string_view key, std::string_view value) {
    if (stopped()) return;
    rows.push_back({std::string(key), std::string(value)});
    if (rows.size() == kRowsPerLoad) write();
  });
  if (!rows.empty()) write();
  rows.push_back({std::string(kLoadedKey), "1"});
  write();
  return loaded - 1;
}

void Running::wait_until_loaded(Client& client) {
  for (std::uint32_t failures = 0; !stopped(); ++failures) {
    bool loaded = false;
    if (!attempt(client, [&] { loaded = client.read(kLoadedKey).has_value(); }) && loaded) return;
    if (failures == kMostFailures)
      throw database::StoreError(database::Failure::fatal,
                                 "a session does not see the rows that were loaded");
    std::this_thread::sleep_for(kWaitAfterFailure);
  }
}

void Running::fence(Client& client) {
  attempt(client, [&] { client.write(kFenceKey, std::to_string(number_in(client.read(kFenceKey)) + 1)); });
}

void Running::pause(Clock::time_point until) const {
  if (until_ && *until_ < until) until = *until_;
  while (!stopped()) {
    const auto now = Clock::now();
    if (now >= until) return;
    std::this_thread::sleep_for(std::min<Clock::duration>(until - now, kLookAround));
  }
}

void Running::run_session(std::uint32_t session) {
  Client me = std::move(clients_[session]);
  wait_until_loaded(me);
  const std::unique_ptr<Script> script = workload_.script(session + 1);
  system::Random random(session_seed(options_.seed, session));
  SessionCounts& counts = counts_[session];

  std::uint64_t left = UINT64_MAX;
  if (options_.transactions) {
    left = *options_.transactions / options_.sessions;
    if (session < *options_.transactions % options_.sessions) ++left;
  }
  std::optional<Pace> pace;
  if (options_.rate) pace.emplace(*options_.rate, options_.sessions, session);
  const Clock::time_point start = Clock::now();
  for (std::uint64_t planned = 1; left != 0; ++planned, --left) {
    if (pace) pause(start + pace->due());
    if (over()) return;
    script->plan(random);
    const Clock::time_point begin = pace ? start + pace->due() : Clock::now();
    const std::optional<database::Failure> failure = attempt(me, [&] { script->run(me); });
    const Clock::time_point end = Clock::now();
    if (end >= counted_from_) {
      counts.add(!failure                                 ? counts.committed
                 : *failure == database::Failure::aborted ? counts.aborted
                                                          : counts.unknown);
      if (!failure) latencies_[session].add(end - begin);
    }
    if (options_.fence_every != 0 && planned % options_.fence_every == 0) fence(me);
    if (pace) {
      pace->next();
    } else if (options_.think.count() != 0) {
      pause(end + options_.think);
    }
  }
}

void Running::end_session(const std::exception_ptr& failure) {
  const system::MutexLock lock(mutex_);
  if (failure && !failure_) failure_ = failure;
  if (failure) failed_ = true;
  --active_;
  session_ended_.notify_one();
}

// Waits that long, or until all sessions have ended: then it is true.
bool Running::ended_within(std::chrono::milliseconds time) {
  const auto until = Clock::now() + time;
  system::MutexLock lock(mutex_);
  while (active_ != 0 && session_ended_.wait_until(lock, until)) {
  }
  return active_ == 0;
}

void Running::rethrow_failure() {
  const system::MutexLock lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

RunCounts Running::total() const {
  RunCounts total;
  for (const SessionCounts& one : counts_) {
    total.committed += one.committed.load(std::memory_order_relaxed);
    total.aborted += one.aborted.load(std::memory_order_relaxed);
    total.unknown += one.unknown.load(std::memory_order_relaxed);
  }
  return total;
}

RunResult Running::run() {
  RunResult result;
  clients_.reserve(options_.sessions);
  for (std::uint32_t s = 0; s < options_.sessions; ++s) clients_.push_back(client(s));
  result.rows = load();
  if (control_.started) control_.started();

  start_ = Clock::now();
  counted_from_ = start_ + options_.warm_up;
  if (options_.duration) until_ = counted_from_ + *options_.duration;
  {
    const system::MutexLock lock(mutex_);
    active_ = options_.sessions;
  }
  std::vector<std::thread> threads;
  for (std::uint32_t s = 0; s < options_.sessions; ++s) {
    threads.emplace_back([this, s] {
      std::exception_ptr failure;
      try {
        run_session(s);
      } catch (...) {
        failure = std::current_exception();
      }
      end_session(failure);
    });
  }
  while (!ended_within(kLookAround)) {
    if (control_.tick) control_.tick(total(), std::chrono::duration<double>(Clock::now() - start_).count());
  }
  for (std::thread& thread : threads) thread.join();
  result.seconds = std::max(0.0, std::chrono::duration<double>(Clock::now() - counted_from_).count());
  if (control_.ended) control_.ended();
  rethrow_failure();
  result.counts = total();
  for (const Latencies& one : latencies_) result.latencies.add(one);
  result.stopped = control_.stop;
  return result;
}

}  // namespace

RunResult run(database::Store& store, const Workload& workload, const RunOptions& options, Recorder* recorder,
              const RunControl& control) {
  return Running(store, workload, options, recorder, control).run();
}

}  // namespace assay::record
