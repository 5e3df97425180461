// STAND-IN for the generator's header, replaced by the real one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "history/history.hpp"
#include "level/level.hpp"

namespace assay::record {

enum class Anomaly : std::uint8_t { lost_update, write_skew };
struct AnomalyInfo {
  Anomaly anomaly;
  std::string_view name;
  std::string_view sentence;
};
std::span<const AnomalyInfo> anomalies();
std::optional<Anomaly> find_anomaly(std::string_view name);

struct KeyDistribution {
  enum class Kind : std::uint8_t { uniform, zipf, hotspot } kind = Kind::uniform;
  double theta = 0.99;
  double hot_keys = 0.2;
  double hot_access = 0.8;
};

struct GenerateOptions {
  enum class Model : std::uint8_t { registers, lists };
  std::uint32_t sessions = 20;
  std::uint32_t transactions = 1000;
  std::uint32_t min_operations = 8;
  std::uint32_t max_operations = 8;
  std::uint32_t keys = 1000;
  KeyDistribution distribution;
  Model model = Model::registers;
  std::uint32_t appends_per_key = 32;
  double reads = 0.5;
  double ranges = 0.0;
  std::uint32_t range_keys = 10;
  double updates = 0.5;
  double deletes = 0.0;
  bool tombstones = true;
  double duplicates = 0.0;
  double aborts = 0.01;
  double unknown = 0.0;
  bool times = true;
  Level level = Level::serializable;
  std::optional<Anomaly> inject;
  std::optional<Anomaly> fault;
  std::uint64_t seed = 1;
};

struct Planted {
  Anomaly anomaly;
  std::vector<std::int64_t> transactions;
  std::vector<std::int64_t> keys;
};
struct Generated {
  History history;
  std::optional<Planted> planted;
};
Generated generate(const GenerateOptions& options);

}  // namespace assay::record
