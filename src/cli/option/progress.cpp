#include "cli/option/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

#include "cli/option/locale.hpp"
#include "cli/option/output.hpp"
#include "cli/option/show_progress.hpp"

namespace assay::cli {

namespace {

std::atomic<bool> shown = false;
static_assert(std::atomic<bool>::is_always_lock_free, "wipe_progress() runs in a signal handler");

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

Progress::Progress(bool wanted, std::string_view phase) : phase_(phase) {
  if (wanted && errors_are_on_a_terminal()) ticker_ = std::thread([this] { tick(); });
}

Progress::~Progress() {
  if (!ticker_.joinable()) return;
  {
    const system::MutexLock lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  ticker_.join();
  wipe_progress();
}

void Progress::phase(std::string_view what) {
  const system::MutexLock lock(mutex_);
  phase_ = what;
}

void Progress::tick() {
  system::MutexLock lock(mutex_);
  for (auto next = std::chrono::seconds(1);; next += std::chrono::seconds(1)) {
    while (!end_ && ended_.wait_until(lock, started_ + next)) {
    }
    if (end_) return;
    show_progress(phase_, next.count());
  }
}

void show_progress(std::string_view phase, std::int64_t seconds) {
  if (!errors_are_on_a_terminal()) return;
  shown = true;
  write_all("\r\x1b[K" + progress_line(phase, seconds, terminal_width()));
}

std::string progress_line(std::string_view phase, std::int64_t seconds, std::size_t width) {
  const std::string end = in_locale(fmt::format(" … {} s", seconds));
  const std::string begin = in_locale(fmt::format("assay: {}", phase));
  // A full last column wraps on some terminals; the time, which shows that it goes on, is never cut.
  const std::size_t taken = end.size() + 1;
  return fitted(begin, width > taken ? width - taken : 0) + end;
}

void wipe_progress() {
  if (shown.exchange(false)) write_all("\r\x1b[K");
}

}  // namespace assay::cli
