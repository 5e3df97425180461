#include "watch/watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "cli/alert.hpp"
#include "cli/command.hpp"
#include "cli/destination.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "collect/directory_source.hpp"
#include "collect/file_source.hpp"
#include "collect/pipe_source.hpp"
#include "collect/server.hpp"
#include "format/packed_block.hpp"
#include "history/builder.hpp"
#include "history/error.hpp"
#include "report/html.hpp"
#include "report/printable.hpp"
#include "report/report.hpp"
#include "watch/metrics.hpp"

namespace assay::cli {

namespace {

namespace fs = std::filesystem;
using collect::ProgressOf;
using nlohmann::ordered_json;
using watch::Status;
using watch::Verdict;
using watch::Violation;
using watch::Watch;

struct WatchCommand {
  std::vector<std::string> sources;
  std::string level = "serializable";
  std::optional<std::string> listen, metrics, checkpoint, on_violation;
  std::string report_dir = "assay-violations";
  std::string clock_drift = "100ms";
  std::size_t collectors = 0;
  std::uint64_t horizon = 100'000;
  bool stop = false, until_end = false, json_lines = false, quiet = false;
};

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

// The first signal ends the round and the watch; a second one does not wait.
void end_on_signal(int signal) {
  if (!interrupted.exchange(true)) return;
  wipe_progress();
  _exit(128 + signal);
}

// Everything that a watch says, as sentences or as JSON, one object per line.
class Teller {
 public:
  Teller(const WatchCommand& command, Level level, std::chrono::nanoseconds drift)
      : command_(command), level_(level), progress_(!command.quiet, "watching") {
    settings_.clock_drift = drift;
    if (command.on_violation) alert_ = std::make_unique<Alert>(*command.on_violation);
  }

  // May come from another thread than the rest.
  void note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    wipe_progress();
    if (command_.json_lines) {
      say({{"event", "note"}, {"text", text}});
    } else if (!command_.quiet) {
      print_note(text);
    }
  }

  void listening(const char* what, const std::string& address) {
    const std::lock_guard lock(mutex_);
    if (command_.json_lines) {
      say({{"event", what}, {"address", address}});
    } else if (!command_.quiet) {
      print(fmt::format("{} at {}\n", what, address));
      flush_output();
    }
  }

  // Writes the page; what is returned tells it.
  std::function<void()> violation(const Violation& violation) {
    Told told = told_of(violation);
    return [this, told = std::move(told)] {
      {
        const std::lock_guard lock(mutex_);
        wipe_progress();
        if (!told.text.empty()) print(told.text);
        flush_output();
      }
      if (alert_) alert_->raise(told.page.value_or(""));
    };
  }

  void round(const Status& s) {
    if (alert_) alert_->reap();
    const std::uint64_t kept = s.kept.live + s.kept.frozen;
    progress_.phase(fmt::format("{}: {} transactions, {:.0f}/s, {} kept, lag {:.1f} s, {}", info(level_).name,
                                s.transactions, s.transactions_per_second, kept, s.lag_seconds,
                                verdict_so_far(s)));
    constexpr auto kBetween = std::chrono::seconds(1);
    const auto now = std::chrono::steady_clock::now();
    if (!command_.json_lines || now < next_line_) return;
    next_line_ = now + kBetween;
    const std::lock_guard lock(mutex_);
    say(status_object("status", s));
  }

  void end(const Status& s) {
    const std::lock_guard lock(mutex_);
    wipe_progress();
    if (command_.json_lines) return say(status_object("end", s));
    if (command_.quiet) return;
    std::string line = fmt::format("{}  {}", info(level_).name, verdict_so_far(s));
    if (s.violations > 0) line += fmt::format(": {} in all", s.violations);
    if (s.violations == 0 && s.verdict == Verdict::undecided) line += ": " + report::printable(s.reason);
    print(fmt::format(
        "{}; {} transactions in {} rounds{}\n", line, s.transactions, s.rounds,
        s.kept.waiting == 0 ? "" : fmt::format(", {} of them waiting for what they read", s.kept.waiting)));
  }

 private:
  static std::string verdict_so_far(const Status& s) {
    if (s.violations > 0) return "violated";
    return s.verdict == Verdict::undecided ? "undecided" : "holds so far";
  }

  static std::string line_of(const ordered_json& object) {
    return object.dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace) + "\n";
  }
  static void say(const ordered_json& object) {
    print(line_of(object));
    flush_output();
  }

  ordered_json status_object(const char* event, const Status& s) const {
    const Verdict verdict = s.violations > 0 ? Verdict::violated : s.verdict;
    ordered_json object{{"event", event},
                        {"level", info(level_).name},
                        {"verdict", report::name(verdict)},
                        {"transactions", s.transactions},
                        {"rounds", s.rounds},
                        {"violations", s.violations},
                        {"per_second", s.transactions_per_second},
                        {"live", s.kept.live},
                        {"frozen", s.kept.frozen},
                        {"entries", s.kept.entries},
                        {"waiting", s.kept.waiting},
                        {"lag_seconds", s.lag_seconds},
                        {"round_seconds", s.round_seconds}};
    if (verdict == Verdict::undecided) object["reason"] = s.reason;
    return object;
  }

  struct Told {
    std::string text;                 // for standard output, whatever its form
    std::optional<std::string> page;  // where it is, if it could be written
  };

  Told told_of(const Violation& violation) {
    Told told;
    const std::string& reason = violation.round.reason;
    const std::string name = fmt::format("violation-{:016x}", violation.digest);
    ordered_json object{{"event", "violation"},
                        {"number", violation.number},
                        {"digest", name.substr(name.size() - 16)},
                        {"level", info(level_).name},
                        {"transactions", violation.transactions}};
    std::string words;
    if (violation.round.counterexample) {
      History history = *violation.round.counterexample;
      PackedCodec::source(history, fmt::format("violation {}", violation.number), "watched");
      std::vector<check::Outcome> outcomes = check::check(history, {&level_, 1}, settings_);
      std::vector<report::Story> stories;
      if (outcomes[0].verdict == Verdict::violated) {
        stories = report::tell(history, outcomes, settings_, report::Which::all);
      } else {
        // A part of the contradiction is older than what is kept: the watcher knows it, these transactions
        // alone do not show it.
        outcomes[0] = {};
        outcomes[0].level = level_;
        outcomes[0].verdict = Verdict::violated;
        outcomes[0].method = "watch";
        history = HistoryBuilder::noted(std::move(history), reason);
      }
      const report::Checked checked{history, outcomes, settings_.sessions, 0, violation.round.seconds,
                                    stories};
      told.page = written(report::html(checked), name + ".html");
      if (command_.json_lines) object["check"] = ordered_json::parse(report::json(checked));
      words = report::text(checked, {colour_on_output(), false, false});
    }
    if (told.page) object["report"] = *told.page;
    if (!reason.empty()) object["reason"] = reason;
    if (command_.json_lines) {
      told.text = line_of(object);
    } else if (!command_.quiet) {
      if (words.empty()) words = report::printable(reason) + "\n";
      told.text = fmt::format("violation {} of {}, after {} transactions{}\n{}\n", violation.number,
                              info(level_).name, violation.transactions,
                              told.page ? "; report: " + report::printable(*told.page) : "", words);
    }
    return told;
  }

  // A report that cannot be written must not end the watch: the violation is told in words all the same.
  std::optional<std::string> written(const std::string& html, const std::string& name) {
    const fs::path path = fs::path(command_.report_dir) / name;
    try {
      fs::create_directories(command_.report_dir);
      write_text(html, path.string());
      return path.string();
    } catch (const UsageError& error) {
      print_error(error.what());
    } catch (const fs::filesystem_error& error) {
      print_error(fmt::format("{}: {}", path.string(), error.code().message()));
    }
    return std::nullopt;
  }

  const WatchCommand& command_;
  Level level_;
  check::Options settings_;
  std::mutex mutex_;
  Progress progress_;
  std::unique_ptr<Alert> alert_;
  std::chrono::steady_clock::time_point next_line_{};
};

std::vector<std::unique_ptr<collect::Source>> make_sources(const WatchCommand& command,
                                                           const ProgressOf& known, Teller& teller) {
  const collect::Note note = [&teller](const std::string& text) { teller.note(text); };
  const auto progress_of = [&](const std::string& collector) {
    const auto found = known.find(collector);
    return found == known.end() ? collect::Progress{} : found->second;
  };
  std::vector<std::unique_ptr<collect::Source>> sources;
  for (const std::string& source : command.sources) {
    if (source == "-") {
      const std::string name = "standard input";
      sources.push_back(std::make_unique<collect::PipeSource>(STDIN_FILENO, name, progress_of(name)));
    } else if (fs::is_directory(source)) {
      sources.push_back(std::make_unique<collect::DirectorySource>(source, known, note));
    } else {
      if (command.until_end && !fs::exists(source)) throw InputError(source, "", "there is no such file");
      const std::string name = collect::file_collector(source);
      sources.push_back(std::make_unique<collect::FileSource>(source, name, progress_of(name), note));
    }
  }
  if (command.listen) {
    auto server = std::make_unique<collect::Server>(collect::address_of(*command.listen), known, note);
    teller.listening("listening", server->address());
    sources.push_back(std::move(server));
  }
  return sources;
}

// At the end nothing more comes: what still waits was not judged, and nothing at all satisfies no one.
Status with_what_was_not_judged(Status status) {
  if (status.verdict != Verdict::holds || (status.kept.waiting == 0 && status.transactions != 0))
    return status;
  status.verdict = Verdict::undecided;
  status.reason = status.transactions == 0 ? "no transaction came" : "not all transactions could be judged";
  return status;
}

Exit run_watch(const WatchCommand& command) {
  if (command.sources.empty() && !command.listen)
    throw UsageError("nothing to watch: name a file, a folder or - for standard input, or give --listen");
  watch::Settings settings;
  settings.watcher.level = level_named(command.level);
  const std::chrono::nanoseconds drift = duration_of(command.clock_drift);
  settings.watcher.clock_drift = drift.count();
  settings.watcher.horizon = command.horizon;
  settings.feed.until_end = command.until_end;
  settings.stop = command.stop;
  settings.collectors = command.collectors;
  if (command.checkpoint) settings.checkpoint = *command.checkpoint;

  std::signal(SIGINT, end_on_signal);
  std::signal(SIGTERM, end_on_signal);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of the disk like any other
  Teller teller(command, settings.watcher.level, drift);
  std::optional<Watch> watch;
  watch.emplace(
      settings, [&](const ProgressOf& known) { return make_sources(command, known, teller); },
      Watch::Listener{[&](const Violation& violation) { return teller.violation(violation); },
                      [&] { teller.round(watch->status()); },
                      [&](const std::string& text) { teller.note(text); }});
  std::optional<watch::MetricsServer> metrics;
  if (command.metrics) {
    metrics.emplace(collect::address_of(*command.metrics),
                    [&] { return watch::metrics(watch->status(), settings.watcher.level); });
    teller.listening("metrics", "http://" + metrics->address() + "/metrics");
  }
  watch->run(interrupted);
  const Status status = with_what_was_not_judged(watch->status());
  teller.end(status);
  if (watch->input_error()) print_error(*watch->input_error());
  if (status.violations > 0) return Exit::violated;
  if (watch->input_error()) return Exit::wrong_use;
  return status.verdict == Verdict::undecided ? Exit::undecided : Exit::holds;
}

}  // namespace

void add_watch(CLI::App& root, Action& chosen_action) {
  CLI::App* command =
      root.add_subcommand("watch", "Check a history while it is being recorded, for as long as it goes on");
  auto options = std::make_shared<WatchCommand>();
  command
      ->add_option("SOURCE", options->sources,
                   "Packed or JSONL files that grow, folders of such files, or - for standard input")
      ->type_name("PATH");
  command->add_option("-l,--level", options->level, "The level to check, by name or alias")
      ->type_name("LEVEL")
      ->capture_default_str();
  command
      ->add_option(
          "--listen", options->listen,
          "Also take fragments from collectors that connect here; a port alone is of this machine's loopback")
      ->type_name("HOST:PORT");
  command
      ->add_option("--collectors", options->collectors,
                   "Begin when so many collectors (files, connections) have sent something")
      ->check(CLI::NonNegativeNumber)  // a minus would wrap
      ->type_name("N");
  command->add_flag("--until-end", options->until_end,
                    "End when all that is there now was read, and all collectors are done");
  command->add_flag("--stop", options->stop, "End at the first violation");
  command
      ->add_option("--checkpoint", options->checkpoint,
                   "Keep what was taken in and found in this folder, and go on from it")
      ->type_name("DIR");
  command
      ->add_option(
          "--horizon", options->horizon,
          "At read committed, monotonic atomic view and read atomic: versions overwritten longer ago "
          "than so many transactions may be forgotten, and a read of one is undecided; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--clock-drift", options->clock_drift,
                   "By how much clocks may disagree, for the levels with real time")
      ->type_name("DURATION")
      ->capture_default_str();
  command->add_option("--report-dir", options->report_dir, "Where a page is written for each violation")
      ->type_name("DIR")
      ->capture_default_str();
  command
      ->add_option("--on-violation", options->on_violation,
                   "A command to run for each violation; the path of its page is added to it")
      ->type_name("COMMAND");
  command->add_option("--metrics", options->metrics, "Serve telemetry for Prometheus here, at /metrics")
      ->type_name("HOST:PORT");
  command->add_flag("--json-lines", options->json_lines, "Print events as JSON, one object per line");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing: the exit code and the pages tell");
  command->footer(
      "It ends when every source has ended (a finished file, the end of standard input), or by\n"
      "an interrupt. Exit code: 0 it holds so far, 1 a violation was found, 2 undecided, 3 bad\n"
      "input or command line, 4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay watch run.packed --level si                  follow a recording\n"
      "  assay watch logs/ --checkpoint state --stop        a folder of per-session files\n"
      "  assay watch --listen 7420 --metrics 9420           collectors over the network\n"
      "  assay watch - --on-violation ./page-me            read a pipe, tell somebody");
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_watch(*options); }; });
}

}  // namespace assay::cli
