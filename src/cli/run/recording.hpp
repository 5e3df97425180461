// What 'assay record', 'assay run' and 'assay matrix' share: the options of a recording, and what is said of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collect/delivery.hpp"
#include "record/recording.hpp"

namespace CLI {
class App;
}

namespace assay::cli {

// Which database.
struct AddressOptions {
  std::optional<std::string> url;
  std::optional<std::string> server;    // instead of the URL
  std::optional<std::string> password;  // where it comes from
};

void add_address_options(CLI::App& command, AddressOptions& options);
// "postgres": the server's kind or the URL's scheme.
std::string kind_of(const AddressOptions& options);
// Throws UsageError.
database::TargetOptions target_at(const AddressOptions& options);

struct RecordingOptions : AddressOptions {
  std::vector<std::string> faults;
  std::string workload = "twitter";
  record::WorkloadOptions shape;
  record::RunOptions run;
  std::optional<std::string> isolation;
  bool needs_promise = false;  // the isolation must be one that promises a level
  std::optional<double> duration, warm_up;
  std::optional<std::string> think, distribution;
  record::KeyDistribution keys;
  bool keep = false;  // what the recording leaves in a database that was there before
  bool quiet = false;
};

void add_recording_options(CLI::App& command, RecordingOptions& options);

using record::Recording;

// Records into the file `history` and to a watcher, with progress, until it is over or somebody presses
// Ctrl-C. A watcher that is lost ends a recording that has no file. Throws UsageError, StoreError or
// InputError; what was recorded before stays in the file.
Recording record_as_asked(const RecordingOptions& options, const std::optional<std::string>& history,
                          collect::Delivery* delivery = nullptr);

// Removes what Assay made in a database that was there before; where that fails, a note says so.
void remove_made(database::Target& target, const AddressOptions& options);

// Several lines for a person: what ran, how fast, how many aborted.
std::string told(const Recording& recording, const RecordingOptions& options);

}  // namespace assay::cli
