// What 'assay record' and 'assay run' share: the options of a recording, and making it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collect/delivery.hpp"
#include "record/run.hpp"
#include "record/store/store.hpp"

namespace CLI {
class App;
}

namespace assay::cli {

struct RecordingOptions {
  std::optional<std::string> url;
  std::optional<std::string> server;  // instead of the URL
  std::vector<std::string> faults;
  std::string workload = "twitter";
  record::WorkloadOptions shape;
  record::RunOptions run;
  std::optional<std::string> isolation;
  std::optional<double> duration, warm_up;
  std::optional<std::string> think, distribution;
  record::KeyDistribution keys;
  bool quiet = false;
};

void add_recording_options(CLI::App& command, RecordingOptions& options);

struct Recording {
  std::string store;  // product and version
  record::Store::Mode mode;
  std::uint32_t sessions = 0;
  record::RunResult result;
};

// Records into the file `history` and to a watcher; with neither nothing is written down, which shows what
// recording costs. A watcher that is lost ends a recording that has no file. Throws UsageError, StoreError or
// InputError; what was recorded before stays in the file.
Recording make_recording(const RecordingOptions& options, const std::optional<std::string>& history,
                         collect::Delivery* delivery = nullptr);

// Several lines for a person: what ran, how fast, how many aborted.
std::string told(const Recording& recording, const RecordingOptions& options);

}  // namespace assay::cli
