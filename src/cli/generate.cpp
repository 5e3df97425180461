#include "record/generate/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/option/choice.hpp"
#include "cli/option/destination.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "system/input_error.hpp"

namespace assay::cli {

namespace {

using record::GenerateOptions;
using record::KeyDistribution;

constexpr Choice<KeyDistribution::Kind> kDistributions[] = {{"uniform", KeyDistribution::Kind::uniform},
                                                            {"zipf", KeyDistribution::Kind::zipf},
                                                            {"hotspot", KeyDistribution::Kind::hotspot}};
constexpr Choice<GenerateOptions::Model> kModels[] = {{"register", GenerateOptions::Model::registers},
                                                      {"list", GenerateOptions::Model::lists}};

// What the options say in words, until they are known to be right.
struct GenerateCommand {
  GenerateOptions generate;
  std::string out;
  std::string to = "jsonl";
  std::string operations = "8";
  std::string distribution = "uniform";
  std::string model = "register";
  std::string level = "serializable";
  std::optional<std::string> inject;
  std::optional<std::string> fault;
  bool no_times = false;
  bool no_tombstones = false;
  bool quiet = false;
};

std::vector<std::string> anomaly_names() {
  std::vector<std::string> names;
  for (const Anomaly anomaly : textbook_anomalies()) names.emplace_back(info(anomaly).textbook.name);
  return names;
}

std::optional<Anomaly> anomaly_named(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  if (const auto anomaly = find_textbook_anomaly(*name)) return anomaly;
  const std::vector<std::string> known = anomaly_names();
  throw UsageError(fmt::format("unknown anomaly '{}'{}; the anomalies are {}", *name,
                               suggestion(*name, known), fmt::join(known, ", ")));
}

std::uint32_t operations_of(const std::string& text, const std::string& whole) {
  std::uint32_t number = 0;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos ||
      !CLI::detail::lexical_cast(text, number)) {
    throw UsageError(
        fmt::format("--operations cannot be '{}'; write a number or a range, like 8 or 2-12", whole));
  }
  return number;
}

GenerateOptions settled(const GenerateCommand& command) {
  GenerateOptions options = command.generate;
  const std::size_t dash = command.operations.find('-');
  options.min_operations = operations_of(command.operations.substr(0, dash), command.operations);
  options.max_operations = dash == std::string::npos
                               ? options.min_operations
                               : operations_of(command.operations.substr(dash + 1), command.operations);
  options.distribution.kind = chosen(kDistributions, "--distribution", command.distribution);
  options.model = chosen(kModels, "--model", command.model);
  options.level = level_named(command.level);
  options.inject = anomaly_named(command.inject);
  options.fault = anomaly_named(command.fault);
  options.times = !command.no_times;
  options.tombstones = !command.no_tombstones;
  return options;
}

// What makes no sense is told in the command line's spelling.
void validate_command_line(const GenerateOptions& options) {
  try {
    record::validate(options);
  } catch (const InputError& error) {
    throw InputError("--" + error.path(), error.position(), error.message());
  }
}

Exit run_generate(const GenerateCommand& command) {
  format_named(command.to);
  const GenerateOptions options = settled(command);
  std::optional<Progress> progress(std::in_place, !command.quiet, "generating");
  validate_command_line(options);
  const record::Generated generated = record::generate(options);
  progress->phase("writing");
  write_output(generated.history, command.out, command.to);
  progress.reset();
  if (generated.planted && !command.quiet && command.out != "-") {
    print(fmt::format("planted {} in transactions {} on keys {}\n", *command.inject,
                      fmt::join(generated.planted->transactions, ", "),
                      fmt::join(generated.planted->keys, ", ")));
  }
  return Exit::holds;
}

}  // namespace

void add_generate(CLI::App& root, Action& chosen_action) {
  CLI::App* command =
      root.add_subcommand("generate", "Make up a history, as a correct or a broken database would");
  auto options = std::make_shared<GenerateCommand>();
  GenerateOptions& generate = options->generate;
  const auto word = [&](const std::string& name, std::string& value, const std::string& text,
                        const std::string& type) {
    command->add_option(name, value, text)->type_name(type)->capture_default_str();
  };
  const auto number = [&](const std::string& name, auto& value, const std::string& text) {
    command->add_option(name, value, text)->type_name("N")->capture_default_str();
  };
  const auto share = [&](const std::string& name, double& value, const std::string& text) {
    command->add_option(name, value, text)
        ->type_name("SHARE")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
  };

  command->add_option("-o,--output", options->out, "Where to write it; - is standard output")
      ->required()
      ->type_name("PATH");
  word("-t,--to", options->to, "The format to write", "FORMAT");
  number("--seed", generate.seed, "The same seed gives the same history");

  number("--sessions", generate.sessions, "Clients");
  number("--transactions", generate.transactions, "Transactions, over all sessions");
  word("--operations", options->operations, "Operations of a transaction, a number or a range",
       "N or MIN-MAX");
  number("--keys", generate.keys, "Keys");
  word("--distribution", options->distribution, "How often each key is used", words(kDistributions));
  command->add_option("--theta", generate.distribution.theta, "zipf: how skewed; 0 is uniform")
      ->type_name("X")
      ->check(CLI::Range(0.0, 8.0))
      ->capture_default_str();
  share("--hot-keys", generate.distribution.hot_keys, "hotspot: this share of the keys ...");
  share("--hot-access", generate.distribution.hot_access, "... gets this share of the operations");
  word("--model", options->model, "Keys hold a value each, or a list that grows by appends", words(kModels));
  number("--appends-per-key", generate.appends_per_key,
         "list: a list this long is replaced by one at a new key");

  share("--reads", generate.reads, "Of the operations, those that only read");
  share("--ranges", generate.ranges, "register: of the reads, those that read a range of keys");
  share("--rows", generate.rows,
        "register: of the other reads, those that read rows of a range and claim nothing about others");
  number("--range-keys", generate.range_keys, "register: keys in a range");
  share("--updates", generate.updates, "Of the writes, those that read the key first; the others are blind");
  share("--deletes", generate.deletes, "register: of the writes, those that delete");
  command->add_flag("--no-tombstones", options->no_tombstones, "A deleted row reads as one that never was");
  share("--duplicates", generate.duplicates,
        "register: of the writes, those that repeat one of a few values");
  share("--aborts", generate.aborts, "Of the transactions, those that the client aborts");
  share("--unknown", generate.unknown, "Of the transactions, those whose fate the client never learns");
  command->add_flag("--no-times", options->no_times, "Without the start and end of transactions");

  word("--level", options->level, "The level that the made-up database keeps", "LEVEL");
  const std::string anomalies = fmt::format("{}", fmt::join(anomaly_names(), "|"));
  command->add_option("--inject", options->inject, "Plant this anomaly once")->type_name(anomalies);
  command->add_option("--fault", options->fault, "Let this anomaly happen wherever it comes up")
      ->type_name(anomalies);
  command->add_flag("-q,--quiet", options->quiet, "Print no text and no progress");
  command->footer(
      "Shares are between 0 and 1.\n"
      "\n"
      "Examples:\n"
      "  assay generate -o run.jsonl\n"
      "  assay generate -o run.jsonl --transactions 100000 --distribution zipf --reads 0.9\n"
      "  assay generate -o broken.jsonl --inject lost-update && assay check broken.jsonl --all\n"
      "  assay generate -o weak.jsonl --level snapshot-isolation --keys 20");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_generate(*options); }; });
}

}  // namespace assay::cli
