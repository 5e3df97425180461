#include "cli/option/input.hpp"

#include <CLI/CLI.hpp>

#include "cli/option/choice.hpp"
#include "cli/option/names.hpp"
#include "format/cut_off.hpp"

namespace assay::cli {

namespace {

using format::FailedStatements;
using format::Initial;

constexpr Choice<Initial> kInitial[] = {{"auto", Initial::automatic},
                                        {"zero", Initial::zero},
                                        {"first-transaction", Initial::first_transaction},
                                        {"none", Initial::none}};
constexpr Choice<FailedStatements> kFailedStatements[] = {{"drop", FailedStatements::drop},
                                                          {"unknown", FailedStatements::unknown}};

struct Reading {
  format::ReadOptions how;
  std::optional<std::string_view> format;
};

Reading reading(const InputOptions& options) {
  Reading out;
  out.how.initial = chosen(kInitial, "--initial", options.initial);
  out.how.failed_statements = chosen(kFailedStatements, "--failed-statements", options.failed_statements);
  out.how.accept_truncated = options.truncated;
  if (options.format) out.format = format_named(*options.format).name;
  return out;
}

}  // namespace

void add_input_options(CLI::App& command, InputOptions& options, const std::string& name) {
  command
      .add_option(name, options.path,
                  "The history: a file (gzip and zstd are unpacked), a directory, or - for standard input")
      ->required()
      ->type_name("PATH");
  add_reading_options(command, options);
}

void add_reading_options(CLI::App& command, InputOptions& options) {
  command.add_option("--format", options.format, "Its format; told by the content if not given")
      ->type_name("FORMAT");
  command.add_option("--initial", options.initial, "How the state before the first transaction is shown")
      ->type_name(words(kInitial))
      ->capture_default_str();
  command
      .add_option(
          "--failed-statements", options.failed_statements,
          "What a failed statement in a transaction that reports success means: only it did not happen, or "
          "the transaction's fate is unknown")
      ->type_name(words(kFailedStatements))
      ->capture_default_str();
  command.add_flag("--truncated", options.truncated,
                   "Of a recording that was cut off, take what is whole instead of refusing it");
}

void refuse_wrong_reading(const InputOptions& options) {
  reading(options);
}

History read_input(const InputOptions& options) {
  const Reading asked = reading(options);
  try {
    return format::read_history(options.path, asked.how, asked.format);
  } catch (const format::NoFormatMatches& error) {
    throw InputError(error.path(), error.position(), error.message() + ": --format NAME");
  } catch (const format::CutOff& error) {
    throw InputError(error.path(), error.position(), error.message() + " (--truncated takes what is whole)");
  }
}

}  // namespace assay::cli
