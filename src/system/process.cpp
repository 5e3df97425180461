#include "system/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <thread>

#include "system/thread_safety.hpp"

namespace assay::system {

namespace {

constexpr std::chrono::milliseconds kPause{5};

// Linux sends the signal "your parent died" when the thread that forked ends, not when its process does. So
// that servers may be started by threads that end, one thread forks for all and lives as long as the program.
class Forker {
 public:
  static Forker& instance() {
    static Forker forker;
    return forker;
  }

  pid_t run(const std::function<pid_t()>& fork_and_exec) {
    const MutexLock one_at_a_time(callers_);
    MutexLock lock(mutex_);
    work_ = &fork_and_exec;
    changed_.notify_all();
    while (work_ != nullptr) changed_.wait(lock);
    return result_;
  }

 private:
  Forker() : thread_([this] { serve(); }) {}
  ~Forker() {
    {
      const MutexLock lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void serve() {
    MutexLock lock(mutex_);
    while (true) {
      while (!stop_ && work_ == nullptr) changed_.wait(lock);
      if (stop_) return;
      result_ = (*work_)();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  Mutex callers_;  // one of them at a time
  Mutex mutex_;
  Condition changed_;
  const std::function<pid_t()>* work_ GUARDED_BY(mutex_) = nullptr;
  pid_t result_ GUARDED_BY(mutex_) = -1;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// Between fork and exec only what is safe in a signal handler: another thread may have held any lock.
[[noreturn]] void become(const Launch& launch, char* const* arguments, const char* log, const char* folder,
                         pid_t parent) {
  setpgid(0, 0);  // an interrupt from the terminal is for Assay, which then ends its servers in order
  if (chdir(folder) != 0) _exit(127);
  const int output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int input = open("/dev/null", O_RDONLY);
  if (output < 0 || input < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (launch.account && (setgroups(0, nullptr) != 0 || setgid(launch.account->group) != 0 ||
                         setuid(launch.account->user) != 0)) {
    _exit(127);
  }
  // After setuid, which clears it.
  prctl(PR_SET_PDEATHSIG, launch.signal_at_our_death);
  if (getppid() != parent) _exit(127);
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

std::optional<Account> account_for(const char* name) {
  if (geteuid() != 0) return std::nullopt;
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16384);
  if (getpwnam_r(name, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    throw std::runtime_error(fmt::format("there is no account '{}' to run the server as", name));
  }
  return Account{entry.pw_uid, entry.pw_gid};
}

Process::Process(Launch launch) {
  std::vector<char*> arguments;
  for (std::string& part : launch.command) arguments.push_back(part.data());
  arguments.push_back(nullptr);
  const std::string log = launch.log.string();
  const std::string folder = launch.log.parent_path().string();
  // Made here, so that it is ours also if the server runs as somebody else.
  const int made = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (made >= 0) {
    if (launch.account && fchown(made, launch.account->user, launch.account->group) != 0) errno = 0;
    close(made);
  }
  const pid_t parent = getpid();
  id_ = Forker::instance().run([&] {
    const pid_t child = fork();
    if (child == 0) become(launch, arguments.data(), log.c_str(), folder.c_str(), parent);
    return child;
  });
  if (id_ < 0) throw std::runtime_error(fmt::format("cannot start {}", launch.command.front()));
  group_ = id_;
}

Process::~Process() {
  if (id_ < 0) return;
  signal_group(SIGKILL);
  while (waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
}

bool Process::running() {
  if (id_ < 0) return false;
  const pid_t ended = waitpid(id_, &status_, WNOHANG);
  if (ended == id_) id_ = -1;
  return id_ >= 0;
}

// Its group is what it started itself and left in its group, for example to copy data from another node.
void Process::signal_group(int signal) const {
  ::kill(id_, signal);
  ::kill(-id_, signal);
}

void Process::signal(int signal) {
  if (!running()) return;
  if (signal == SIGKILL) {
    signal_group(signal);
  } else {
    ::kill(id_, signal);
  }
}

void Process::signal_children(int signal, std::string_view called) {
  if (!running()) return;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // "PID (NAME) STATE PARENT …", where the name may contain anything.
    std::string status;
    std::getline(std::ifstream(entry.path() / "stat"), status);
    const std::size_t behind = status.rfind(") ");
    if (behind == std::string::npos || behind + 4 > status.size()) continue;
    if (std::strtol(status.c_str() + behind + 4, nullptr, 10) != id_) continue;
    std::string command;
    std::getline(std::ifstream(entry.path() / "cmdline"), command);
    if (command.find(called) == std::string::npos) continue;
    ::kill(static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10)), signal);
  }
}

bool Process::wait(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (running()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

bool Process::wait_for_group(std::chrono::milliseconds limit) {
  assert(id_ < 0);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (::kill(-group_, 0) == 0) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

void run_to_end(Launch launch, std::chrono::milliseconds limit) {
  const std::string program = launch.command.front();
  const std::filesystem::path log = launch.log;
  Process process(std::move(launch));
  if (!process.wait(limit)) {
    throw std::runtime_error(
        fmt::format("{} did not end within {} s\n{}", program, limit.count() / 1000, end_of_file(log)));
  }
  if (process.status() != 0)
    throw std::runtime_error(fmt::format("{} failed\n{}", program, end_of_file(log)));
}

std::string find_program(const std::vector<std::string>& candidates) {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody writes it
  for (const std::string& candidate : candidates) {
    if (candidate.find('/') == std::string::npos) {
      std::string_view folders = path != nullptr ? path : "";
      while (!folders.empty()) {
        const std::size_t colon = std::min(folders.find(':'), folders.size());
        std::string file = fmt::format("{}/{}", folders.substr(0, colon), candidate);
        if (colon > 0 && access(file.c_str(), X_OK) == 0) return file;
        folders.remove_prefix(std::min(colon + 1, folders.size()));
      }
      continue;
    }
    glob_t found{};
    std::string best;
    if (glob(candidate.c_str(), 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) {
        const std::string file = found.gl_pathv[i];
        if (access(file.c_str(), X_OK) == 0 && (best.empty() || strverscmp(file.c_str(), best.c_str()) > 0)) {
          best = file;
        }
      }
    }
    globfree(&found);
    if (!best.empty()) return best;
  }
  return {};
}

std::string end_of_file(const std::filesystem::path& path) {
  constexpr std::streamoff kMost = 4000;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return "(it left no log)";
  const std::streamoff size = in.tellg();
  in.seekg(std::max<std::streamoff>(0, size - kMost));
  std::string text(static_cast<std::size_t>(std::min(size, kMost)), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

}  // namespace assay::system
