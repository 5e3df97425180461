#include "cli/check/apart.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <vector>

namespace assay::cli {

namespace {

using system::Descriptor;

[[noreturn]] void fail(const char* doing) {
  throw std::system_error(errno, std::generic_category(), doing);
}

struct Pipe {
  Descriptor from, into;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("cannot make a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

Apart::Apart(const std::function<int()>& work) {
  Pipe output = make_pipe(), errors = make_pipe();
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) fail("cannot start a process");
  if (id_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127);
    if (::dup2(output.into.get(), STDOUT_FILENO) < 0 || ::dup2(errors.into.get(), STDERR_FILENO) < 0)
      ::_exit(127);
    // Only the two streams may keep the pipes open, so that their end is the end of the process.
    for (Pipe* pipe : {&output, &errors}) {
      pipe->from.reset();
      pipe->into.reset();
    }
    ::_exit(work());
  }
  output_.from = std::move(output.from);
  errors_.from = std::move(errors.from);
}

Apart::~Apart() {
  if (ended()) return;
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
}

int Apart::exit_code() const {
  assert(ended());
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 0;
}

int Apart::signal() const {
  assert(ended());
  return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
}

void Apart::Stream::take_in() {
  std::array<char, 1 << 16> part{};
  const ssize_t got = ::read(from.get(), part.data(), part.size());
  if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
  if (got < 0 && errno != EINTR) fail("cannot read what a process says");
  if (got == 0) from.reset();
}

void Apart::end_if_both_are_closed() {
  if (ended() || output_.from || errors_.from) return;
  while (::waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
}

void Apart::wait_for_one(std::span<Apart* const> all, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (bool one_ended = false; !one_ended;) {
    std::vector<pollfd> asked;
    std::vector<Stream*> streams;
    for (Apart* each : all) {
      for (Stream* stream : {&each->output_, &each->errors_}) {
        if (!stream->from) continue;
        asked.push_back({stream->from.get(), POLLIN, 0});
        streams.push_back(stream);
      }
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (asked.empty() || left.count() < 0) return;
    const int ready = ::poll(asked.data(), asked.size(), static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) fail("cannot wait for a process");
    if (ready == 0) return;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (ready > 0 && asked[i].revents != 0) streams[i]->take_in();
    }
    for (Apart* each : all) {
      const bool ran = !each->ended();
      each->end_if_both_are_closed();
      one_ended = one_ended || (ran && each->ended());
    }
  }
}

}  // namespace assay::cli
