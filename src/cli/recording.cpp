#include "cli/recording.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "assay/assay.hpp"
#include "cli/battlefield.hpp"
#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/names.hpp"
#include "cli/progress.hpp"
#include "cli/temporary_folder.hpp"
#include "record/recorder.hpp"

namespace assay::cli {

namespace {

using record::KeyDistribution;
using record::Store;

constexpr Choice<KeyDistribution::Kind> kDistributions[] = {{"uniform", KeyDistribution::Kind::uniform},
                                                            {"zipf", KeyDistribution::Kind::zipf},
                                                            {"hotspot", KeyDistribution::Kind::hotspot}};
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

// "REPEATABLE READ" is asked for as repeatable-read, Repeatable_Read and so on.
std::string plain(std::string_view words) {
  std::string out;
  for (const char c : words) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c == ' ' || c == '_' ? '-' : c;
    }
  }
  return out;
}

Store::Mode mode_of(const Store& store, const std::optional<std::string>& isolation) {
  const std::vector<Store::Mode> modes = store.modes();
  if (!isolation) return modes.front();
  // The product's own word comes first: what SQL calls repeatable read is not always what Assay does.
  std::vector<std::string> known;
  for (const Store::Mode& mode : modes) {
    if (plain(mode.called) == plain(*isolation)) return mode;
    known.push_back(plain(mode.called));
  }
  const std::optional<Level> level = find_level(*isolation);
  for (const Store::Mode& mode : modes) {
    if (level == mode.asked) return mode;
  }
  throw UsageError(fmt::format("{} has no isolation '{}'{}; it has {}", store.description(), *isolation,
                               suggestion(*isolation, known), fmt::join(known, ", ")));
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

}  // namespace

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
    command.add_option(name, value, text)->type_name("SECONDS");
  };
  command
      .add_option("URL", options.url,
                  "The database: sqlite:PATH, postgres://…, mysql://…, rocksdb:PATH, redis://…, memory:LEVEL")
      ->type_name("URL");
  command
      .add_option("--server", options.server,
                  "Start a private server for the run and remove it afterwards: postgres, mariadb, redis, or "
                  "galera:3 for a cluster; options of its URL may follow: 'galera:3?sync_wait=7'")
      ->type_name("KIND")
      ->excludes("URL");
  command
      .add_option(
          "--nemesis", options.faults,
          "What befalls the private server meanwhile: it is killed and restarted, connections are reset, "
          "the network is slow or stalls, the clients' clock steps; may be comma-separated")
      ->type_name(fault_words())
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
  seconds("--duration", options.duration, "How long (10 if neither this nor --transactions is given)");
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
  command.add_flag("-q,--quiet", options.quiet, "Print no text and no progress");
}

Recording make_recording(const RecordingOptions& options, const std::optional<std::string>& history) {
  const record::WorkloadInfo& workload_info = workload_named(options.workload);
  const std::unique_ptr<record::Workload> workload = workload_info.make(shape_of(options));
  record::RunOptions run = settled(options);

  std::optional<TemporaryFolder> folder;
  if (!options.url && !options.server) folder.emplace();
  std::optional<Progress> progress(std::in_place, !options.quiet, "starting the database");
  Battlefield battlefield(options.server, faults_named(options.faults));
  const std::unique_ptr<Store> store = record::open_store(
      folder ? "sqlite:" + folder->file("database") : battlefield.url().value_or(options.url.value_or("")));
  Recording recording;
  recording.mode = mode_of(*store, options.isolation);
  run.level = recording.mode.asked;
  recording.sessions = run.sessions;
  if (workload->needs_lists() && !store->has_lists())
    throw UsageError(
        fmt::format("{} has no lists, which '{}' needs", store->description(), options.workload));
  if (workload->needs_ranges() && !store->has_ranges()) {
    throw UsageError(
        fmt::format("{} has no range reads, which '{}' needs", store->description(), options.workload));
  }

  const Interrupt interrupt;
  progress->phase("loading");
  store->prepare();
  recording.store = store->description();
  std::optional<record::Recorder> recorder;
  if (history) {
    recorder.emplace(*history, run.sessions);
    recorder->note(fmt::format("recorded by assay {} on {} at {}: workload {}, {} sessions, seed {}",
                               api::version(), recording.store, recording.mode.called, options.workload,
                               run.sessions, run.seed));
  }
  record::RunCounts before;
  double before_seconds = 0;
  const record::RunWatch watch{
      interrupt.asked(),
      [&](const record::RunCounts& counts, double seconds) {
        if (seconds < before_seconds + 1) return;
        progress->phase(
            line(counts, static_cast<double>(counts.ended() - before.ended()) / (seconds - before_seconds)));
        before = counts;
        before_seconds = seconds;
      },
      [&] {
        progress->phase("recording");
        battlefield.start(recorder ? &*recorder : nullptr, run.seed);
      },
      [&] { battlefield.stop(); }};
  recording.result = record::run(*store, *workload, run, recorder ? &*recorder : nullptr, watch);
  if (recorder) recorder->finish();
  return recording;
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
