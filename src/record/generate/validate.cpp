#include <fmt/format.h>

#include <string>
#include <string_view>

#include "record/generate/generate.hpp"
#include "system/input_error.hpp"

namespace assay::record {

namespace {

constexpr std::uint32_t kMostIds = 0x7FFFFFFF;  // what a History can number

[[noreturn]] void refuse(std::string_view option, const std::string& message) {
  throw InputError(std::string(option), "", message);
}

void require_share(std::string_view option, double share) {
  if (!(share >= 0 && share <= 1))
    refuse(option, fmt::format("expected a share between 0 and 1, got {}", share));
}

void require_count(std::string_view option, std::uint32_t count) {
  if (count < 1 || count > kMostIds) {
    refuse(option, fmt::format("expected a number between 1 and {}, got {}", kMostIds, count));
  }
}

}  // namespace

void validate(const GenerateOptions& options) {
  require_count("sessions", options.sessions);
  if (options.transactions > kMostIds) refuse("transactions", fmt::format("expected at most {}", kMostIds));
  require_count("operations", options.min_operations);
  require_count("operations", options.max_operations);
  if (options.min_operations > options.max_operations) {
    refuse("operations",
           fmt::format("expected the least number of operations to be at most the largest, got {} and {}",
                       options.min_operations, options.max_operations));
  }
  require_count("keys", options.keys);
  require_count("range-keys", options.range_keys);
  require_count("appends-per-key", options.appends_per_key);
  if (!(options.distribution.theta >= 0 && options.distribution.theta <= 8)) {
    refuse("zipf", fmt::format("expected a theta between 0 and 8, got {}", options.distribution.theta));
  }
  require_share("hot-keys", options.distribution.hot_keys);
  require_share("hot-access", options.distribution.hot_access);
  require_share("reads", options.reads);
  require_share("ranges", options.ranges);
  require_share("rows", options.rows);
  require_share("updates", options.updates);
  require_share("deletes", options.deletes);
  require_share("duplicates", options.duplicates);
  require_share("aborts", options.aborts);
  require_share("unknown", options.unknown);
  if (options.aborts + options.unknown > 1)
    refuse("unknown", "the shares of aborts and of unknown fates exceed 1");
  if (options.model == GenerateOptions::Model::lists) {
    if (options.ranges > 0) refuse("ranges", "lists cannot be read by range");
    if (options.rows > 0) refuse("rows", "lists have no rows");
    if (options.deletes > 0) refuse("deletes", "lists cannot be deleted");
    if (options.duplicates > 0) refuse("duplicates", "the elements of lists must be unique");
  }
  if (!database::can_keep(options.level)) {
    std::string supported;
    for (const LevelInfo& level : levels()) {
      if (database::can_keep(level.level))
        supported += fmt::format("{}{}", supported.empty() ? "" : ", ", level.name);
    }
    refuse("level", fmt::format("the store does not generate at {}; expected one of {}",
                                info(options.level).name, supported));
  }
  if (options.inject && needs_times(*options.inject) && !options.times) {
    refuse("inject",
           fmt::format("{} shows only in histories with times", info(*options.inject).textbook.name));
  }
}

}  // namespace assay::record
