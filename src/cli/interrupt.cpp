#include "cli/interrupt.hpp"

#include <unistd.h>

#include "cli/progress.hpp"

namespace assay::cli {

namespace {

std::atomic<bool> was_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

void ask(int signal) {
  if (was_asked.exchange(true)) {
    wipe_progress();
    _exit(128 + signal);
  }
}

}  // namespace

Interrupt::Interrupt() {
  was_asked = false;
  struct sigaction action {};
  action.sa_handler = ask;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, nullptr, &interrupt_before_);
  // Who started us in the background wants no Ctrl-C to reach us.
  if (interrupt_before_.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, &terminate_before_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

std::atomic<bool>& Interrupt::asked() const {
  return was_asked;
}

}  // namespace assay::cli
