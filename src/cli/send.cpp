#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "cli/sending.hpp"
#include "collect/recorded_file.hpp"
#include "system/address.hpp"
#include "system/input_error.hpp"

namespace assay::cli {

namespace {

struct SendCommand {
  std::string history;
  SendingOptions sending;
  bool truncated = false, quiet = false;
};

Exit run_send(const SendCommand& command) {
  const system::Address watcher = system::address_of(*command.sending.watcher);
  std::optional<Progress> progress(std::in_place, !command.quiet, "reading");
  collect::RecordedFile file(command.history);
  if (!file.ended() && !command.truncated)
    throw InputError(command.history, "", "the recording is cut off; --truncated sends what there is of it");

  collect::SenderOptions options;
  options.patience = patience_of(command.sending);
  options.silence = silence_of(command.sending);
  options.secret = secret_of(command.sending);
  options.patience_at_start = std::chrono::milliseconds(0);
  if (!command.quiet) {
    options.note = [](const std::string& text) {
      wipe_progress();
      print_note(text);
    };
  }
  file.connect(watcher, options);
  progress->phase("sending");
  collect::RecordedFile::Sent sent;
  try {
    sent = file.send();
  } catch (const InputError& error) {
    progress.reset();
    print_error(fmt::format("{}: {} of its fragments were delivered, others were not", error.what(),
                            file.acknowledged()));
    return Exit::undecided;
  }
  progress.reset();
  if (!command.quiet) {
    print(fmt::format("sent       {} transactions to {}\n", sent.transactions, *command.sending.watcher));
    if (sent.already > 0) print(fmt::format("           {} were there already\n", sent.already));
  }
  return Exit::holds;
}

}  // namespace

void add_send(CLI::App& root, Action& chosen_action) {
  CLI::App* command =
      root.add_subcommand("send", "Send a recording to an 'assay watch --listen', or what is missing of it");
  auto options = std::make_shared<SendCommand>();
  command->add_option("HISTORY", options->history, "A history in Assay's packed format")
      ->required()
      ->type_name("FILE");
  add_sending_options(*command, options->sending, "WATCHER", "Where it listens");
  command->get_option("WATCHER")->required();
  command->add_flag("--truncated", options->truncated,
                    "Of a recording that was cut off by a crash, send what is whole");
  command->add_flag("-q,--quiet", options->quiet, "Print no text and no progress");
  command->footer(
      "What an earlier 'assay send' or 'assay record --send' of the same file has delivered is not\n"
      "sent again. Not for a recording that is still being made.\n"
      "Exit code: 0 delivered, 2 not all of it, 3 bad file or command line, or nobody listens,\n"
      "4 a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay send run.assay 7420\n"
      "  assay send run.assay watcher.example.org:7420 --truncated     after a crash of the recorder");
  command->callback([options, &chosen_action] { chosen_action = [options] { return run_send(*options); }; });
}

}  // namespace assay::cli
