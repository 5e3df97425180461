#include "support/simulation/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <vector>

#include "check/check.hpp"
#include "format/assay/packed_block.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "report/report.hpp"
#include "support/random/random_stream.hpp"
#include "support/simulation/disk.hpp"
#include "support/simulation/process.hpp"
#include "watch/event.hpp"
#include "watch/watch.hpp"

namespace assay::watch::simulation {

namespace {

using std::chrono::milliseconds;

// Ends the process that it befalls, and nobody catches it there.
struct Killed {};

Verdict verdict_of(const History& history, const WatchOptions& options) {
  check::Options plain;
  plain.clock_drift = std::chrono::nanoseconds(options.clock_drift);
  return check::check(history, std::span(&options.level, 1), plain).front().verdict;
}

// Each collector has some of the sessions, and sends what they did in fragments of any size; some announce
// their sessions first.
std::vector<Collector> collectors_of(const Plan& plan, Rng& rng) {
  const History& h = plan.history;
  std::vector<Collector> collectors(plan.collectors);
  for (std::uint32_t c = 0; c < plan.collectors; ++c) {
    collectors[c].name = fmt::format("collector-{}", c);
    std::vector<std::pair<Session, std::uint32_t>> next;  // and how many of its transactions were sent
    for (std::uint32_t s = c; s < h.sessions(); s += plan.collectors) next.push_back({Session{s}, 0});
    if (rng.chance(0.5)) {
      HistoryBuilder announcement;
      for (const auto& [session, sent] : next) announcement.session(h.name(session));
      collectors[c].blocks.push_back(PackedCodec::encode(announcement.finish()));
    }
    while (!next.empty()) {
      HistoryBuilder fragment;
      Rebuild rebuild(h, fragment);
      for (std::uint32_t n = rng.between(1, 5); n > 0 && !next.empty(); --n) {
        const std::uint32_t i = rng.below(static_cast<std::uint32_t>(next.size()));
        auto& [session, sent] = next[i];
        const IdRange<Txn> all = h.transactions_of(session);
        if (sent < all.size()) rebuild.transaction(all[sent++]);
        if (sent == all.size()) next.erase(next.begin() + i);
      }
      History made = fragment.finish();
      if (made.transactions() > 0) collectors[c].blocks.push_back(PackedCodec::encode(made));
    }
  }
  return collectors;
}

class Simulation {
 public:
  explicit Simulation(const Plan& plan)
      : plan_(plan),
        rng_(plan.seed ^ 0x5EED5EED5EED5EEDULL),
        disk_([this] { before_the_disk_changes(); }),
        network_(collectors_of(plan, rng_), plan.network) {
    settings_.watcher = plan.watcher;
    settings_.disk = &disk_;
    settings_.timing = &time_;
    settings_.checkpoint_every = milliseconds(rng_.chance(0.5) ? 20 : 500);
    if (plan.declares == Plan::Declares::collectors) settings_.collectors = plan.collectors;
    if (plan.declares == Plan::Declares::sessions) settings_.sessions = sessions_that_will_be_heard_of();
  }

  std::string run() {
    constexpr int kMost = 100'000, kTroubled = 600;
    for (int i = 0; i < kMost && wrong_.empty() && !over_; ++i) {
      troubled_ = i < kTroubled;
      try {
        step();
      } catch (const Killed&) {
        die();
      } catch (const std::exception& error) {
        // A disk that fails while the process starts is its end, as good as any.
        if (!disk_fails()) fail(error.what());
        die();
      }
    }
    if (wrong_.empty() && !over_) fail("it does not come to an end");
    return wrong_;
  }

 private:
  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }
  bool disk_fails() const { return time_.now() < disk_fails_until_; }

  std::size_t sessions_that_will_be_heard_of() {
    std::set<std::string> names;
    for (const Collector& collector : network_.collectors()) {
      for (const std::string& block : collector.blocks) {
        format::ByteCursor in("block", block);
        const History history = PackedCodec::decode(in);
        for (std::uint32_t s = 0; s < history.sessions(); ++s)
          names.insert(to_string(history.name(Session{s})));
      }
    }
    return names.size();
  }

  void before_the_disk_changes() {
    if (troubled_ && plan_.deaths && rng_.chance(0.01)) throw Killed{};
    if (disk_fails()) throw system::StorageError("the disk fails");
  }

  void step() {
    if (troubled_ && plan_.disk_errors && !disk_fails() && rng_.chance(0.005))
      disk_fails_until_ = time_.now() + milliseconds(rng_.between(1, 400));
    if (!watch_) {
      if (rng_.chance(0.3)) return start();
      time_.pause(milliseconds(10));
      return network_.act(rng_, nullptr);
    }
    if (troubled_ && plan_.deaths && rng_.chance(0.004)) throw Killed{};
    if (troubled_ && plan_.deaths && rng_.chance(0.004)) interrupted_ = true;
    switch (rng_.below(5)) {
      case 0:
      case 1:
        return network_.act(rng_, &source_->safe());
      case 2:
        return inflow_->step(rng_.chance(0.1) ? 0 : rng_.between(1, 4096));
      case 3:
        return look();
      default:
        return time_.pause(milliseconds(rng_.below(60)));
    }
  }

  void start() {
    interrupted_ = false;
    watch_ = std::make_unique<Watch>(
        settings_,
        [this](const collect::ProgressOf& progress) {
          std::vector<std::unique_ptr<collect::Source>> sources;
          sources.push_back(std::make_unique<NetworkSource>(network_, rng_, progress));
          source_ = static_cast<NetworkSource*>(sources.back().get());
          return sources;
        },
        Watch::Listener{[this](const Violation& violation) { return told(violation.digest); },
                        {},
                        [](const std::string&) {}});
    inflow_ = std::make_unique<SteppedInflow>(watch_->begin(interrupted_), time_, rng_);
    for (const Collector& collector : network_.collectors()) {
      if (source_->safe().at(collector.name) < collector.acknowledged)
        fail(fmt::format("{} has {} fragments acknowledged, and {} are there", collector.name,
                         collector.acknowledged, source_->safe().at(collector.name)));
    }
  }

  std::function<void()> told(std::uint64_t digest) {
    if (troubled_ && plan_.deaths && rng_.chance(0.1)) throw Killed{};
    return [this, digest] {
      if (++told_[digest] > 1) fail("a violation was told twice");
      if (troubled_ && plan_.deaths && rng_.chance(0.1)) throw Killed{};
    };
  }

  void look() {
    const bool goes_on = watch_->look(*inflow_);
    if (rng_.chance(0.1)) look_at_the_verdict_so_far();
    if (goes_on) return;
    watch_->end(*inflow_);
    if (watch_->input_error()) return fail(*watch_->input_error());
    if (interrupted_) return stop();
    look_at_the_verdict();
    over_ = true;
  }

  // "Holds so far" is said of all that was taken in, where nothing waits.
  void look_at_the_verdict_so_far() {
    const Status status = watch_->status();
    if (status.verdict != Verdict::holds || status.violations > 0 || status.kept.waiting > 0) return;
    HistoryBuilder taken;
    std::uint64_t transactions = 0;
    for (const Collector& collector : network_.collectors()) {
      const auto progress = watch_->progress().find(collector.name);
      if (progress == watch_->progress().end()) continue;
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(progress->second.next, collector.blocks.size());
           ++i) {
        format::ByteCursor in("block", collector.blocks[i]);
        const History history = PackedCodec::decode(in);
        Rebuild rebuild(history, taken);
        for (const Txn t : history.all_transactions()) rebuild.transaction(t);
        transactions += history.transactions();
      }
    }
    taken.clocks(plan_.history.clocks());
    if (transactions != status.transactions)
      return fail(
          fmt::format("{} transactions were taken in, and {} counted", transactions, status.transactions));
    if (verdict_of(taken.finish(), plan_.watcher) == Verdict::violated)
      fail("what was taken in violates the level, and it is said to hold so far");
  }

  void look_at_the_verdict() {
    const Status status = final_status(watch_->status());
    if (status.transactions != plan_.history.transactions()) {
      return fail(fmt::format("{} of {} transactions were taken in", status.transactions,
                              plan_.history.transactions()));
    }
    const bool violated = status.violations > 0;
    const Verdict said = violated ? Verdict::violated : status.verdict;
    const Verdict whole = verdict_of(plan_.history, plan_.watcher);
    if (said == whole || (said == Verdict::undecided && may_be_undecided(status))) return;
    fail(fmt::format("the verdict is {} ({}), and that of the whole is {}", report::name(said), status.reason,
                     report::name(whole)));
  }

  bool may_be_undecided(const Status& status) const {
    return plan_.watcher.horizon > 0 || status.committed == 0;
  }

  void die() {
    if (troubled_ && plan_.power_failures && rng_.chance(0.5)) lose_power_ = true;
    stop();
    if (lose_power_) disk_.lose_power(rng_);
    lose_power_ = false;
  }
  void stop() {
    inflow_.reset();
    watch_.reset();
    source_ = nullptr;
    network_.break_all();
  }

  const Plan& plan_;
  Rng rng_;
  Time time_;
  Disk disk_;
  Network network_;
  Settings settings_;
  Time::Clock::time_point disk_fails_until_{};
  std::map<std::uint64_t, int> told_;
  bool troubled_ = true, over_ = false, lose_power_ = false;
  std::string wrong_;

  // The process, while there is one.
  std::atomic<bool> interrupted_ = false;
  std::unique_ptr<Watch> watch_;
  std::unique_ptr<SteppedInflow> inflow_;
  NetworkSource* source_ = nullptr;
};

}  // namespace

Plan plan_of(std::uint64_t seed) {
  Rng rng(seed);
  Plan plan;
  plan.seed = seed;
  constexpr Level kLevels[] = {Level::serializable, Level::serializable,       Level::strict_serializable,
                               Level::causal,       Level::snapshot_isolation, Level::prefix,
                               Level::read_atomic,  Level::read_committed};
  plan.watcher.level = kLevels[rng.below(8)];
  plan.watcher.clock_drift = 1;
  if (rng.chance(0.3)) plan.watcher.horizon = rng.between(1, 10);
  if (rng.chance(0.5)) plan.watcher.round_transactions = rng.between(1, 6);
  Stream stream = random_stream(rng);
  stream.times = info(plan.watcher.level).real_time;
  if (rng.chance(0.5)) stream.unknown = 0.1;
  plan.history = run_stream(rng, stream, plan.watcher.level);
  plan.collectors = rng.between(1, std::max(1U, std::min(4U, plan.history.sessions())));
  plan.declares = static_cast<Plan::Declares>(rng.below(3));
  plan.deaths = rng.chance(0.7);
  plan.power_failures = rng.chance(0.7);
  plan.disk_errors = rng.chance(0.4);
  plan.network = {rng.chance(0.6), rng.chance(0.5), rng.chance(0.5)};
  return plan;
}

std::string simulate(const Plan& plan) {
  return Simulation(plan).run();
}

Plan shrunk(Plan plan) {
  const auto fails = [](const Plan& smaller) { return !simulate(smaller).empty(); };
  const auto without = [&](bool Plan::*fault) {
    Plan smaller = plan;
    smaller.*fault = false;
    if (fails(smaller)) plan = std::move(smaller);
  };
  for (const auto fault : {&Plan::power_failures, &Plan::disk_errors, &Plan::deaths}) without(fault);
  for (const auto fault :
       {&Network::Faults::breaks, &Network::Faults::repeats, &Network::Faults::overtakes}) {
    Plan smaller = plan;
    smaller.network.*fault = false;
    if (fails(smaller)) plan = std::move(smaller);
  }
  // Another history makes other chances: some seeds are tried for each.
  const auto with = [&](const History& history) {
    Plan smaller = plan;
    smaller.history = history;
    smaller.collectors = std::min(plan.collectors, std::max(1U, history.sessions()));
    for (std::uint64_t i = 0; i < 30; ++i) {
      smaller.seed = plan.seed + i;
      if (fails(smaller)) return smaller;
    }
    return Plan{};
  };
  const History small =
      shrink(plan.history, [&](const History& history) { return with(history).history.transactions() > 0; });
  return with(small);
}

std::string shown(const Plan& plan) {
  return fmt::format(
      "seed {}, {}, horizon {}, rounds of {}, {} collectors, declares {}; deaths {}, power failures {}, disk "
      "errors {}, breaks {}, repeats {}, overtakes {}\n{}",
      plan.seed, info(plan.watcher.level).name, plan.watcher.horizon, plan.watcher.round_transactions,
      plan.collectors, static_cast<int>(plan.declares), plan.deaths, plan.power_failures, plan.disk_errors,
      plan.network.breaks, plan.network.repeats, plan.network.overtakes, drawing(plan.history));
}

}  // namespace assay::watch::simulation
