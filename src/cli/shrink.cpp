#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "check/check.hpp"
#include "check/expand.hpp"
#include "cli/command.hpp"
#include "cli/destination.hpp"
#include "cli/input.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "evidence/counterexample.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "history/sub_history.hpp"

namespace assay::cli {

namespace {

struct ShrinkOptions {
  InputOptions input;
  std::string level = "serializable";
  std::string out;
  std::string to = "jsonl";
  bool ignore_sessions = false;
  bool quiet = false;
};

// No file can say that a read saw one of several versions: such a read becomes one of the only version that
// somebody here wrote, or is left out.
History without_sets(const History& h) {
  std::vector<bool> written(h.versions(), false);
  for (std::uint32_t k = 0; k < h.keys(); ++k) written[index(h.initial_version(Key{k}))] = true;
  for (const Op op : IdRange<Op>{0, h.operations()}) {
    if (writes(h.kind(op))) written[index(h.version(op))] = true;
  }
  HistoryBuilder build;
  build.clocks(h.clocks());
  Rebuild rebuild(h, build);
  const auto is_initial = [&](Version v) { return h.is_initial(v); };
  for (const Txn t : h.all_transactions()) {
    build.begin(build.session(h.name(h.session_of(t))), h.name(t));
    for (const Op op : h.operations_of(t)) {
      if (h.kind(op) != OpKind::read || !h.is_set(h.version(op))) {
        rebuild.operation(op, is_initial);
        continue;
      }
      std::vector<Version> seen;
      for (const Version v : h.members(h.version(op))) {
        if (written[index(v)]) seen.push_back(v);
      }
      if (seen.size() != 1) continue;
      const Atom key = h.name(h.key(op));
      h.is_initial(seen[0]) ? build.read_initial(key) : build.read(key, h.value(seen[0]));
    }
    build.end(h.status(t), h.start(t), h.end(t));
  }
  return build.finish();
}

// The transactions that violate the level, alone; queries as reads of what they say.
History part_of(const History& history, std::span<const Txn> transactions, Level level) {
  const ListPart lists = implies(level, Level::prefix) ? ListPart::of_members : ListPart::if_source_is_member;
  if (!check::has_queries(history)) return sub_history(history, transactions, lists).history;
  const check::Expanded expanded = check::expand_queries(history, check::what_is_not_returned(level));
  return without_sets(sub_history(expanded.history, transactions, lists).history);
}

Exit run_shrink(const ShrinkOptions& options) {
  const Level level = level_named(options.level);
  format_named(options.to);
  std::optional<Progress> progress(std::in_place, !options.quiet, "reading");
  const History history = read_input(options.input);
  check::Options settings;
  if (options.ignore_sessions) settings.sessions = check::SessionOrder::ignore;
  progress->phase("checking");
  const std::array<Level, 1> levels{level};
  const check::Outcome outcome = std::move(check::check(history, levels, settings)[0]);
  if (outcome.verdict != check::Verdict::violated) {
    progress.reset();
    const bool holds = outcome.verdict == check::Verdict::holds;
    print_error(holds ? fmt::format("{} holds: there is nothing to shrink to", info(level).name)
                      : fmt::format("undecided: {}", outcome.reason));
    return holds ? Exit::holds : Exit::undecided;
  }
  progress->phase("shrinking");
  const evidence::Counterexample found = evidence::find_counterexample(history, outcome, settings);
  const History part = part_of(history, found.transactions, level);
  if (check::has_queries(history) &&
      check::check(part, levels, settings)[0].verdict != check::Verdict::violated) {
    progress.reset();
    print_error(
        "the violation rests on rows that a query did not return and that several transactions can have "
        "taken "
        "away, which no smaller history can say");
    return Exit::undecided;
  }
  write_output(part, options.out, options.to);
  progress.reset();
  if (!options.quiet && options.out != "-") {
    print(fmt::format("{}: {} of {} transactions still violate {} ({})\n", options.out,
                      found.transactions.size(), history.transactions(), info(level).name,
                      evidence::info(found.anomaly).title));
  }
  return Exit::violated;
}

}  // namespace

void add_shrink(CLI::App& root, Action& chosen_action) {
  CLI::App* command =
      root.add_subcommand("shrink", "Write the smallest part of a history that still violates a level");
  auto options = std::make_shared<ShrinkOptions>();
  add_input_options(*command, options->input, "HISTORY");
  command->add_option("-l,--level", options->level, "The level that is violated")
      ->type_name("LEVEL")
      ->capture_default_str();
  command->add_option("-o,--output", options->out, "Where to write it; - is standard output")
      ->required()
      ->type_name("PATH");
  command->add_option("-t,--to", options->to, "The format to write (see assay formats)")
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_flag("--ignore-sessions", options->ignore_sessions, "As check --sessions=ignore");
  command->add_flag("-q,--quiet", options->quiet, "Print no text and no progress");
  command->footer(
      "Keeps the transactions of a minimal counterexample, drops reads of others. What is written violates\n"
      "the level by itself, so it can stand for the whole in a bug report.\n"
      "Exit code: 1 written, 0 the level holds, 2 undecided, 3 bad input or command line.\n"
      "\n"
      "Examples:\n"
      "  assay shrink run.jsonl --level si -o small.jsonl\n"
      "  assay shrink run.edn -o - | less");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_shrink(*options); }; });
}

}  // namespace assay::cli
