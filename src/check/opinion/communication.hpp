// Which sessions have to be looked at together (Biswas and Enea 2019, section 5). Two sessions communicate if
// they use a common key. A history satisfies a level iff its parts on the biconnected components of this
// graph do: a cycle that leaves a component comes back through the same session, where session order
// shortens it.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::check {

// Sessions that have to be looked at together, and the keys whose operations count there; every key that
// somebody uses belongs to exactly one component.
struct Component {
  std::vector<std::uint32_t> sessions;
  std::vector<std::uint32_t> keys;
};

// `users[k]`: the sessions that use key k, each once. Quadratic in the sessions.
std::vector<Component> communicating_components(std::uint32_t sessions,
                                                const std::vector<std::vector<std::uint32_t>>& users);

}  // namespace assay::check
