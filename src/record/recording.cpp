#include "record/recording.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "record/recorder.hpp"

namespace assay::record {

namespace {

using database::Failure;
using database::Store;
using database::StoreError;

// The drift that a check allows where several clocks took the times.
constexpr std::uint64_t kMostSkewMilliseconds = 100;

// The clients' clock steps forward and back.
class ClockStepper final : public database::Nemesis {
 public:
  explicit ClockStepper(Recorder& recorder) : recorder_(recorder) {}
  std::string strike(system::Random& random) override {
    const std::uint64_t ms = 1 + random.below(kMostSkewMilliseconds);
    recorder_.step_clock(std::chrono::milliseconds(ms));
    return fmt::format("the clients' clock was {} ms ahead", ms);
  }
  void heal() override { recorder_.step_clock(std::chrono::nanoseconds(0)); }

 private:
  Recorder& recorder_;
};

// To the nanosecond: it tells two recordings of the same thing apart.
std::string moment(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z",
                     fmt::gmtime(static_cast<std::time_t>(since / 1'000'000'000)), since % 1'000'000'000);
}

void require_what_it_needs(const Store& store, const Workload& workload, std::string_view name) {
  if (workload.needs_lists() && !store.has_lists())
    throw StoreError(Failure::fatal,
                     fmt::format("{} has no lists, which '{}' needs", store.description(), name));
  if (workload.needs_ranges() && !store.has_ranges())
    throw StoreError(Failure::fatal,
                     fmt::format("{} has no range reads, which '{}' needs", store.description(), name));
}

// What happened becomes notes of the history.
void start_trouble(database::Target& target, Recorder* recorder, std::uint64_t seed) {
  std::vector<std::unique_ptr<database::Nemesis>> of_the_clients;
  if (target.has(database::Fault::clock) && recorder != nullptr)
    of_the_clients.push_back(std::make_unique<ClockStepper>(*recorder));
  // Trouble begins when the rows are loaded; its times are told by the clock of the recording, which began before.
  const double begun = recorder == nullptr ? 0 : recorder->clock().seconds();
  target.start_trouble(
      seed, std::move(of_the_clients), [recorder, begun](const database::Disturbance& happened) {
        if (recorder == nullptr) return;
        recorder->note(fmt::format("fault, {:.2f} s to {:.2f} s after the start: {}",
                                   begun + static_cast<double>(happened.from_ns) * 1e-9,
                                   begun + static_cast<double>(happened.to_ns) * 1e-9, happened.what));
      });
}

}  // namespace

std::string plain_spelling(std::string_view words) {
  std::string out;
  for (const char c : words) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c == ' ' || c == '_' ? '-' : c;
    }
  }
  return out;
}

std::optional<Store::Mode> find_mode(const Store& store, const std::optional<std::string>& isolation) {
  const std::vector<Store::Mode> modes = store.modes();
  if (!isolation) return modes.front();
  for (const Store::Mode& mode : modes) {
    if (plain_spelling(mode.called) == plain_spelling(*isolation)) return mode;
  }
  const std::optional<Level> level = find_level(*isolation);
  for (const Store::Mode& mode : modes) {
    if (level && level == mode.asked) return mode;
  }
  return std::nullopt;
}

std::string first_note(std::string_view recorded_by, std::string_view store, const Store::Mode& mode,
                       std::string_view workload, std::uint32_t sessions, std::uint64_t seed) {
  return fmt::format("recorded by {} on {} at {}: workload {}, {} sessions, seed {}, begun {}", recorded_by,
                     store, mode.called, workload, sessions, seed, moment(std::chrono::system_clock::now()));
}

Recording make_recording(database::Target& target, const RecordingPlan& plan, const RecordingOutput& output,
                         const RunControl& control) {
  Store& store = target.store();
  const std::unique_ptr<Workload> workload = plan.workload.make(plan.shape);
  require_what_it_needs(store, *workload, plan.workload.name);
  RunOptions run = plan.run;
  run.level = plan.mode.asked;
  store.prepare();

  Recording recording{store.description(), plan.mode, run.sessions, {}};
  std::optional<Recorder> recorder;
  if (output.file || output.also) {
    Recorder::Output to;
    if (output.file) to.file = *output.file;
    to.also = output.also;
    recorder.emplace(to, run.sessions,
                     first_note(output.recorded_by, recording.store, plan.mode, plan.workload.name,
                                run.sessions, run.seed));
  }
  Recorder* const writer = recorder ? &*recorder : nullptr;
  const RunControl with_trouble{control.stop, control.tick,
                                [&] {
                                  if (control.started) control.started();
                                  start_trouble(target, writer, run.seed);
                                },
                                [&] {
                                  target.stop_trouble();
                                  if (control.ended) control.ended();
                                }};
  recording.result = record::run(store, *workload, run, writer, with_trouble);
  if (recorder) recorder->finish();
  return recording;
}

}  // namespace assay::record
