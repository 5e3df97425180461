// The real program while it runs: to talk to it, to look at what it has said so far, and to end it at any
// moment.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/eventually.hpp"
#include "support/program.hpp"

namespace assay::testing {

class RunningAssay {
 public:
  // `environment` has settings NAME=VALUE, besides those that this process has.
  explicit RunningAssay(const std::vector<std::string>& arguments, std::vector<std::string> environment = {});
  // Kills it if it still runs.
  ~RunningAssay();
  RunningAssay(const RunningAssay&) = delete;
  RunningAssay& operator=(const RunningAssay&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // The exit code; -1: ended by a signal, -2: it did not end in a long time.
  int wait();
  bool ended();
  std::string out() const;
  std::string err() const;
  // Waits until the text appears in what it said; false if it ended without, or after a long time.
  bool says(const std::string& text);
  // The address after "WHAT at ", once it is said.
  std::string address(const std::string& what);

 private:
  TemporaryFolder folder_;
  pid_t pid_ = 0;
  int status_ = 0;
  bool reaped_ = false;
};

}  // namespace assay::testing
