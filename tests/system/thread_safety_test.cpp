#include "system/thread_safety.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace assay::system {
namespace {

class Counter {
 public:
  void add() {
    const MutexLock lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void wait_for(int count) {
    MutexLock lock(mutex_);
    while (count_ < count) changed_.wait(lock);
  }
  // False if it did not come to that in time.
  bool wait_for(int count, std::chrono::milliseconds time) {
    const auto until = Condition::Clock::now() + time;
    MutexLock lock(mutex_);
    while (count_ < count && changed_.wait_until(lock, until)) {
    }
    return count_ >= count;
  }
  // Whether somebody else can have it while it is let go.
  bool lets_go() {
    MutexLock lock(mutex_);
    const int before = count_;
    lock.unlock();
    std::thread([this] { add(); }).join();
    lock.lock();
    return count_ == before + 1;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  int count_ GUARDED_BY(mutex_) = 0;
};

TEST(ThreadSafety, NoIncrementIsLost) {
  Counter counter;
  std::thread other([&] {
    for (int i = 0; i < 10'000; ++i) counter.add();
  });
  for (int i = 0; i < 10'000; ++i) counter.add();
  counter.wait_for(20'000);
  other.join();
  EXPECT_FALSE(counter.wait_for(20'001, std::chrono::milliseconds(10)));
}

TEST(ThreadSafety, ALockCanBeLetGoForAWhile) {
  EXPECT_TRUE(Counter().lets_go());
}

}  // namespace
}  // namespace assay::system
