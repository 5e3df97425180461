#include "matrix/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "evidence/examine.hpp"
#include "format/format.hpp"
#include "record/recording.hpp"
#include "report/story.hpp"

namespace assay::matrix {

namespace {

using check::Verdict;
using database::Store;

// How often a schedule is played until its steps follow each other, each time with more patience.
constexpr int kMostTries = 3;
constexpr int kMorePatience = 4;
// The fewer keys, the more conflicts. Where rows are deleted, who finds none may have seen any of the deletes: of longer
// recordings the weak levels would be left undecided.
struct Drawn {
  std::string_view workload;
  std::uint32_t keys;
  std::optional<std::uint64_t> transactions;
};
constexpr Drawn kDrawn[] = {{"list-append", 12, std::nullopt}, {"predicate", 60, 600}};
constexpr std::uint32_t kRandomSessions = 6;

std::vector<Store::Mode> columns(const Store& store) {
  std::vector<Store::Mode> modes;
  for (const Store::Mode& mode : store.modes()) {
    const bool known = std::any_of(modes.begin(), modes.end(),
                                   [&](const Store::Mode& other) { return other.called == mode.called; });
    if (!known) modes.push_back(mode);
  }
  std::reverse(modes.begin(), modes.end());
  return modes;
}

std::vector<Row> rows_of(const MatrixOptions& options) {
  std::vector<Row> rows;
  for (const Schedule& one : schedules())
    rows.push_back({&one, std::string(one.name), std::string(one.title), std::string(one.code)});
  if (options.random.count() > 0) {
    for (const Drawn& one : kDrawn)
      rows.push_back(
          {nullptr, fmt::format("random-{}", one.workload), fmt::format("random: {}", one.workload), ""});
  }
  return rows;
}

const Drawn& drawn(const Row& row) {
  return *std::find_if(std::begin(kDrawn), std::end(kDrawn),
                       [&](const Drawn& one) { return row.name == fmt::format("random-{}", one.workload); });
}

// A workload is held against the levels that databases speak of: a long history takes its time at each.
std::vector<Level> levels_for(const Row& row, const Store::Mode& mode) {
  std::vector<Level> some{Level::read_committed, Level::repeatable_read, Level::snapshot_isolation,
                          Level::serializable};
  if (row.schedule != nullptr) {
    some.clear();
    for (const LevelInfo& level : levels()) some.push_back(level.level);
  } else if (mode.promised && std::find(some.begin(), some.end(), *mode.promised) == some.end()) {
    some.push_back(*mode.promised);
  }
  return some;
}

Verdict verdict_of(const evidence::Examination& found, Level level) {
  for (const check::Outcome& outcome : found.outcomes) {
    if (outcome.level == level) return outcome.verdict;
  }
  return Verdict::undecided;
}

// Violated if any of them is.
Verdict verdict_of(const evidence::Examination& found, std::span<const Level> levels) {
  Verdict all = Verdict::holds;
  for (const Level level : levels) {
    const Verdict one = verdict_of(found, level);
    if (one == Verdict::violated) return one;
    if (one == Verdict::undecided) all = one;
  }
  return all;
}

bool is_meant(const Schedule& schedule, Anomaly anomaly) {
  return anomaly == schedule.anomaly ||
         std::find(schedule.also.begin(), schedule.also.end(), anomaly) != schedule.also.end();
}

Finding unseen(const std::vector<StepOutcome>& steps) {
  const auto any = [&](auto what) { return std::any_of(steps.begin(), steps.end(), what); };
  if (any([](const StepOutcome& step) { return step.error.has_value(); })) return Finding::error;
  return any([](const StepOutcome& step) { return step.waited; }) ? Finding::blocked : Finding::prevented;
}

Finding finding_of(const Row& row, const Cell& cell, const evidence::Examination& found) {
  if (row.schedule == nullptr) {
    const bool open =
        std::any_of(found.outcomes.begin(), found.outcomes.end(),
                    [](const check::Outcome& outcome) { return outcome.verdict == Verdict::undecided; });
    if (!cell.anomalies.empty()) return Finding::seen;
    return open ? Finding::undecided : Finding::none;
  }
  switch (verdict_of(found, info(row.schedule->anomaly).forbidden_by)) {
    case Verdict::holds:
      return cell.promise == Verdict::violated ? Finding::other : unseen(cell.steps);
    case Verdict::undecided:
      return Finding::undecided;
    case Verdict::violated:
      break;
  }
  const bool meant = std::any_of(cell.anomalies.begin(), cell.anomalies.end(),
                                 [&](Anomaly anomaly) { return is_meant(*row.schedule, anomaly); });
  return meant ? Finding::seen : Finding::other;
}

class Making {
 public:
  Making(database::Target& target, const MatrixOptions& options, std::atomic<bool>& stop)
      : target_(target), options_(options), stop_(stop) {}

  Matrix all() {
    Store& store = target_.store();
    Matrix matrix{store.description(), columns(store), rows_of(options_), {}};
    matrix.cells.assign(matrix.rows.size(), std::vector<Cell>(matrix.modes.size()));
    for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
      for (std::size_t column = 0; column < matrix.modes.size(); ++column) {
        if (!stop_) matrix.cells[row][column] = cell(matrix.rows[row], matrix.modes[column]);
      }
    }
    return matrix;
  }

 private:
  Cell cell(const Row& row, const Store::Mode& mode) {
    Cell cell;
    if (!can_run(row)) return cell;
    if (options_.begun) options_.begun(mode.called, row.title);
    const std::string name = fmt::format("{}-{}", record::plain_spelling(mode.called), row.name);
    cell.history = name + ".assay";
    const std::string path = (options_.folder / cell.history).string();
    if (row.schedule != nullptr) {
      cell.steps = play_in_step(*row.schedule, mode, path);
    } else {
      draw(row, mode, path);
    }
    const evidence::Examination found = examined(row, mode, path);
    cell.committed = evidence::committed(*found.history);
    if (mode.promised) cell.promise = verdict_of(found, *mode.promised);
    for (const evidence::Explanation& why : found.explanations) {
      const Anomaly anomaly = why.counterexample.anomaly;
      if (std::find(cell.anomalies.begin(), cell.anomalies.end(), anomaly) == cell.anomalies.end())
        cell.anomalies.push_back(anomaly);
    }
    if (!found.explanations.empty())
      cell.sentence = report::story_of(*found.history, found.explanations.front()).summary;
    cell.finding = finding_of(row, cell, found);
    if (options_.page) cell.page = options_.page(name, found);
    return cell;
  }

  bool can_run(const Row& row) {
    const Store& store = target_.store();
    if (row.schedule != nullptr)
      return (!needs_lists(*row.schedule) || store.has_lists()) &&
             (!needs_selects(*row.schedule) || store.has_ranges());
    const auto workload = record::find_workload(drawn(row).workload)->make({});
    return (!workload->needs_lists() || store.has_lists()) &&
           (!workload->needs_ranges() || store.has_ranges());
  }

  std::vector<StepOutcome> play_in_step(const Schedule& schedule, const Store::Mode& mode,
                                        const std::string& path) {
    std::chrono::milliseconds patience = options_.patience;
    for (int tries = 1;; ++tries, patience *= kMorePatience) {
      Store& store = target_.store();
      store.prepare();
      record::Recorder recorder(
          {path, {}}, sessions_of(schedule) + 1,
          record::first_note(options_.recorded_by, store.description(), mode,
                             "schedule " + std::string(schedule.name), sessions_of(schedule) + 1, 0));
      const Played played = play(store, mode, schedule, recorder, patience);
      if (played.out_of_step && tries < kMostTries) continue;
      for (std::size_t i = 0; i < played.steps.size(); ++i)
        note_step(recorder, schedule.steps[i], played.steps[i]);
      recorder.finish();
      return played.steps;
    }
  }

  static void note_step(record::Recorder& recorder, const Step& step, const StepOutcome& outcome) {
    if (outcome.error) {
      recorder.note(fmt::format("{}: refused, {}", told(step), *outcome.error));
    } else if (outcome.waited) {
      recorder.note(fmt::format("{}: it had to wait until another transaction had ended", told(step)));
    }
  }

  void draw(const Row& row, const Store::Mode& mode, const std::string& path) {
    record::RunOptions run;
    run.sessions = kRandomSessions;
    run.seed = options_.seed;
    run.duration = options_.random;
    run.transactions = drawn(row).transactions;
    if (const auto& most = options_.random_transactions) {
      run.transactions = std::min(*most, run.transactions.value_or(*most));
    }
    record::WorkloadOptions shape;
    shape.keys = drawn(row).keys;
    const record::WorkloadInfo& workload = *record::find_workload(drawn(row).workload);
    record::make_recording(target_, {workload, shape, run, mode}, {options_.recorded_by, path, {}},
                           {stop_, {}, {}, {}});
  }

  evidence::Examination examined(const Row& row, const Store::Mode& mode, const std::string& path) const {
    evidence::ExamineOptions how{.check = options_.check};
    how.explain = evidence::Explain::weakest;
    auto history = std::make_shared<const History>(format::read_history(path));
    return evidence::examine(std::move(history), levels_for(row, mode), how);
  }

  database::Target& target_;
  const MatrixOptions& options_;
  std::atomic<bool>& stop_;
};

}  // namespace

std::string_view name(Finding finding) {
  switch (finding) {
    case Finding::prevented:
      return "prevented";
    case Finding::blocked:
      return "blocked";
    case Finding::error:
      return "error";
    case Finding::seen:
      return "seen";
    case Finding::none:
      return "none";
    case Finding::other:
      return "other";
    case Finding::undecided:
      return "undecided";
    case Finding::not_run:
      return "not-run";
  }
  return "";
}

bool Matrix::keeps_promises() const {
  return std::all_of(cells.begin(), cells.end(), [](const std::vector<Cell>& row) {
    return std::all_of(row.begin(), row.end(),
                       [](const Cell& cell) { return cell.promise != Verdict::violated; });
  });
}

bool Matrix::is_decided() const {
  return std::all_of(cells.begin(), cells.end(), [](const std::vector<Cell>& row) {
    return std::all_of(row.begin(), row.end(),
                       [](const Cell& cell) { return cell.promise == Verdict::holds; });
  });
}

Matrix make_matrix(database::Target& target, const MatrixOptions& options, std::atomic<bool>& stop) {
  return Making(target, options, stop).all();
}

}  // namespace assay::matrix
