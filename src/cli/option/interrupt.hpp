// Ctrl-C and a polite kill, in one place. Usually the first ends the program at once. While an Interrupt exists,
// something runs that should end in order: then both only set a flag, and the second time end the program.
#pragma once

#include <atomic>
#include <csignal>

namespace assay::cli {

// At the start of the program.
void end_on_interrupt();

class Interrupt {
 public:
  // A program that a shell started in the background has Ctrl-C ignored, and it stays so unless asked for.
  enum class InBackground : bool { stays_ignored, is_heeded };

  explicit Interrupt(InBackground background = InBackground::stays_ignored);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::atomic<bool>& asked() const;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace assay::cli
