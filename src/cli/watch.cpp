#include "watch/watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <set>

#include "check/limits.hpp"
#include "cli/command.hpp"
#include "cli/option/alert.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/guard.hpp"
#include "cli/option/interrupt.hpp"
#include "cli/option/locale.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "cli/repetition.hpp"
#include "cli/verdict.hpp"
#include "collect/directory_source.hpp"
#include "collect/file_source.hpp"
#include "collect/pipe_source.hpp"
#include "collect/socket_source.hpp"
#include "report/page/page.hpp"
#include "report/page/violations_index.hpp"
#include "system/input_error.hpp"
#include "watch/event.hpp"
#include "watch/metrics.hpp"

namespace assay::cli {

namespace {

namespace fs = std::filesystem;
using collect::ProgressOf;
using watch::Status;
using watch::Verdict;
using watch::Violation;
using watch::Watch;

struct WatchCommand {
  std::vector<std::string> sources;
  std::string level = "serializable";
  std::optional<std::string> listen, secret, metrics, checkpoint, on_violation;
  std::string report_dir = "assay-violations";
  std::string clock_drift = "100ms", alert_every = "60s";
  std::size_t collectors = 0, sessions = 0, max_reports = 5;
  std::uint64_t horizon = 100'000, require_committed = 0;
  LimitOptions limits;
  bool stop = false, until_end = false, leave_out = false, json_lines = false, quiet = false;
};

// Brings what a watch has to say to standard output, to pages and to whoever is to be called.
class Announcer {
 public:
  Announcer(const WatchCommand& command, Level level, std::chrono::nanoseconds drift)
      : command_(command),
        level_(level),
        drift_(drift),
        repetition_(command.max_reports, duration_of(command.alert_every)),
        progress_(!command.quiet, "watching") {
    if (command.on_violation) alert_ = std::make_unique<Alert>(*command.on_violation);
  }

  // May come from another thread than the rest.
  void note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    wipe_progress();
    if (command_.json_lines) {
      print_now(watch::note_line(text));
    } else if (!command_.quiet) {
      print_note(text);
    }
  }

  void listening(const char* what, const std::string& address) {
    const std::lock_guard lock(mutex_);
    if (command_.json_lines) {
      print_now(watch::address_line(what, address));
    } else if (!command_.quiet) {
      print_now(fmt::format("{} at {}\n", what, address));
    }
  }

  // Writes the page; what is returned announces it.
  std::function<void()> violation(const Violation& violation) {
    const watch::ExaminedViolation examined = watch::examine(violation, level_, drift_);
    const std::string kind = watch::kind_of(examined);
    const Repetition::Next next = repetition_.next(kind, Repetition::Clock::now());
    std::optional<std::string> page;
    if (examined.found && next.in_full) {
      page = write_page(report::html(*examined.found), watch::page_name(violation));
      if (page) {
        pages_.push_back({watch::page_name(violation), kind, violation.number});
        write_index();
      }
    }
    std::string text;
    if (command_.json_lines) {
      text = watch::violation_line(examined, page);
    } else if (!command_.quiet && next.in_full) {
      text = in_locale(watch::violation_text(examined, page, colour_on_output()));
    } else if (!command_.quiet && next.of_its_kind == command_.max_reports + 1) {
      text = fmt::format("violation {} ({}): more of this kind are only counted\n", violation.number, kind);
    }
    const std::string shown = page || pages_.empty() ? page.value_or("") : index_path();
    return [this, text, shown, alert = next.alert] {
      {
        const std::lock_guard lock(mutex_);
        wipe_progress();
        if (!text.empty()) print(text);
        flush_output();
      }
      if (alert_ && alert) alert_->raise(shown);
    };
  }

  void round(const Status& s) {
    if (alert_) alert_->reap();
    progress_.phase(watch::progress_text(level_, s));
    constexpr auto kBetween = std::chrono::seconds(1);
    const auto now = std::chrono::steady_clock::now();
    if (!command_.json_lines || now < next_line_) return;
    next_line_ = now + kBetween;
    const std::lock_guard lock(mutex_);
    print_now(watch::status_line("status", level_, s));
  }

  void end(const Status& s) {
    const std::lock_guard lock(mutex_);
    wipe_progress();
    if (!pages_.empty()) write_index();
    if (command_.json_lines) return print_now(watch::status_line("end", level_, s));
    if (command_.quiet) return;
    const std::string kinds = repetition_.told();
    if (!kinds.empty())
      print(fmt::format("found: {}{}\n", kinds, pages_.empty() ? "" : "; all pages: " + index_path()));
    print(watch::end_text(level_, s));
  }

 private:
  static void print_now(const std::string& text) {
    print(text);
    flush_output();
  }

  std::string index_path() const { return (fs::path(command_.report_dir) / "index.html").string(); }

  // With the pages of earlier watches that are there.
  void write_index() {
    std::vector<report::ListedPage> all = pages_;
    std::set<std::string> known;
    for (const report::ListedPage& page : pages_) known.insert(page.file);
    std::set<std::string> earlier;
    std::error_code unreadable;
    for (const fs::directory_entry& entry : fs::directory_iterator(command_.report_dir, unreadable)) {
      const std::string file = entry.path().filename().string();
      if (watch::is_page_name(file) && known.count(file) == 0) earlier.insert(file);
    }
    for (const std::string& file : earlier) all.push_back({file, "", 0});
    write_page(report::violations_index(info(level_).name, repetition_.counts(), all), "index.html");
  }

  // A report that cannot be written must not end the watch: the violation is told in words all the same.
  std::optional<std::string> write_page(const std::string& html, const std::string& name) {
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
  std::chrono::nanoseconds drift_;
  Repetition repetition_;
  std::vector<report::ListedPage> pages_;
  std::mutex mutex_;
  Progress progress_;
  std::unique_ptr<Alert> alert_;
  std::chrono::steady_clock::time_point next_line_{};
};

// What collectors can make the watch hold at once takes a part of the memory that it may have: the rest is for
// deciding, which takes several times what a fragment does.
collect::SocketLimits socket_limits(std::optional<std::size_t> memory) {
  collect::SocketLimits limits;
  if (!memory) return limits;
  limits.unpacked_bytes = std::min<std::uint64_t>(limits.unpacked_bytes, *memory / 16);
  limits.buffered_bytes = std::min(limits.buffered_bytes, *memory / 8);
  limits.early_bytes = std::min(limits.early_bytes, *memory / 16);
  limits.collectors = std::min(limits.collectors, *memory / 4096);
  return limits;
}

// The last words of a watch that takes too much memory: what was found before counts.
LastWords out_of_memory(const WatchCommand& command, std::optional<std::size_t> memory, bool violated) {
  const std::string reason = check::Limits::reason(check::Limits::Passed::memory, memory);
  const std::string text = fmt::format("the watch ends: {}", reason);
  const Exit code = violated ? Exit::violated : Exit::undecided;
  if (command.json_lines) return {"", watch::note_line(text), "", code};
  return {"", "", command.quiet ? "" : fmt::format("assay: note: {}\n", text), code};
}

std::vector<std::unique_ptr<collect::Source>> make_sources(const WatchCommand& command,
                                                           const ProgressOf& known,
                                                           std::optional<std::size_t> memory,
                                                           Announcer& announcer) {
  const collect::Note note = [&announcer](const std::string& text) { announcer.note(text); };
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
    std::optional<collect::Secret> secret;
    if (command.secret) secret = collect::Secret::from_file(*command.secret);
    auto server = std::make_unique<collect::SocketSource>(system::address_of(*command.listen), known, note,
                                                          socket_limits(memory), secret);
    announcer.listening("listening", server->address());
    sources.push_back(std::move(server));
  }
  return sources;
}

// Without a folder and without --listen nobody can come but those who are named.
std::size_t collectors_of(const WatchCommand& command) {
  std::set<std::string> named;
  bool may_be_more = command.listen.has_value();
  for (const std::string& source : command.sources) {
    if (source == "-") {
      named.insert(source);
    } else if (fs::is_directory(source)) {
      may_be_more = true;
    } else {
      named.insert(collect::file_collector(source));
    }
  }
  if (may_be_more && command.collectors == 0) return 0;
  return std::max(command.collectors, named.size());
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
  settings.collectors = collectors_of(command);
  settings.sessions = command.sessions;
  if (command.checkpoint) settings.checkpoint = *command.checkpoint;
  if (command.secret && !command.listen) throw UsageError("--secret is for --listen");
  if (command.leave_out && !command.checkpoint) throw UsageError("--leave-out is for --checkpoint");
  const std::optional<std::size_t> memory = limits(command.limits).memory_bytes;
  if (memory) settings.feed.queue_bytes = std::min(settings.feed.queue_bytes, *memory / 32);
  if (memory) settings.unpacked_bytes = *memory / 4;
  settings.leave_out = command.leave_out;
  std::optional<Guard> guard(std::in_place, std::nullopt, memory, out_of_memory(command, memory, false));

  // The first signal ends the round and the watch; a second one does not wait.
  const Interrupt interrupt(Interrupt::InBackground::is_heeded);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of the disk like any other
  Announcer announcer(command, settings.watcher.level, drift);
  bool violated = false;
  std::optional<Watch> watch;
  watch.emplace(
      settings, [&](const ProgressOf& known) { return make_sources(command, known, memory, announcer); },
      Watch::Listener{[&](const Violation& violation) {
                        violated = true;
                        guard->prepare(out_of_memory(command, memory, true));
                        return announcer.violation(violation);
                      },
                      [&] { announcer.round(watch->status()); },
                      [&](const std::string& text) { announcer.note(text); }});
  std::optional<watch::MetricsServer> metrics;
  if (command.metrics) {
    metrics.emplace(system::address_of(*command.metrics),
                    [&] { return watch::metrics(watch->status(), settings.watcher.level); });
    announcer.listening("metrics", "http://" + metrics->address() + "/metrics");
  }
  try {
    watch->run(interrupt.asked());
  } catch (const watch::LogTooLarge& error) {
    throw InputError(error.path(), "", error.message() + " (--memory, --leave-out)");
  } catch (const std::bad_alloc&) {
    if (!violated) throw;
    print_out_of_memory();
    return Exit::violated;
  }
  guard.reset();
  const Status status = watch::final_status(watch->status(), command.require_committed);
  announcer.end(status);
  if (watch->input_error()) print_error(*watch->input_error());
  if (status.violations > 0) return Exit::violated;
  if (watch->input_error()) return Exit::wrong_use;
  return status.verdict == Verdict::undecided ? Exit::undecided : Exit::holds;
}

// Where the history comes from, and when all of it is there.
void add_what_to_watch(CLI::App& command, WatchCommand& options) {
  command
      .add_option("SOURCE", options.sources,
                  "Packed or JSONL files that grow, folders of such files, or - for standard input")
      ->type_name("PATH");
  command
      .add_option(
          "--listen", options.listen,
          "Also take fragments from collectors that connect here; a port alone is of this machine's loopback")
      ->type_name("HOST:PORT|unix:PATH");
  command
      .add_option("--secret", options.secret,
                  "The file of a secret that collectors must know; each side proves it to the other")
      ->type_name("FILE");
  command
      .add_option(
          "--sessions", options.sessions,
          "There are so many sessions in all. Until so many were heard of, a read of what nobody wrote "
          "waits for them, and nothing is forgotten: without this, memory may grow with the history")
      ->check(CLI::NonNegativeNumber)  // a minus would wrap
      ->type_name("N");
  command
      .add_option("--collectors", options.collectors,
                  "There are so many collectors (files, connections); where each announces its sessions, as "
                  "recordings do, that says how many sessions there are")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
}

// What becomes of a violation.
void add_telling_options(CLI::App& command, WatchCommand& options) {
  command
      .add_option("--report-dir", options.report_dir,
                  "Where a page is written for each violation that is told, and an index.html")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option("--max-reports", options.max_reports,
                  "Of each kind of violation so many are told in full, with a page; the others are counted")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--on-violation", options.on_violation,
                  "A command to run when there was a violation; the path of its page, or of the index, is "
                  "added to it")
      ->type_name("COMMAND");
  command
      .add_option("--alert-every", options.alert_every,
                  "Run that command at most so often for one kind of violation; 0: for each")
      ->type_name("DURATION")
      ->capture_default_str();
}

}  // namespace

void add_watch(CLI::App& root, Action& chosen_action) {
  CLI::App* command =
      root.add_subcommand("watch", "Check a history while it is being recorded, for as long as it goes on");
  auto options = std::make_shared<WatchCommand>();
  add_what_to_watch(*command, *options);
  command->add_option("-l,--level", options->level, "The level to check, by name or alias")
      ->type_name("LEVEL")
      ->capture_default_str();
  command->add_flag("--until-end", options->until_end,
                    "End when all that is there now was read, and all collectors are done");
  command->add_flag("--stop", options->stop, "End at the first violation");
  add_require_committed(*command, options->require_committed);
  command
      ->add_option("--checkpoint", options->checkpoint,
                   "Keep what was taken in and found in this folder, and go on from it")
      ->type_name("DIR");
  command->add_flag(
      "--leave-out", options->leave_out,
      "Go on without what in the checkpoint is too large for --memory, or ended a watch before: "
      "nothing is decided from there on");
  add_memory_option(*command, options->limits);
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
  add_telling_options(*command, *options);
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
      "  assay watch run.packed --level si                      follow a recording\n"
      "  assay watch logs/ --sessions 8 --checkpoint state      a folder of eight per-session files\n"
      "  assay watch --listen 7420 --collectors 3               three recordings over the network\n"
      "  assay watch --listen 0.0.0.0:7420 --secret key         only those that know the secret\n"
      "  assay watch - --sessions 4 --on-violation ./page-me    read a pipe, tell somebody");
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_watch(*options); }; });
}

}  // namespace assay::cli
