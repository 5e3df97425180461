// One server process with its way of starting and ending: what postgres, mariadbd and redis-server have in
// common.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "system/process.hpp"

namespace assay::database {

struct NodePlan {
  system::Launch launch;
  std::string url;      // for open_store(): it takes commands when that succeeds
  int stop_signal = 9;  // ends it for good, and quickly
  std::function<void()>
      after_kill;  // removes what a killed process leaves outside of its folder; may be empty
};

class ServerNode {
 public:
  explicit ServerNode(NodePlan plan) : plan_(std::move(plan)) {}
  ~ServerNode();
  ServerNode(const ServerNode&) = delete;
  ServerNode& operator=(const ServerNode&) = delete;

  // Returns when it answers. Throws std::runtime_error with the end of its log.
  void start();
  void kill();
  // After kill(); patient with what the dead process still holds.
  void restart();
  // With all processes that it has started.
  void pause();
  void resume();
  // To those of them that are called so.
  void signal_part(int signal, std::string_view called);
  void set_command(std::vector<std::string> command) { plan_.launch.command = std::move(command); }

 private:
  NodePlan plan_;
  std::unique_ptr<system::Process> process_;
};

// Calls `start` with fresh ports until it succeeds, a few times: another program may be quicker.
void with_free_ports(std::size_t count, const std::function<void(const std::vector<std::uint16_t>&)>& start);

}  // namespace assay::database
