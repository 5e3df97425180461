#include "memory/keyed_hash.hpp"

#include <unistd.h>

#include <array>
#include <chrono>

namespace assay {

const KeyedHash& KeyedHash::of_this_process() {
  static const KeyedHash hash = [] {
    std::array<std::uint64_t, 3> keys{};
    if (getentropy(keys.data(), sizeof keys) != 0) {
      // No source of randomness at all: the time and where the system has put us are better than nothing.
      const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
      keys = {static_cast<std::uint64_t>(now) * 0x9E3779B97F4A7C15ULL,
              reinterpret_cast<std::uintptr_t>(&keys) * 0xD6E8FEB86659FD93ULL,
              reinterpret_cast<std::uintptr_t>(&getentropy)};
    }
    return KeyedHash(keys[0], keys[1], keys[2]);
  }();
  return hash;
}

}  // namespace assay
