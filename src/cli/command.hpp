// The command line: one file per subcommand. Each adds its options to the parser and, if it is the one that
// was asked for, leaves an Action; main.cpp runs that and turns whatever it throws into the one form of error
// message and an exit code.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
}

namespace assay::cli {

// A contract with the programs that call Assay: see docs/cli.md.
enum class Exit : int {
  holds = 0,      // and any other success
  violated = 1,   // some asked level is violated
  undecided = 2,  // none is violated, but some could not be decided
  wrong_use = 3,  // the input or the command line is wrong
  defect = 4,     // Assay itself failed
};

// The command line asks for something that does not exist or cannot be.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Action = std::function<Exit()>;

void add_check(CLI::App& root, Action& chosen);
void add_verify(CLI::App& root, Action& chosen);
void add_shrink(CLI::App& root, Action& chosen);
void add_convert(CLI::App& root, Action& chosen);
void add_stats(CLI::App& root, Action& chosen);
void add_generate(CLI::App& root, Action& chosen);
void add_run(CLI::App& root, Action& chosen);
void add_record(CLI::App& root, Action& chosen);
void add_matrix(CLI::App& root, Action& chosen);
void add_send(CLI::App& root, Action& chosen);
void add_watch(CLI::App& root, Action& chosen);
// Its commands have many options, which cost time at every start: they are there only if they are wanted.
enum class AuditCommands : bool { left_out, all };
void add_audit(CLI::App& root, Action& chosen, AuditCommands commands);
void add_levels(CLI::App& root, Action& chosen);
void add_formats(CLI::App& root, Action& chosen);
// These describe the other subcommands, so they must be added last.
void add_completion(CLI::App& root, Action& chosen);
void add_manual(CLI::App& root, Action& chosen);

}  // namespace assay::cli
