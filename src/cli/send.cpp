#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/sending.hpp"
#include "collect/fragment.hpp"
#include "format/packed_stream.hpp"
#include "history/error.hpp"

namespace assay::cli {

namespace {

struct SendCommand {
  std::string history;
  SendingOptions sending;
  bool truncated = false, quiet = false;
};

// Each whole block of the file, in order. True if the file has its end.
bool each_block(const std::string& path, const std::function<void(format::PackedStream::Block&)>& use) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path, "", "cannot be read");
  format::PackedStream stream(path);
  std::vector<char> piece(std::size_t{1} << 20);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    stream.push({piece.data(), static_cast<std::size_t>(file.gcount())});
    while (auto block = stream.next()) use(*block);
  }
  return stream.ended();
}

struct Sending {
  std::optional<collect::Sender> sender;
  std::uint64_t already = 0;               // fragments that the watcher had
  std::uint64_t fragments = 0;             // of the file, so far
  std::uint64_t transactions = 0;          // of the file, so far
  std::uint64_t transactions_already = 0;  // of them, in what the watcher had
};

void send_block(Sending& sending, format::PackedStream::Block& block) {
  const std::uint64_t transactions = block.history.transactions();
  sending.transactions += transactions;
  for (const std::string& one : collect::sendable(std::move(block.body), block.history)) {
    if (sending.fragments++ >= sending.already) sending.sender->send_block(one);
  }
  if (sending.fragments <= sending.already) sending.transactions_already += transactions;
}

void finish(Sending& sending, const std::string& path) {
  // The end takes a number too.
  if (sending.already == sending.fragments + 1) return;
  if (sending.already > sending.fragments) {
    throw InputError(path, "",
                     fmt::format("it has {} fragments, and the watcher has {} of this recording: this is not "
                                 "all of it",
                                 sending.fragments, sending.already));
  }
  sending.sender->finish();
}

Exit run_send(const SendCommand& command) {
  const collect::Address watcher = collect::address_of(*command.sending.watcher);
  std::optional<Progress> progress(std::in_place, !command.quiet, "reading");
  std::string name;
  // All of it is looked at first: half a history shall not be sent and then found to be damaged.
  const bool ended = each_block(command.history, [&](format::PackedStream::Block& block) {
    if (name.empty()) name = collect::recording_name(block.body);
  });
  if (!ended && !command.truncated)
    throw InputError(command.history, "", "the recording is cut off; --truncated sends what there is of it");
  if (name.empty()) throw InputError(command.history, "", "there is nothing in it");

  collect::SenderOptions options;
  options.patience = patience_of(command.sending);
  options.silence = silence_of(command.sending);
  options.patience_at_start = std::chrono::milliseconds(0);
  if (!command.quiet) {
    options.note = [](const std::string& text) {
      wipe_progress();
      print_note(text);
    };
  }
  Sending sending;
  sending.sender.emplace(watcher, name, options);
  sending.already = sending.sender->next();
  progress->phase("sending");
  try {
    each_block(command.history, [&](format::PackedStream::Block& block) { send_block(sending, block); });
    finish(sending, command.history);
  } catch (const InputError& error) {
    progress.reset();
    print_error(fmt::format("{}: {} of its fragments were delivered, others were not", error.what(),
                            sending.sender->acknowledged()));
    return Exit::undecided;
  }
  progress.reset();
  if (!command.quiet) {
    print(fmt::format("sent       {} transactions to {}\n",
                      sending.transactions - sending.transactions_already, *command.sending.watcher));
    if (sending.transactions_already > 0)
      print(fmt::format("           {} were there already\n", sending.transactions_already));
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
