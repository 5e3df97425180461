// Ctrl-C and a polite kill while something runs that should end in order: they set a flag. Who presses twice
// means it: the second time the process ends at once.
#pragma once

#include <atomic>
#include <csignal>

namespace assay::cli {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::atomic<bool>& asked() const;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace assay::cli
