#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/destination.hpp"
#include "cli/output.hpp"
#include "cli/recording.hpp"

namespace assay::cli {

namespace {

struct RecordCommand {
  RecordingOptions recording;
  std::optional<std::string> out;
};

Exit run_record(const RecordCommand& command) {
  if (command.out == "-") throw UsageError("a recording needs a file: it grows while it is made");
  if (command.out) can_be_written(*command.out);
  const Recording recording = make_recording(command.recording, command.out);
  if (!command.recording.quiet) {
    print(told(recording, command.recording));
    if (command.out) print("history    " + *command.out + "\n");
  }
  return Exit::holds;
}

}  // namespace

void add_record(CLI::App& root, Action& chosen_action) {
  CLI::App* command =
      root.add_subcommand("record", "Run a workload on a database and write down what its clients saw");
  auto options = std::make_shared<RecordCommand>();
  add_recording_options(*command, options->recording);
  command
      ->add_option(
          "-o,--output", options->out,
          "Where the history goes, in Assay's packed format; without it nothing is written down, which "
          "shows what recording costs")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  assay record sqlite:test.db --workload tpcc --duration 30 -o tpcc.assay\n"
      "  assay record postgres://me@localhost/test --workload bank --isolation read-committed -o bank.assay\n"
      "  assay check bank.assay --all");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_record(*options); }; });
}

}  // namespace assay::cli
