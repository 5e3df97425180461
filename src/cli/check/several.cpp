#include "cli/check/several.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/check/apart.hpp"
#include "cli/check/one.hpp"
#include "cli/check/places.hpp"
#include "cli/check/told.hpp"
#include "cli/failure.hpp"
#include "cli/option/command_line.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/locale.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "cli/option/show_progress.hpp"
#include "report/junit.hpp"
#include "report/printable.hpp"
#include "report/report.hpp"

namespace assay::cli {

namespace {

using evidence::Examination;
using Clock = std::chrono::steady_clock;

// What a slow one keeps from being told is kept in memory: so many may be ahead of it.
constexpr std::size_t kMostAhead = 256;

// What is worst first. A violation is certain, whatever became of the others.
constexpr std::array kWorstFirst = {Exit::violated, Exit::defect, Exit::wrong_use, Exit::undecided,
                                    Exit::holds};

// What came of one history.
struct Result {
  Exit code = Exit::holds;
  Told told;
  std::string errors;  // what its process said on standard error
};

// In the process of its own.
int check_apart(const CheckOptions& options, evidence::Explain explain) {
  remember_without(options.histories, options.input.path);
  const auto tell = [&](const Examination& found) {
    Told told{.verdict = report::brief(found), .suite = report::suite(found)};
    if (options.annotate) told.annotations = report::annotations(found);
    if (options.json) told.json = report::json(found);
    return told.packed();
  };
  try {
    const Exit code = unless_it_fails(
        [&] { return check_one(options, {.output = tell, .explain = explain, .progress = false}); },
        [](const Failure& failure) {
          print_error(failure.message);
          print(Told{.failure = failure.message}.packed());
        });
    flush_output();
    return static_cast<int>(code);
  } catch (const std::bad_alloc&) {
    print_out_of_memory();
    return static_cast<int>(Exit::undecided);
  } catch (const OutputError& error) {
    print_error(error.what());
    return static_cast<int>(Exit::wrong_use);
  }
}

// Of a process that could say nothing else: the last line on its standard error.
std::string last_complaint(std::string_view errors) {
  while (errors.ends_with('\n')) errors.remove_suffix(1);
  const std::size_t before = errors.rfind('\n');
  if (before != std::string_view::npos) errors.remove_prefix(before + 1);
  for (const std::string_view opening : {"assay: error: ", "undecided: "}) {
    if (errors.starts_with(opening)) errors.remove_prefix(opening.size());
  }
  return std::string(errors.empty() ? "its process ended without a word" : errors);
}

Result result_of(const Apart& process) {
  const auto no_verdict = [&](Exit code, const std::string& why) {
    return Result{code, Told{.failure = why}, process.errors()};
  };
  const int signal = process.signal();
  if (signal == SIGKILL) return no_verdict(Exit::undecided, "its process was killed; perhaps memory ran out");
  if (signal != 0)
    return no_verdict(Exit::defect, fmt::format("a defect of Assay: signal {} ended its process", signal));
  const auto code = static_cast<Exit>(process.exit_code());
  if (std::find(kWorstFirst.begin(), kWorstFirst.end(), code) == kWorstFirst.end())
    return no_verdict(Exit::defect,
                      fmt::format("a defect of Assay: its process ended with code {}", process.exit_code()));
  if (auto told = Told::unpacked(process.output())) return {code, std::move(*told), process.errors()};
  return no_verdict(code == Exit::undecided ? code : Exit::wrong_use, last_complaint(process.errors()));
}

// Tells the results, in the order of the histories.
class Teller {
 public:
  explicit Teller(const CheckOptions& options) : options_(options) {
    for (const std::string& path : options.histories)
      width_ = std::max(width_, report::printable(path).size());
    width_ = std::min(width_, kWidest);
    if (options.json) print("[");
  }

  void tell(const std::string& path, Result result) {
    ++counts_.at(static_cast<std::size_t>(result.code));
    std::fwrite(result.errors.data(), 1, result.errors.size(), stderr);
    Told& told = result.told;
    if (!told.failure.empty()) {
      fill_in(path, result.code, told);
      if (result.errors.find("assay: error: ") == std::string::npos)  // its process could not say it
        print_error(fmt::format("{}: {}", path, told.failure));
    }
    if (options_.json) {
      while (told.json.ends_with('\n')) told.json.pop_back();
      print(fmt::format("{}\n{}", number_ == 0 ? "" : ",", told.json));
      annotations_ += told.annotations;
    } else {
      if (options_.annotate) print(told.annotations);
      if (!options_.quiet)
        print(in_locale(fmt::format("{:<{}}  {}\n", report::printable(path), width_, told.verdict)));
    }
    flush_output();
    if (options_.junit) suites_.push_back(std::move(told.suite));
    ++number_;
  }

  Exit end() {
    if (options_.json) print("\n]\n" + annotations_);
    if (options_.junit) write_text(report::junit_file(suites_), *options_.junit);
    if (!options_.json && !options_.quiet) print(summary());
    const auto* const worst =
        std::find_if(kWorstFirst.begin(), kWorstFirst.end(), [&](Exit code) { return count(code) > 0; });
    return worst != kWorstFirst.end() ? *worst : Exit::holds;
  }

 private:
  static constexpr std::size_t kWidest = 60;

  std::size_t count(Exit code) const { return counts_.at(static_cast<std::size_t>(code)); }

  // What is told of a history that there is no verdict on.
  void fill_in(const std::string& path, Exit code, Told& told) const {
    const bool undecided = code == Exit::undecided;
    const auto kind = undecided ? report::Unknown::undecided : report::Unknown::error;
    told.verdict = undecided ? "undecided: " + report::printable(told.failure) : "could not be checked";
    told.suite = report::suite_without_verdict(path, told.failure, kind);
    if (options_.annotate) told.annotations = report::annotation_without_verdict(path, told.failure, kind);
    const nlohmann::ordered_json object = {
        {"path", path}, {"error", told.failure}, {"exit_code", static_cast<int>(code)}};
    told.json = object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  std::string summary() const {
    std::string out = fmt::format("{} {}: {} hold{}", number_, number_ == 1 ? "history" : "histories",
                                  count(Exit::holds), count(Exit::holds) == 1 ? "s" : "");
    const auto add = [&](std::size_t n, std::string_view what) {
      if (n > 0) out += fmt::format(", {} {}", n, what);
    };
    add(count(Exit::violated), "violated");
    add(count(Exit::undecided), "undecided");
    add(count(Exit::wrong_use) + count(Exit::defect), "could not be checked");
    out += "\n";
    if (count(Exit::violated) > 0 && !options_.report)
      out += "'assay check FILE' of one tells why it is violated.\n";
    return out;
  }

  const CheckOptions& options_;
  std::size_t width_ = 0, number_ = 0;
  std::array<std::size_t, 5> counts_{};  // by exit code
  std::string annotations_;              // behind the array, where there is one
  std::vector<report::Suite> suites_;
};

void refuse_what_cannot_be(const CheckOptions& options) {
  const std::vector<Level> levels = asked_levels(options);
  refuse_wrong_reading(options.input);
  CheckOptions one_file = options;
  one_file.report.reset();
  one_file.dot.reset();
  one_file.certificate.reset();
  refuse_what_cannot_be_written(one_file, levels);
  if (options.certificate) refuse_several_levels(levels);
  if (options.stats)
    throw UsageError("--stats is for one history; with several, --json has the same numbers");
  if (options.histories.size() > 1 &&
      std::find(options.histories.begin(), options.histories.end(), "-") != options.histories.end())
    throw UsageError("standard input, '-', can only be checked alone");
}

}  // namespace

Exit check_several(const CheckOptions& options) {
  refuse_what_cannot_be(options);
  const std::size_t at_a_time = settings_of(options).threads;
  const evidence::Explain explain = what_to_explain(options);
  Places places(options);
  Teller teller(options);
  flush_output();  // what is not written yet would be written by each process

  const std::size_t all = options.histories.size();
  const Clock::time_point started = Clock::now();
  std::vector<std::unique_ptr<Apart>> processes(all);
  std::vector<std::optional<Result>> results(all);
  std::size_t next = 0, told = 0, done = 0;
  while (told < all) {
    std::vector<Apart*> running;
    for (std::size_t i = told; i < next; ++i) {
      if (processes[i]) running.push_back(processes[i].get());
    }
    for (; next < all && running.size() < at_a_time && next < told + kMostAhead; ++next) {
      const CheckOptions own = places.options_for(options.histories[next]);
      processes[next] = std::make_unique<Apart>([&] { return check_apart(own, explain); });
      running.push_back(processes[next].get());
    }
    Apart::wait_for_one(running, std::chrono::seconds(1));
    for (std::size_t i = told; i < next; ++i) {
      if (!processes[i] || !processes[i]->ended()) continue;
      results[i] = result_of(*processes[i]);
      processes[i].reset();
      ++done;
    }
    wipe_progress();
    for (; told < next && results[told]; ++told) {
      teller.tell(options.histories[told], std::move(*results[told]));
      results[told].reset();
    }
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - started).count();
    if (!options.quiet && seconds > 0)
      show_progress(fmt::format("checked {} of {} histories", done, all), seconds);
  }
  wipe_progress();
  return teller.end();
}

}  // namespace assay::cli
