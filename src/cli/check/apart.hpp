// A part of this program's work that is done in a process of its own, so that whatever becomes of it (a limit that
// ends the process, a crash, the end of memory) becomes of nobody else.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <span>
#include <string>

#include "system/descriptor.hpp"

namespace assay::cli {

class Apart {
 public:
  // `work` runs in a copy of this process, whose standard output and standard error come here, and which ends with
  // what it returns. It may not throw. REQUIRES: this process has no other threads, of which the copy would have
  // only the locks. Throws std::system_error.
  explicit Apart(const std::function<int()>& work);
  // SIGKILL, unless it has ended.
  ~Apart();
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

  bool ended() const { return id_ < 0; }
  // What it has written so far.
  const std::string& output() const { return output_.text; }
  const std::string& errors() const { return errors_.text; }
  // REQUIRES: it has ended. One of them is 0: with what it ended, or which signal ended it.
  int exit_code() const;
  int signal() const;

  // Takes in what each of them writes until one has ended, or the time is over.
  static void wait_for_one(std::span<Apart* const> all, std::chrono::milliseconds limit);

 private:
  struct Stream {
    system::Descriptor from;
    std::string text;
    void take_in();
  };
  void end_if_both_are_closed();

  pid_t id_ = -1;  // -1: has ended
  int status_ = 0;
  Stream output_, errors_;
};

}  // namespace assay::cli
