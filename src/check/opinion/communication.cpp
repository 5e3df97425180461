#include "check/opinion/communication.hpp"

#include <algorithm>

namespace assay::check {

namespace {

// Hopcroft and Tarjan's biconnected components, without recursion: sessions can be thousands.
class Biconnected {
 public:
  explicit Biconnected(std::uint32_t sessions) : matrix_(sessions, std::vector<bool>(sessions, false)) {}

  void connect(std::uint32_t a, std::uint32_t b) { matrix_[a][b] = matrix_[b][a] = true; }

  std::vector<Component> components() {
    depth_.assign(matrix_.size(), 0);
    low_ = depth_;
    for (std::uint32_t s = 0; s < matrix_.size(); ++s) {
      if (depth_[s] != 0) continue;
      const std::size_t before = found_.size();
      explore(s);
      if (found_.size() == before) found_.push_back({{s}, {}});
    }
    return std::move(found_);
  }

 private:
  struct Visit {
    std::uint32_t session, parent, next;
  };

  void explore(std::uint32_t root) {
    std::vector<Visit> path;
    const auto enter = [&](std::uint32_t session, std::uint32_t parent) {
      depth_[session] = low_[session] = static_cast<std::uint32_t>(path.size()) + 1;
      path.push_back({session, parent, 0});
      waiting_.push_back(session);
    };
    enter(root, root);
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next < matrix_.size()) {
        const std::uint32_t other = visit.next++;
        if (!matrix_[visit.session][other] || other == visit.parent) continue;
        if (depth_[other] == 0) {
          enter(other, visit.session);
        } else {
          low_[visit.session] = std::min(low_[visit.session], depth_[other]);
        }
        continue;
      }
      const Visit done = visit;
      path.pop_back();
      if (path.empty()) break;
      low_[done.parent] = std::min(low_[done.parent], low_[done.session]);
      // Nothing below `done` reaches above its parent: with the parent they are one component.
      if (low_[done.session] >= depth_[done.parent]) close(done.session, done.parent);
    }
    waiting_.clear();
  }

  void close(std::uint32_t down_to, std::uint32_t parent) {
    Component component;
    for (std::uint32_t session = parent; session != down_to;) {
      session = waiting_.back();
      waiting_.pop_back();
      component.sessions.push_back(session);
    }
    component.sessions.push_back(parent);
    std::sort(component.sessions.begin(), component.sessions.end());
    found_.push_back(std::move(component));
  }

  std::vector<std::vector<bool>> matrix_;
  std::vector<std::uint32_t> depth_, low_;  // depth 0: not seen yet
  std::vector<std::uint32_t> waiting_;
  std::vector<Component> found_;
};

}  // namespace

std::vector<Component> communicating_components(std::uint32_t sessions,
                                                const std::vector<std::vector<std::uint32_t>>& users) {
  Biconnected graph(sessions);
  for (const auto& together : users) {
    for (const std::uint32_t a : together) {
      for (const std::uint32_t b : together) {
        if (a < b) graph.connect(a, b);
      }
    }
  }
  std::vector<Component> components = graph.components();

  std::vector<std::vector<std::uint32_t>> components_of(sessions);
  for (std::uint32_t c = 0; c < components.size(); ++c) {
    for (const std::uint32_t s : components[c].sessions) components_of[s].push_back(c);
  }
  // All users of a key are in one component, and two components share at most one session.
  for (std::uint32_t k = 0; k < users.size(); ++k) {
    if (users[k].empty()) continue;
    const auto& one = components_of[users[k].front()];
    const auto& other = components_of[users[k].back()];
    const auto home = std::find_first_of(one.begin(), one.end(), other.begin(), other.end());
    components[*home].keys.push_back(k);
  }
  return components;
}

}  // namespace assay::check
