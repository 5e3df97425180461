#include "evidence/verify.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <memory>

#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "history/error.hpp"

namespace assay::cli {

namespace {

struct VerifyOptions {
  std::string certificate;
  InputOptions input;
  bool quiet = false;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw InputError(path, "", "cannot be read");
  return text;
}

Exit run_verify(const VerifyOptions& options) {
  const std::string text = content_of(options.certificate);
  std::optional<Progress> progress(std::in_place, !options.quiet, "reading");
  const History history = read_input(options.input);
  progress->phase("verifying");
  const evidence::Verification found = evidence::verify(text, options.certificate, history);
  progress.reset();
  if (!found.accepted) {
    if (!options.quiet) print(fmt::format("rejected: {}\n", found.reason));
    return Exit::violated;
  }
  if (!options.quiet) {
    print(fmt::format(
        "accepted: {} {}{}{}\n", info(found.level).name, found.holds ? "holds" : "is violated",
        found.keep_sessions ? "" : ", the order in sessions ignored",
        info(found.level).real_time ? fmt::format(", clock drift {} ns", found.clock_drift.count()) : ""));
  }
  return Exit::holds;
}

}  // namespace

void add_verify(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand("verify", "Check a certificate against the history it is about");
  auto options = std::make_shared<VerifyOptions>();
  command->add_option("CERTIFICATE", options->certificate, "What 'assay check --certificate' wrote")
      ->required()
      ->type_name("FILE");
  add_input_options(*command, options->input, "HISTORY");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing: the exit code tells");
  command->footer(
      "Exit code: 0 accepted, 1 rejected, 3 bad input or command line, 4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay check run.jsonl --level si --certificate run.proof\n"
      "  assay verify run.proof run.jsonl");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_verify(*options); }; });
}

}  // namespace assay::cli
