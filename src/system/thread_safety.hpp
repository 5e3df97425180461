// Locks whose rules the compiler checks. A member that is GUARDED_BY a mutex can only be touched where that
// mutex is held, and a function that is marked REQUIRES_LOCK only be called there: clang refuses anything else
// (-Wthread-safety). Other compilers see ordinary mutexes.
//
// The analysis does not look into lambdas with what is held around them. So a condition is waited for in a
// loop, not with a predicate:
//
//   system::MutexLock lock(mutex_);
//   while (queue_.empty()) changed_.wait(lock);
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#ifdef __clang__
#define ASSAY_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define ASSAY_THREAD_ATTRIBUTE(attribute)
#endif

#define GUARDED_BY(mutex) ASSAY_THREAD_ATTRIBUTE(guarded_by(mutex))
#define REQUIRES_LOCK(...) ASSAY_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
// For what runs while no other thread knows the object: it need not lock, and is not checked.
#define BEFORE_OTHER_THREADS ASSAY_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace assay::system {

class ASSAY_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a mutex from here to the end of the block, but for what stands between unlock() and lock().
class ASSAY_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ASSAY_THREAD_ATTRIBUTE(acquire_capability(mutex)) : lock_(mutex.mutex_) {}
  ~MutexLock() ASSAY_THREAD_ATTRIBUTE(release_capability()) = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() ASSAY_THREAD_ATTRIBUTE(acquire_capability()) { lock_.lock(); }
  void unlock() ASSAY_THREAD_ATTRIBUTE(release_capability()) { lock_.unlock(); }

 private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

// Something that other threads change under a mutex. Waiting lets go of the mutex and takes it again; it may
// also end for no reason, so whoever waits looks again.
class Condition {
 public:
  using Clock = std::chrono::steady_clock;

  void wait(MutexLock& lock) { condition_.wait(lock.lock_); }
  // False once the time has come.
  bool wait_until(MutexLock& lock, Clock::time_point time) {
    return condition_.wait_until(lock.lock_, time) == std::cv_status::no_timeout;
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace assay::system
