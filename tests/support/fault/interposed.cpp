// The functions of the C library that fail by plan. It is linked into the test program, and built as a module that the
// dynamic loader puts before the C library of the real program.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "support/fault/plan.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define ASSAY_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ASSAY_SANITIZED
#endif

namespace assay::testing {

namespace {

std::atomic<FaultPlan*> in_force = nullptr;

}  // namespace

InjectedFaults::InjectedFaults(FaultPlan& plan) {
  in_force = &plan;
}
InjectedFaults::~InjectedFaults() {
  in_force = nullptr;
}

bool faults_can_be_injected() {
#ifdef ASSAY_SANITIZED
  return false;
#else
  return true;
#endif
}

}  // namespace assay::testing

#ifndef ASSAY_SANITIZED

namespace assay::testing {

namespace {

enum class Call { receives, sends, waits, makes, looks };

// What a call of this kind can meet.
bool can_meet(int error, Call call) {
  switch (error) {
    case kPart:
      return call == Call::receives || call == Call::sends;
    case EINTR:
      return call == Call::receives || call == Call::sends || call == Call::waits;
    case ENOSPC:
      return call == Call::sends || call == Call::makes;
    default:
      return true;
  }
}

bool is_next(FaultPlan& plan) {
  const std::uint64_t number = ++plan.made;
  if (number < plan.first || number > plan.last) return false;
  ++plan.failed;
  return true;
}

bool allocation_fails() {
  FaultPlan* const plan = in_force;
  if (plan == nullptr || plan->calls != Faulty::allocations || !is_next(*plan)) return false;
  errno = ENOMEM;
  return true;
}

void* allocated(void* block) {
  FaultPlan* const plan = in_force;
  if (plan != nullptr && block != nullptr) ++plan->unreleased;
  return block;
}

bool meets(Call call) {
  FaultPlan* const plan = in_force;
  return plan != nullptr && plan->calls == Faulty::io && can_meet(plan->error, call) && is_next(*plan);
}

// REQUIRES: meets().
int error() {
  return in_force.load()->error;
}

template <class Result>
Result failed(Result result) {
  errno = error();
  return result;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// `call` with all of `size`, with a part of it, or not at all.
template <class Transfer>
ssize_t transferred(Call kind, std::size_t size, Transfer transfer) {
  if (!meets(kind)) return transfer(size);
  if (error() != kPart) return failed(ssize_t{-1});
  return transfer(std::min(size, std::max<std::size_t>(size / 2, 1)));
}

// A call that either happens or has an error.
template <class Result, class Happen>
Result unless_met(Call kind, Result result, Happen happen) {
  return meets(kind) ? failed(result) : happen();
}

mode_t mode_behind(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

Call kind_of(int flags) {
  return (flags & O_CREAT) != 0 ? Call::makes : Call::looks;
}

void take_plan_from_environment() {
  const char* const path = std::getenv(kFaultPlan);
  if (path == nullptr) return;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  void* const plan = ::mmap(nullptr, sizeof(FaultPlan), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (plan == MAP_FAILED) std::abort();
  in_force = static_cast<FaultPlan*>(plan);
}

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int main_with_plan(int argc, char** argv, char** environment) {
  take_plan_from_environment();
  return real_main(argc, argv, environment);
}

}  // namespace

}  // namespace assay::testing

using namespace assay::testing;

// NOLINTBEGIN: the names and parameters are the C library's
extern "C" {

// What is made before main() cannot be caught by anybody; the plan begins with main().
int __libc_start_main(Main* main, int argc, char** argv, void (*begin)(), void (*end)(), void (*unload)(),
                      void* stack) {
  real_main = main;
  return next<decltype(__libc_start_main)>("__libc_start_main")(main_with_plan, argc, argv, begin, end,
                                                                unload, stack);
}

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) noexcept {
  return allocation_fails() ? nullptr : allocated(__libc_malloc(size));
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  return allocation_fails() ? nullptr : allocated(__libc_calloc(count, size));
}

void* realloc(void* block, std::size_t size) noexcept {
  if (allocation_fails()) return nullptr;
  void* const moved = __libc_realloc(block, size);
  return block == nullptr ? allocated(moved) : moved;
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return allocation_fails() ? nullptr : allocated(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return memalign(alignment, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  *block = memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

void free(void* block) noexcept {
  FaultPlan* const plan = in_force;
  if (plan != nullptr && block != nullptr) --plan->unreleased;
  __libc_free(block);
}

void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  static const auto real = next<decltype(mmap)>("mmap");
  if ((flags & MAP_ANONYMOUS) != 0 && allocation_fails()) return MAP_FAILED;
  return real(at, size, protection, flags, file, offset);
}

ssize_t read(int file, void* into, std::size_t size) {
  static const auto real = next<decltype(read)>("read");
  return transferred(Call::receives, size, [&](std::size_t part) { return real(file, into, part); });
}

ssize_t pread(int file, void* into, std::size_t size, off_t offset) {
  static const auto real = next<decltype(pread)>("pread");
  return transferred(Call::receives, size, [&](std::size_t part) { return real(file, into, part, offset); });
}

ssize_t recv(int socket, void* into, std::size_t size, int flags) {
  static const auto real = next<decltype(recv)>("recv");
  return transferred(Call::receives, size, [&](std::size_t part) { return real(socket, into, part, flags); });
}

ssize_t write(int file, const void* from, std::size_t size) {
  static const auto real = next<decltype(write)>("write");
  return transferred(Call::sends, size, [&](std::size_t part) { return real(file, from, part); });
}

ssize_t pwrite(int file, const void* from, std::size_t size, off_t offset) {
  static const auto real = next<decltype(pwrite)>("pwrite");
  return transferred(Call::sends, size, [&](std::size_t part) { return real(file, from, part, offset); });
}

ssize_t send(int socket, const void* from, std::size_t size, int flags) {
  static const auto real = next<decltype(send)>("send");
  return transferred(Call::sends, size, [&](std::size_t part) { return real(socket, from, part, flags); });
}

ssize_t writev(int file, const iovec* from, int count) {
  static const auto real = next<decltype(writev)>("writev");
  return transferred(Call::sends, static_cast<std::size_t>(count),
                     [&](std::size_t part) { return real(file, from, static_cast<int>(part)); });
}

int open(const char* path, int flags, ...) {
  static const auto real = next<int(const char*, int, mode_t)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_behind(flags, arguments);
  va_end(arguments);
  return unless_met(kind_of(flags), -1, [&] { return real(path, flags, mode); });
}

int openat(int folder, const char* path, int flags, ...) {
  static const auto real = next<int(int, const char*, int, mode_t)>("openat");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_behind(flags, arguments);
  va_end(arguments);
  return unless_met(kind_of(flags), -1, [&] { return real(folder, path, flags, mode); });
}

FILE* fopen(const char* path, const char* mode) {
  static const auto real = next<decltype(fopen)>("fopen");
  return unless_met(*mode == 'r' ? Call::looks : Call::makes, static_cast<FILE*>(nullptr),
                    [&] { return real(path, mode); });
}

FILE* fopen64(const char* path, const char* mode) {
  return fopen(path, mode);
}

// Of what the program says: the verdict must arrive, the complaints have nobody left to be told to.
std::size_t fwrite(const void* from, std::size_t size, std::size_t count, FILE* into) {
  static const auto real = next<decltype(fwrite)>("fwrite");
  if (into != stdout) return real(from, size, count, into);
  return unless_met(Call::makes, std::size_t{0}, [&] { return real(from, size, count, into); });
}

int fflush(FILE* file) {
  static const auto real = next<decltype(fflush)>("fflush");
  if (file != stdout) return real(file);
  return unless_met(Call::makes, EOF, [&] { return real(file); });
}

int close(int file) {
  static const auto real = next<decltype(close)>("close");
  const int closed = real(file);  // whatever it says
  return unless_met(Call::makes, -1, [&] { return closed; });
}

int stat(const char* path, struct stat* into) noexcept {
  static const auto real = next<int(const char*, struct stat*)>("stat");
  return unless_met(Call::looks, -1, [&] { return real(path, into); });
}

int lstat(const char* path, struct stat* into) noexcept {
  static const auto real = next<int(const char*, struct stat*)>("lstat");
  return unless_met(Call::looks, -1, [&] { return real(path, into); });
}

int fstat(int file, struct stat* into) noexcept {
  static const auto real = next<int(int, struct stat*)>("fstat");
  return unless_met(Call::looks, -1, [&] { return real(file, into); });
}

DIR* opendir(const char* path) {
  static const auto real = next<decltype(opendir)>("opendir");
  return unless_met(Call::looks, static_cast<DIR*>(nullptr), [&] { return real(path); });
}

dirent* readdir(DIR* folder) {
  static const auto real = next<decltype(readdir)>("readdir");
  return unless_met(Call::looks, static_cast<dirent*>(nullptr), [&] { return real(folder); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<decltype(mkdir)>("mkdir");
  return unless_met(Call::makes, -1, [&] { return real(path, mode); });
}

char* mkdtemp(char* path) noexcept {
  static const auto real = next<decltype(mkdtemp)>("mkdtemp");
  return unless_met(Call::makes, static_cast<char*>(nullptr), [&] { return real(path); });
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<decltype(rename)>("rename");
  return unless_met(Call::makes, -1, [&] { return real(from, to); });
}

int unlink(const char* path) noexcept {
  static const auto real = next<decltype(unlink)>("unlink");
  return unless_met(Call::looks, -1, [&] { return real(path); });
}

int truncate(const char* path, off_t size) noexcept {
  static const auto real = next<decltype(truncate)>("truncate");
  return unless_met(Call::makes, -1, [&] { return real(path, size); });
}

int ftruncate(int file, off_t size) noexcept {
  static const auto real = next<decltype(ftruncate)>("ftruncate");
  return unless_met(Call::makes, -1, [&] { return real(file, size); });
}

int fsync(int file) {
  static const auto real = next<decltype(fsync)>("fsync");
  return unless_met(Call::makes, -1, [&] { return real(file); });
}

int fdatasync(int file) {
  static const auto real = next<decltype(fdatasync)>("fdatasync");
  return unless_met(Call::makes, -1, [&] { return real(file); });
}

int flock(int file, int operation) noexcept {
  static const auto real = next<decltype(flock)>("flock");
  return unless_met(Call::waits, -1, [&] { return real(file, operation); });
}

int accept4(int socket, sockaddr* from, socklen_t* size, int flags) {
  static const auto real = next<decltype(accept4)>("accept4");
  return unless_met(Call::waits, -1, [&] { return real(socket, from, size, flags); });
}

int poll(pollfd* files, nfds_t count, int milliseconds) {
  static const auto real = next<decltype(poll)>("poll");
  return unless_met(Call::waits, -1, [&] { return real(files, count, milliseconds); });
}

}  // extern "C"
   // NOLINTEND

#endif
