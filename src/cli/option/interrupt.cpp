#include "cli/option/interrupt.hpp"

#include <unistd.h>

#include <cassert>

#include "cli/option/progress.hpp"
#include "system/temporary_folder.hpp"

namespace assay::cli {

namespace {

std::atomic<bool> ends_in_order = false;
std::atomic<bool> was_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

void handle(int signal) {
  if (ends_in_order && !was_asked.exchange(true)) return;
  wipe_progress();
  system::remove_temporary_folders();
  _exit(128 + signal);
}

struct sigaction handler() {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  return action;
}

bool is_ignored(const struct sigaction& action) {
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void end_on_interrupt() {
  struct sigaction before {};
  sigaction(SIGINT, nullptr, &before);
  const struct sigaction action = handler();
  if (!is_ignored(before)) sigaction(SIGINT, &action, nullptr);
}

Interrupt::Interrupt(InBackground background) {
  assert(!ends_in_order);
  was_asked = false;
  ends_in_order = true;
  const struct sigaction action = handler();
  sigaction(SIGINT, nullptr, &interrupt_before_);
  if (!is_ignored(interrupt_before_) || background == InBackground::is_heeded)
    sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, &terminate_before_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
  ends_in_order = false;
}

std::atomic<bool>& Interrupt::asked() const {
  return was_asked;
}

}  // namespace assay::cli
