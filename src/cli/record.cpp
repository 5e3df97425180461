#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/output.hpp"
#include "cli/run/recording.hpp"
#include "cli/sending.hpp"

namespace assay::cli {

namespace {

struct RecordCommand {
  RecordingOptions recording;
  std::optional<std::string> out;
  SendingOptions sending;
};

Exit run_record(const RecordCommand& command) {
  const bool quiet = command.recording.quiet;
  if (command.out == "-") throw UsageError("a recording needs a file: it grows while it is made");
  if (command.out) can_be_written(*command.out);
  std::unique_ptr<collect::Delivery> delivery;
  if (command.sending.watcher) delivery = delivery_to(command.sending, quiet);
  const Recording recording = record_as_asked(command.recording, command.out, delivery.get());
  if (!quiet) {
    print(told(recording, command.recording));
    if (command.out) print("history    " + *command.out + "\n");
  }
  return delivery ? finished(*delivery, command.sending, quiet) : Exit::holds;
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
          "Where the history goes, in Assay's packed format; without it and --send nothing is written down, "
          "which shows what recording costs")
      ->type_name("FILE");
  add_sending_options(*command, options->sending, "--send",
                      "Also send the history, while it is recorded, to an 'assay watch --listen'");
  command->footer(
      "Ctrl-C ends the recording early; the rest is still written and sent.\n"
      "Exit code: 0 recorded, 2 the watcher did not get all of it, 3 bad command line, database or\n"
      "file, or nobody listens, 4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay record sqlite:test.db --workload tpcc --duration 30 -o tpcc.assay\n"
      "  assay record postgres://me@localhost/test --workload bank --isolation read-committed -o bank.assay\n"
      "  assay check bank.assay --all\n"
      "  assay record --server postgres --fence-every 20 --send 7420      beside: assay watch --listen 7420");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_record(*options); }; });
}

}  // namespace assay::cli
