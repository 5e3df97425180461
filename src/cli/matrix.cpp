#include "matrix/matrix.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "assay/assay.hpp"
#include "cli/command.hpp"
#include "cli/evidence_page.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/interrupt.hpp"
#include "cli/option/locale.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "cli/run/recording.hpp"
#include "cli/verdict.hpp"
#include "matrix/table.hpp"
#include "system/folder.hpp"
#include "system/temporary_folder.hpp"

namespace assay::cli {

namespace {

namespace fs = std::filesystem;

struct MatrixCommand {
  AddressOptions address;
  std::optional<std::string> folder;
  double random = 1;
  std::string patience = "150ms";
  std::uint64_t seed = 1;
  LimitOptions limits;
  bool json = false;
  bool quiet = false;
};

constexpr double kLongestCheck = 30;

// What is there stays as it is.
void make_new_folder(const fs::path& folder) {
  fs::create_directories(folder);
  if (!system::names_in(folder).empty())
    throw UsageError(fmt::format("the folder {} is not empty; name a new one", folder.string()));
}

matrix::MatrixOptions options_of(const MatrixCommand& command) {
  matrix::MatrixOptions options;
  options.recorded_by = fmt::format("assay {}", api::version());
  options.patience = std::chrono::duration_cast<std::chrono::milliseconds>(duration_of(command.patience));
  if (options.patience.count() < 1) throw UsageError("--patience must be a millisecond at least");
  if (!(command.random >= 0) || command.random > 3600)
    throw UsageError("--random must be between 0 and an hour");
  options.random =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(command.random));
  options.seed = command.seed;
  LimitOptions limited = command.limits;
  if (!limited.timeout) limited.timeout = kLongestCheck;
  options.check = limits(limited);
  return options;
}

Exit exit_code(const matrix::Matrix& found, bool stopped) {
  if (!found.keeps_promises()) return Exit::violated;
  return found.is_decided() && !stopped ? Exit::holds : Exit::undecided;
}

Exit run_matrix(const MatrixCommand& command) {
  matrix::MatrixOptions options = options_of(command);
  const database::TargetOptions address = target_at(command.address);
  std::optional<system::TemporaryFolder> unkept;
  if (command.folder) {
    options.folder = *command.folder;
    make_new_folder(options.folder);
    options.page = [&](const std::string& name, const evidence::Examination& cell) {
      write_text(page_of(cell, options.check), (options.folder / (name + ".html")).string());
      return name + ".html";
    };
  } else {
    unkept.emplace("assay-matrix");
    options.folder = unkept->path();
  }

  std::optional<Progress> progress(std::in_place, !command.quiet, "starting the database");
  options.begun = [&](std::string_view mode, std::string_view row) {
    progress->phase(fmt::format("{}: {}", mode, row));
  };
  database::Target target(address);
  const Interrupt interrupt;
  const matrix::Matrix found = matrix::make_matrix(target, options, interrupt.asked());
  remove_made(target, command.address);
  progress.reset();

  if (command.folder) write_text(matrix::table_page(found), (options.folder / "index.html").string());
  if (command.json) {
    print(matrix::table_json(found));
  } else if (!command.quiet) {
    print(in_locale(matrix::table_text(found)));
    if (command.folder) print(fmt::format("\npages      {}\n", (options.folder / "index.html").string()));
  }
  return exit_code(found, interrupt.asked());
}

}  // namespace

void add_matrix(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand(
      "matrix", "Show which anomalies a database lets through at each of its isolation levels");
  auto options = std::make_shared<MatrixCommand>();
  add_address_options(*command, options->address);
  command
      ->add_option("-o,--output", options->folder,
                   "A new folder for a page and a history per cell, and index.html")
      ->type_name("FOLDER");
  in_seconds(command->add_option("--random", options->random,
                                 "How long each random workload runs at each level; 0: schedules only"))
      ->capture_default_str();
  command
      ->add_option("--patience", options->patience,
                   "After how long a step without an answer counts as blocked")
      ->type_name("DURATION")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "What the random workloads are drawn from")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print the table as one JSON object");
  add_limit_options(*command, options->limits);
  command->add_flag("-q,--quiet", options->quiet, "Print no text and no progress");
  command->footer(
      "Two to four connections are stepped through small schedules, each made for one anomaly; then\n"
      "random workloads run. All that the clients saw is recorded and decided as by 'assay check'.\n"
      "Exit code: 0 every level keeps what the database promises of it, 1 some promise is broken,\n"
      "2 undecided or interrupted, 3 bad command line or database, 4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay matrix --server postgres -o matrix\n"
      "  assay matrix mysql://me@localhost/test --password env:PW --random 10s");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_matrix(*options); }; });
}

}  // namespace assay::cli
