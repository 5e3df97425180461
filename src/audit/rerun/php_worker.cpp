#include "audit/rerun/php_worker.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <stdexcept>
#include <vector>

namespace assay::audit {

namespace {

// In the child: the pipes are descriptors 3 and 4, everything else but the error output is closed.
[[noreturn]] void become_worker(int socket, const std::vector<std::string>& words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDWR);
  const int high =
      fcntl(socket, F_DUPFD, 10);  // the socket may be 3 or 4 itself, and would then be closed by exec
  if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(high, 3) < 0 || dup2(high, 4) < 0) _exit(127);
  close_range(5, ~0U, 0);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // No folder of further ini files: the server's own is all there is.
  std::array<char, 18> scan{"PHP_INI_SCAN_DIR="};
  std::array<char*, 2> environment = {scan.data(), nullptr};
  execve(arguments[0], arguments.data(), environment.data());
  _exit(127);
}

}  // namespace

PhpWorker::PhpWorker(const PhpWorkerOptions& options) {
  std::vector<std::string> words = {options.program.string(),
                                    "--sapi",
                                    options.sapi,
                                    "--ini",
                                    options.ini.string(),
                                    "--code",
                                    options.code.string(),
                                    "--seconds",
                                    std::to_string(options.seconds_per_request)};
  if (options.superpose) words.insert(words.end(), {"--superpose", "yes"});
  if (!options.without.empty()) words.insert(words.end(), {"--without", options.without});
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error("no socket for a worker");
  process_ = fork();
  if (process_ == 0) become_worker(ends[1], words);
  ::close(ends[1]);
  socket_ = ends[0];
  const auto first = process_ > 0 ? receive() : std::nullopt;
  if (!first || first->kind != wire::FromWorker::ready) {
    this->~PhpWorker();
    throw std::runtime_error(options.program.string() + " does not start");
  }
}

PhpWorker::~PhpWorker() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

double PhpWorker::seconds() const {
  clockid_t clock{};
  timespec used{};
  if (process_ <= 0 || clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

bool PhpWorker::send(wire::ToWorker kind, wire::Bytes body) {
  const std::string message = wire::message(static_cast<std::uint8_t>(kind), body);
  for (std::size_t done = 0; done < message.size();) {
    const ssize_t sent = ::send(socket_, message.data() + done, message.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

bool PhpWorker::receive_all(char* out, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(socket_, out, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<PhpWorker::Message> PhpWorker::receive() {
  std::array<char, wire::kMessageHead> head{};
  if (!receive_all(head.data(), head.size())) return std::nullopt;
  const std::size_t size = wire::load_u32(head.data());
  const auto kind = static_cast<std::uint8_t>(head[4]);
  if (size > 2 * wire::kLargestFrame || kind < 1 || kind > wire::kLastFromWorker) return std::nullopt;
  body_.resize(size);
  if (!receive_all(body_.data(), size)) return std::nullopt;
  return Message{static_cast<wire::FromWorker>(kind), body_};
}

}  // namespace assay::audit
