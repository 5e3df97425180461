// What has arrived and is safe, for the one that decides. Behind it is a thread that takes fragments in
// (feed.hpp), or a test.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collect/fragment.hpp"
#include "collect/source.hpp"

namespace assay::watch {

class Inflow {
 public:
  using Clock = std::chrono::steady_clock;

  Inflow() = default;
  virtual ~Inflow() = default;
  Inflow(const Inflow&) = delete;
  Inflow& operator=(const Inflow&) = delete;

  struct Arrived {
    std::uint64_t index;
    Clock::time_point at;
    collect::Fragment fragment;  // without its block
  };
  // All that has arrived; waits for the first until `deadline`.
  virtual std::vector<Arrived> take(Clock::time_point deadline) = 0;
  // Nothing more comes, and all was taken. With an error: a source failed.
  virtual bool ended() const = 0;
  virtual std::optional<std::string> error() const = 0;
  // When the oldest of what was not taken yet arrived.
  virtual std::optional<Clock::time_point> oldest() const = 0;
  // What the sources have against saying that all is well, as of their last look.
  virtual std::vector<collect::Doubt> doubts() const = 0;
  // The log cannot be written at the moment.
  virtual bool stuck() const = 0;
  // So much waits to be taken that it should be decided soon.
  virtual bool crowded() const = 0;
};

}  // namespace assay::watch
