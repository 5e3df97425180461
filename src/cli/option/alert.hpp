// The command that is run when something was found, beside the watch that goes on.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace assay::cli {

class Alert {
 public:
  explicit Alert(std::string command) : command_(std::move(command)) {}
  // Waits for commands that still run, but not for long: then they are left alone.
  ~Alert();
  Alert(const Alert&) = delete;
  Alert& operator=(const Alert&) = delete;

  // Starts the command by the shell, with `argument` behind it; its output goes to standard error. Says on
  // standard error if it cannot be started, and later if it failed.
  void raise(const std::string& argument);
  // Forgets commands that have ended.
  void reap();

 private:
  std::string command_;
  std::vector<pid_t> running_;
};

}  // namespace assay::cli
