#include "cli/run/recording.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "assay/assay.hpp"
#include "cli/command.hpp"
#include "cli/option/choice.hpp"
#include "cli/option/interrupt.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "cli/option/password.hpp"
#include "cli/option/progress.hpp"
#include "database/fault/target.hpp"

namespace assay::cli {

namespace {

using database::Fault;
using database::Store;
using record::KeyDistribution;

constexpr Choice<KeyDistribution::Kind> kDistributions[] = {{"uniform", KeyDistribution::Kind::uniform},
                                                            {"zipf", KeyDistribution::Kind::zipf},
                                                            {"hotspot", KeyDistribution::Kind::hotspot}};
constexpr Choice<Fault> kFaults[] = {
    {"kill", Fault::kill}, {"pause", Fault::pause}, {"partition", Fault::partition}, {"reset", Fault::reset},
    {"slow", Fault::slow}, {"stall", Fault::stall}, {"clock", Fault::clock}};
constexpr double kDefaultSeconds = 10;

std::chrono::nanoseconds seconds_of(double seconds, const char* option) {
  constexpr double kMost = 1e9;
  if (!(seconds > 0) || seconds > kMost)
    throw UsageError(fmt::format("{} must be a number of seconds above 0", option));
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

const record::WorkloadInfo& workload_named(const std::string& name) {
  if (const record::WorkloadInfo* found = record::find_workload(name)) return *found;
  std::vector<std::string> known;
  for (const record::WorkloadInfo& workload : record::workloads()) known.emplace_back(workload.name);
  throw UsageError(fmt::format("unknown workload '{}'{}; the workloads are {}", name, suggestion(name, known),
                               fmt::join(known, ", ")));
}

Store::Mode mode_of(const Store& store, const std::optional<std::string>& isolation) {
  if (const std::optional<Store::Mode> mode = record::find_mode(store, isolation)) return *mode;
  std::vector<std::string> known;
  for (const Store::Mode& mode : store.modes()) known.push_back(record::plain_spelling(mode.called));
  throw UsageError(fmt::format("{} has no isolation '{}'{}; it has {}", store.description(), *isolation,
                               suggestion(*isolation, known), fmt::join(known, ", ")));
}

database::TargetOptions target_of(const RecordingOptions& options) {
  database::TargetOptions target = target_at(options);
  for (const std::string& word : options.faults) target.faults.push_back(chosen(kFaults, "--nemesis", word));
  const bool needs_server = std::any_of(target.faults.begin(), target.faults.end(),
                                        [](Fault fault) { return fault != Fault::clock; });
  if (needs_server && !target.server)
    throw UsageError("--nemesis strikes a private server only: give --server too");
  return target;
}

record::WorkloadOptions shape_of(const RecordingOptions& options) {
  record::WorkloadOptions shape = options.shape;
  if (options.distribution) {
    shape.distribution = options.keys;
    shape.distribution->kind = chosen(kDistributions, "--distribution", *options.distribution);
  }
  return shape;
}

record::RunOptions settled(const RecordingOptions& options) {
  record::RunOptions run = options.run;
  if (options.duration) {
    run.duration = seconds_of(*options.duration, "--duration");
  } else if (!run.transactions) {
    run.duration = seconds_of(kDefaultSeconds, "--duration");
  }
  if (options.warm_up) run.warm_up = seconds_of(*options.warm_up, "--warm-up");
  if (options.think) run.think = duration_of(*options.think);
  if (run.rate && !(*run.rate > 0)) throw UsageError("--rate must be a number above 0");
  return run;
}

std::string line(const record::RunCounts& counts, double rate) {
  return fmt::format(
      "recording: {:.0f} transactions per second, {} committed, {} aborted, {} of unknown fate", rate,
      counts.committed, counts.aborted, counts.unknown);
}

// What is told once a second while it runs.
class Ticks {
 public:
  explicit Ticks(Progress& progress) : progress_(progress) {}
  void operator()(const record::RunCounts& counts, double seconds) {
    if (seconds < before_seconds_ + 1) return;
    progress_.phase(
        line(counts, static_cast<double>(counts.ended() - before_.ended()) / (seconds - before_seconds_)));
    before_ = counts;
    before_seconds_ = seconds;
  }

 private:
  Progress& progress_;
  record::RunCounts before_;
  double before_seconds_ = 0;
};

}  // namespace

void add_address_options(CLI::App& command, AddressOptions& options) {
  command
      .add_option("URL", options.url,
                  "The database: sqlite:PATH, postgres://…, mysql://…, rocksdb:PATH, redis://…, memory:LEVEL")
      ->type_name("URL");
  command
      .add_option("--server", options.server,
                  "Start a private server for the run and remove it afterwards: postgres, mariadb, redis, "
                  "galera:3 for a cluster, or postgres:3 for one with two replicas; options of its URL may "
                  "follow: 'galera:3?sync_wait=7'")
      ->type_name("KIND")
      ->excludes("URL");
  command
      .add_option(
          "--password", options.password,
          "Where the password for the URL comes from, if it is not to stand there: env:NAME, file:PATH "
          "or prompt")
      ->type_name("SOURCE");
}

std::string kind_of(const AddressOptions& options) {
  if (options.server) return options.server->substr(0, options.server->find_first_of(":?"));
  return options.url ? options.url->substr(0, options.url->find(':')) : "sqlite";
}

database::TargetOptions target_at(const AddressOptions& options) {
  database::TargetOptions target{options.url, options.server, {}};
  if (options.password) {
    if (!target.url) throw UsageError("--password is for a URL");
    target.password = password_from(*options.password);
  }
  return target;
}

void add_recording_options(CLI::App& command, RecordingOptions& options) {
  const auto number = [&](const std::string& name, auto& value, const std::string& text) {
    command.add_option(name, value, text)->type_name("N")->capture_default_str();
  };
  const auto positive = [&](const std::string& name, auto& value, const std::string& text) {
    command.add_option(name, value, text)
        ->type_name("N")
        ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{100'000'000}))
        ->capture_default_str();
  };
  const auto seconds = [&](const std::string& name, auto& value, const std::string& text) {
    in_seconds(command.add_option(name, value, text));
  };
  add_address_options(command, options);
  command
      .add_option(
          "--nemesis", options.faults,
          "What befalls the private server meanwhile: a node is killed and restarted, stands still, or is "
          "cut "
          "off from the others; connections are reset, the network is slow or stalls, the clients' clock "
          "steps; may be comma-separated")
      ->type_name(words(kFaults))
      ->delimiter(',')
      ->allow_extra_args(false);
  std::string names;
  for (const record::WorkloadInfo& workload : record::workloads())
    names += (names.empty() ? "" : "|") + std::string(workload.name);
  command.add_option("-w,--workload", options.workload, "What the clients do")
      ->type_name(names)
      ->capture_default_str();
  command
      .add_option(
          "--isolation", options.isolation,
          "What transactions ask the database for, in its own words or by level; its strongest if not "
          "given")
      ->type_name("LEVEL");
  seconds("--duration", options.duration,
          "How long: 30, 30s or 5m (10 if neither this nor --transactions is given)");
  number("--transactions", options.run.transactions, "How many, over all sessions");
  seconds("--warm-up", options.warm_up, "Run this long before counting and timing");
  positive("--sessions", options.run.sessions, "Clients, a connection each");
  command
      .add_option("--rate", options.run.rate,
                  "Begin so many transactions per second, whether or not earlier ones have ended")
      ->type_name("N");
  command.add_option("--think", options.think, "Between two transactions of a session: 5ms")
      ->type_name("DURATION");
  number("--seed", options.run.seed, "The same seed gives the same plans");
  number("--fence-every", options.run.fence_every,
         "After so many transactions a session writes a key that all share; 0: never");
  positive("--keys", options.shape.keys, "blindw, general, list-append, predicate: keys");
  positive("--operations", options.shape.operations,
           "blindw, general, list-append, predicate: of a transaction");
  command
      .add_option(
          "--reads", options.shape.reads,
          "general, list-append, predicate: share of reads; blindw: of read-only transactions; bank: of "
          "audits")
      ->type_name("SHARE")
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--distribution", options.distribution, "How often each key is used")
      ->type_name(words(kDistributions));
  command.add_option("--theta", options.keys.theta, "zipf: how skewed; 0 is uniform")
      ->type_name("X")
      ->check(CLI::Range(0.0, 8.0))
      ->capture_default_str();
  positive("--users", options.shape.users, "twitter, rubis: users");
  positive("--items", options.shape.items, "rubis, tpcc: items");
  positive("--warehouses", options.shape.warehouses, "tpcc: warehouses");
  positive("--customers", options.shape.customers, "tpcc: customers of a district");
  command.add_option("--accounts", options.shape.accounts, "bank: accounts")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{2}, std::uint32_t{100'000'000}));
  command.add_flag("--keep", options.keep, "Leave Assay's tables in the database at the end");
  command.add_flag("-q,--quiet", options.quiet, "Print no text and no progress");
}

Recording record_as_asked(const RecordingOptions& options, const std::optional<std::string>& history,
                          collect::Delivery* delivery) {
  const record::WorkloadInfo& workload = workload_named(options.workload);
  const record::WorkloadOptions shape = shape_of(options);
  const record::RunOptions run = settled(options);
  const database::TargetOptions wanted = target_of(options);

  Progress progress(!options.quiet, "starting the database");
  database::Target target(wanted);
  const record::RecordingPlan plan{workload, shape, run, mode_of(target.store(), options.isolation)};
  if (options.needs_promise && !plan.mode.promised) {
    throw UsageError(
        fmt::format("{} promises no level: give --level to say what is checked", plan.mode.called));
  }
  record::RecordingOutput output{fmt::format("assay {}", api::version()), history, {}};
  if (delivery != nullptr) output.also = [delivery](History block) { delivery->add(std::move(block)); };

  const Interrupt interrupt;
  progress.phase("loading");
  Ticks ticks(progress);
  const record::RunControl control{interrupt.asked(),
                                   [&](const record::RunCounts& counts, double seconds) {
                                     const bool lost = delivery != nullptr && delivery->failure();
                                     if (lost && !history) interrupt.asked() = true;
                                     ticks(counts, seconds);
                                   },
                                   [&] { progress.phase("recording"); },
                                   {}};
  Recording recording = record::make_recording(target, plan, output, control);
  if (!options.keep) remove_made(target, options);
  return recording;
}

void remove_made(database::Target& target, const AddressOptions& options) {
  if (!options.url) return;  // what Assay started goes as a whole
  try {
    target.store().remove();
  } catch (const database::StoreError& error) {
    print_note(fmt::format("what Assay made in the database could not be removed: {}", error.what()));
  }
}

std::string told(const Recording& recording, const RecordingOptions& options) {
  const record::RunResult& result = recording.result;
  const record::RunCounts& counts = result.counts;
  const double ended = static_cast<double>(std::max<std::uint64_t>(counts.ended(), 1));
  const auto milliseconds = [&](double percent) { return result.latencies.percentile(percent) * 1e3; };
  std::string out;
  out += fmt::format("database   {}, {}\n", recording.store, recording.mode.called);
  out += fmt::format("workload   {}, {} sessions, seed {}{}\n", options.workload, recording.sessions,
                     options.run.seed, result.stopped ? ", stopped early" : "");
  out += fmt::format("ran        {:.1f} s: {} committed, {} aborted ({:.1f} %), {} of unknown fate\n",
                     result.seconds, counts.committed, counts.aborted,
                     100 * static_cast<double>(counts.aborted) / ended, counts.unknown);
  out += fmt::format("throughput {:.0f} commits per second\n",
                     result.seconds > 0 ? static_cast<double>(counts.committed) / result.seconds : 0);
  out += fmt::format("latency    50 % {:.3f} ms, 90 % {:.3f} ms, 99 % {:.3f} ms\n", milliseconds(50),
                     milliseconds(90), milliseconds(99));
  return out;
}

}  // namespace assay::cli
