// Waiting for what another thread or process does, with a guard against waiting forever.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace assay::testing {

// Asks again and again, for a minute at most.
inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace assay::testing
