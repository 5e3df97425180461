#include "cli/option/alert.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "cli/option/output.hpp"

namespace assay::cli {

Alert::~Alert() {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  for (reap(); !running_.empty() && Clock::now() < deadline; reap())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void Alert::raise(const std::string& argument) {
  reap();
  std::string shell = "/bin/sh", option = "-c", script = command_ + " \"$1\"", name = "assay",
              path = argument;
  char* const arguments[] = {shell.data(), option.data(), script.data(), name.data(), path.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, shell.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    print_error(fmt::format("--on-violation: cannot start '{}': {}", command_, std::strerror(error)));
  } else {
    running_.push_back(pid);
  }
}

void Alert::reap() {
  const auto ended = [this](pid_t pid) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == 0) return false;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      print_error(fmt::format("--on-violation: '{}' failed", command_));
    return true;
  };
  running_.erase(std::remove_if(running_.begin(), running_.end(), ended), running_.end());
}

}  // namespace assay::cli
