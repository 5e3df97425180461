#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <filesystem>
#include <new>

#include "assay/assay.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/suggest.hpp"
#include "history/error.hpp"
#include "record/store/store.hpp"

namespace assay::cli {

namespace {

constexpr const char* kOverview =
    "Assay tells, from the outside, whether a database kept its isolation level: give it what\n"
    "clients sent and saw, and it decides which levels that history satisfies, and shows why not.\n"
    "\n"
    "  assay run                           test a database: by default SQLite, in ten seconds\n"
    "  assay generate -o run.jsonl         make up a history to play with\n"
    "  assay check run.jsonl               is it serializable?\n"
    "  assay check run.jsonl --all         which levels does it satisfy?\n"
    "  assay levels                        what the levels promise\n"
    "  assay formats                       the formats that Assay reads and writes\n"
    "\n"
    "'assay --help' lists all commands, 'assay COMMAND --help' explains one.\n";

void end_on_interrupt(int) {
  wipe_progress();
  _exit(128 + SIGINT);
}

// What was typed that the parser does not know, with the nearest thing that it does know.
std::string unknown_argument(const CLI::App& root) {
  const CLI::App* scope = &root;
  for (const CLI::App* command : root.get_subcommands()) scope = command;
  for (const std::string& word : root.remaining(true)) {
    std::vector<std::string> known;
    if (word.starts_with("-")) {
      for (const CLI::Option* option : scope->get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      }
      const std::string option = word.substr(0, word.find('='));
      return fmt::format("unknown option '{}'{}; see 'assay {}--help'", option, suggestion(option, known),
                         scope == &root ? "" : scope->get_name() + " ");
    }
    if (scope != &root)
      return fmt::format("'{}' is one argument too many for 'assay {}'", word, scope->get_name());
    for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(command->get_name());
    }
    return fmt::format("unknown command '{}'{}; 'assay --help' lists the commands", word,
                       suggestion(word, known));
  }
  return "the command line could not be understood; see 'assay --help'";
}

Exit run(int argc, char** argv) {
  CLI::App app("Tells from the outside whether a database kept its isolation level.", "assay");
  Action chosen;
  app.set_version_flag("--version", "assay " + std::string(api::version()), "Print the version");
  app.get_formatter()->column_width(34);
  add_run(app, chosen);
  add_record(app, chosen);
  add_check(app, chosen);
  add_verify(app, chosen);
  add_shrink(app, chosen);
  add_convert(app, chosen);
  add_stats(app, chosen);
  add_generate(app, chosen);
  add_watch(app, chosen);
  add_send(app, chosen);
  add_levels(app, chosen);
  add_formats(app, chosen);
  add_completion(app, chosen);
  app.footer(
      "Examples:\n"
      "  assay check run.jsonl --level snapshot-isolation\n"
      "  assay check run.jsonl --all --json\n"
      "  assay COMMAND --help");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return Exit::holds;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return Exit::holds;
  } catch (const CLI::ExtrasError&) {
    throw UsageError(unknown_argument(app));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (chosen) return chosen();
  print(kOverview);
  return Exit::holds;
}

Exit run_and_tell(int argc, char** argv) {
  const auto fail = [](Exit code, std::string_view message) {
    print_error(message);
    return code;
  };
  try {
    const Exit code = run(argc, argv);
    flush_output();
    return code;
  } catch (const UsageError& error) {
    return fail(Exit::wrong_use, error.what());
  } catch (const InputError& error) {
    return fail(Exit::wrong_use, error.what());
  } catch (const record::StoreError& error) {
    return fail(Exit::wrong_use, error.what());
  } catch (const OutputError& error) {
    return fail(Exit::wrong_use, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(Exit::wrong_use, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return fail(Exit::defect, "out of memory");
  } catch (const std::exception& error) {
    return fail(Exit::defect, fmt::format("a defect of Assay, please report it: {}", error.what()));
  }
}

}  // namespace

}  // namespace assay::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (std::signal(SIGINT, assay::cli::end_on_interrupt) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
  return static_cast<int>(assay::cli::run_and_tell(argc, argv));
}
