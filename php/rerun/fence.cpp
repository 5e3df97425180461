#include "rerun/fence.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace assay::php {

namespace {

std::string trouble(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

// All that a file can have done to it (the first version of Landlock; later ones add to it, and their kernels
// know these).
constexpr std::uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kEverything = (std::uint64_t{1} << 13) - 1;

std::string shut_files(const std::vector<std::string>& readable) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kEverything;
  const auto ruleset =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  if (ruleset < 0) return trouble("Landlock is not available");
  for (const std::string& folder : readable) {
    const int place = ::open(folder.c_str(), O_PATH | O_CLOEXEC);
    if (place < 0) return trouble(folder.c_str());
    landlock_path_beneath_attr rule{};
    rule.allowed_access = kReading;
    rule.parent_fd = place;
    const long added = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    ::close(place);
    if (added != 0) return trouble("Landlock refuses a rule");
  }
  const long restricted = syscall(SYS_landlock_restrict_self, ruleset, 0);
  ::close(ruleset);
  return restricted == 0 ? "" : trouble("Landlock cannot be applied");
}

// What PHP needs to compute and to read files. Everything else fails with EPERM.
constexpr std::array kAllowed = {
    SYS_read,         SYS_write,          SYS_readv,           SYS_writev,       SYS_pread64,
    SYS_open,         SYS_openat,         SYS_close,           SYS_lseek,        SYS_stat,
    SYS_lstat,        SYS_fstat,          SYS_newfstatat,      SYS_statx,        SYS_access,
    SYS_faccessat,    SYS_faccessat2,     SYS_readlink,        SYS_readlinkat,   SYS_getdents64,
    SYS_getcwd,       SYS_chdir,          SYS_fchdir,          SYS_fcntl,        SYS_flock,
    SYS_dup,          SYS_poll,           SYS_ppoll,           SYS_mmap,         SYS_munmap,
    SYS_mremap,       SYS_mprotect,       SYS_madvise,         SYS_brk,          SYS_futex,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,    SYS_sigaltstack,  SYS_setitimer,
    SYS_alarm,        SYS_timer_create,   SYS_timer_settime,   SYS_timer_delete, SYS_clock_gettime,
    SYS_gettimeofday, SYS_time,           SYS_times,           SYS_getrusage,    SYS_getpid,
    SYS_gettid,       SYS_getuid,         SYS_geteuid,         SYS_getgid,       SYS_getegid,
    SYS_uname,        SYS_sysinfo,        SYS_getrandom,       SYS_sched_yield,  SYS_sched_getaffinity,
    SYS_tgkill,       SYS_umask,          SYS_restart_syscall, SYS_exit,         SYS_exit_group,
};

std::string shut_system_calls() {
  std::array<sock_filter, kAllowed.size() + 6> filter{};
  std::size_t n = 0;
  const auto add = [&](sock_filter instruction) { filter[n++] = instruction; };
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (std::size_t i = 0; i < kAllowed.size(); ++i) {
    // Jumps over the rest of the list and the refusal behind it.
    const auto over = static_cast<std::uint8_t>(kAllowed.size() - i);
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(kAllowed[i]), over, 0));
  }
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog program{static_cast<unsigned short>(n), filter.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? "" : trouble("seccomp is not available");
}

}  // namespace

std::string raise_fence(const std::vector<std::string>& readable, const FenceLimits& limits) {
  const rlimit memory{limits.memory, limits.memory};
  const rlimit nothing{0, 0};
  if (setrlimit(RLIMIT_AS, &memory) != 0 || setrlimit(RLIMIT_CORE, &nothing) != 0)
    return trouble("a limit cannot be set");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return trouble("new privileges cannot be ruled out");
  const std::string files = shut_files(readable);
  return files.empty() ? shut_system_calls() : files;
}

}  // namespace assay::php
