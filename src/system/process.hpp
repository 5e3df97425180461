// A child process that does not outlive this one: a server, or the program that creates its files. Its output
// goes to a file, whose end stands in error messages.
#pragma once

#include <sys/types.h>

#include <cassert>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::system {

struct Account {
  uid_t user;
  gid_t group;
};
// Servers refuse to run as root: then they get the account that their package made, if there is one. Nothing
// if this process is not root.
std::optional<Account> account_for(const char* name);

struct Launch {
  std::vector<std::string> command;  // the first is a path
  std::filesystem::path log;         // is appended to; its folder is the one to work in
  std::optional<Account> account;
  int signal_at_our_death = 9;
};

class Process {
 public:
  // Throws std::runtime_error.
  explicit Process(Launch launch);
  // SIGKILL, unless it has ended.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool running();
  // SIGKILL also ends what it has started in its process group.
  void signal(int signal);
  // To its children whose command line contains the text, also those that left its process group.
  void signal_children(int signal, std::string_view called = "");
  // True if it ended in time.
  bool wait(std::chrono::milliseconds limit);
  // The same of what it has started in its process group and left behind. REQUIRES: it has ended.
  bool wait_for_group(std::chrono::milliseconds limit);
  // REQUIRES: it has ended. 0 if it ended well.
  int status() const {
    assert(id_ < 0);
    return status_;
  }

 private:
  void signal_group(int signal) const;

  pid_t id_ = -1;  // -1: has ended
  pid_t group_ = -1;
  int status_ = -1;
};

// Runs to the end. Throws std::runtime_error, with the end of the log, if it fails or takes too long.
void run_to_end(Launch launch, std::chrono::milliseconds limit);

// The first of these programs that exists: paths as they are, in which * matches any one folder (the highest
// version wins), and names in PATH. Empty if none does.
std::string find_program(const std::vector<std::string>& candidates);

std::string end_of_file(const std::filesystem::path& path);

}  // namespace assay::system
