#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/assay.hpp"
#include "cli/command.hpp"
#include "cli/failure.hpp"
#include "cli/option/command_line.hpp"
#include "cli/option/interrupt.hpp"
#include "cli/option/locale.hpp"
#include "cli/option/output.hpp"
#include "cli/option/suggest.hpp"

namespace assay::cli {

namespace {

constexpr const char* kOverview =
    "Assay tells, from the outside, whether a database kept its isolation level: give it what\n"
    "clients sent and saw, and it decides which levels that history satisfies, and shows why not.\n"
    "\n"
    "  assay run                           test a database: by default SQLite, in ten seconds\n"
    "  assay matrix --server postgres      which anomalies a database lets through at which level\n"
    "  assay generate -o run.jsonl         make up a history to play with\n"
    "  assay check run.jsonl               is it serializable?\n"
    "  assay check run.jsonl --all         which levels does it satisfy?\n"
    "  assay audit run                     audit a PHP server: are its responses the program's?\n"
    "  assay levels                        what the levels promise\n"
    "  assay formats                       the formats that Assay reads and writes\n"
    "\n"
    "'assay --help' lists all commands, 'assay help COMMAND' explains one.\n";

// What was typed that the parser does not know, with the nearest thing that it does know.
std::string unknown_argument(const CLI::App& root) {
  const CLI::App* scope = &root;
  std::string path;  // "audit check "
  while (!scope->get_subcommands().empty()) {
    scope = scope->get_subcommands().back();
    path += scope->get_name() + " ";
  }
  for (const std::string& word : root.remaining(true)) {
    std::vector<std::string> known;
    if (word.starts_with("-")) {
      for (const CLI::Option* option : scope->get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      }
      const std::string option = word.substr(0, word.find('='));
      return fmt::format("unknown option '{}'{}; see 'assay {}--help'", option, suggestion(option, known),
                         path);
    }
    for (const CLI::App* command : scope->get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(command->get_name());
    }
    if (known.empty())
      return fmt::format("'{}' is one argument too many for 'assay {}'", word,
                         path.substr(0, path.size() - 1));
    return fmt::format("unknown command '{}{}'{}; 'assay {}--help' lists the commands", path, word,
                       suggestion(word, known), path);
  }
  return "the command line could not be understood; see 'assay --help'";
}

bool asks_for_help(int argc, char** argv) {
  return argc > 1 && std::string_view(argv[1]) == "help";
}

// 'assay help X' is 'assay X --help'.
void parse(CLI::App& app, int argc, char** argv) {
  if (!asks_for_help(argc, argv)) return app.parse(argc, argv);
  // Asked for help on a command that there is not, the parser would explain the program instead.
  const auto known =
      app.get_subcommands([&](const CLI::App* each) { return argc > 2 && each->check_name(argv[2]); });
  std::vector<std::string> words;  // the parser takes them from the end
  if (argc == 2 || !known.empty()) words.emplace_back("--help");
  for (int i = argc - 1; i > 1; --i) words.emplace_back(argv[i]);
  app.parse(std::move(words));
}

AuditCommands commands_below_audit(int argc, char** argv) {
  const int at = asks_for_help(argc, argv) ? 2 : 1;
  const std::string_view first = argc > at ? argv[at] : "";
  return first == "audit" || first == "completion" || first == "manual" ? AuditCommands::all
                                                                        : AuditCommands::left_out;
}

Exit run(int argc, char** argv) {
  CLI::App app("Tells from the outside whether a database kept its isolation level.", "assay");
  Action chosen;
  app.set_version_flag("-V,--version", "assay " + std::string(api::version()), "Print the version");
  app.get_formatter()->column_width(34);
  add_run(app, chosen);
  add_record(app, chosen);
  add_matrix(app, chosen);
  add_check(app, chosen);
  add_verify(app, chosen);
  add_shrink(app, chosen);
  add_convert(app, chosen);
  add_stats(app, chosen);
  add_generate(app, chosen);
  add_watch(app, chosen);
  add_send(app, chosen);
  add_audit(app, chosen, commands_below_audit(argc, argv));
  add_levels(app, chosen);
  add_formats(app, chosen);
  add_completion(app, chosen);
  add_manual(app, chosen);
  app.footer(
      "Examples:\n"
      "  assay check run.jsonl --level snapshot-isolation\n"
      "  assay check run.jsonl --all --json\n"
      "  assay COMMAND --help");
  try {
    parse(app, argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(in_locale(app.help()));
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
  return unless_it_fails(
      [&] {
        const Exit code = run(argc, argv);
        flush_output();
        return code;
      },
      [](const Failure& failure) { print_error(failure.message); });
}

std::atomic<bool> memory_ran_out = false;
std::terminate_handler usual_end = nullptr;

// Where memory runs out on another thread, while a failure is being cleared away, or inside a function of the C++ library
// that may not throw, nobody can catch it, or even see what it was. Nothing of a user's depends on how a process ends;
// so it ends as if somebody had.
void end_in_order_without_memory() {
  std::set_new_handler([] {
    memory_ran_out = true;
    throw std::bad_alloc();
  });
  usual_end = std::set_terminate([] {
    if (!memory_ran_out) usual_end();
    print_out_of_memory();
    _exit(static_cast<int>(Exit::undecided));
  });
}

}  // namespace

}  // namespace assay::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  assay::cli::end_on_interrupt();
  assay::cli::end_in_order_without_memory();
  try {
    assay::cli::remember_command_line(argc, argv);
    return static_cast<int>(assay::cli::run_and_tell(argc, argv));
  } catch (const std::bad_alloc&) {
    assay::cli::print_out_of_memory();
    return static_cast<int>(assay::cli::Exit::undecided);
  }
}
