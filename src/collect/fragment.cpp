#include "collect/fragment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "history/error.hpp"

namespace assay::collect {

void Batch::add(Fragment fragment) {
  const History& history = fragment.history;
  for (std::uint32_t s = 0; s < history.sessions(); ++s) {
    const auto owner = owners_.find(to_string(history.name(Session{s})));
    if (owner != owners_.end() && owner->second != fragment.collector) {
      throw InputError(fragment.collector, fmt::format("fragment {}", fragment.sequence),
                       fmt::format("session {} comes from {} already: who sends a session is the only one",
                                   owner->first, owner->second));
    }
  }
  for (std::uint32_t s = 0; s < history.sessions(); ++s)
    owners_.try_emplace(to_string(history.name(Session{s})), fragment.collector);
  const std::size_t size = history.resident_bytes() + fragment.block.size() + 1;
  room_ -= std::min(room_, size);
  fragments_.push_back(std::move(fragment));
}

}  // namespace assay::collect
