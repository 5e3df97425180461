#include "database/fault/nemesis.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace assay::database {
namespace {

// What several nemeses did, in order.
struct Diary {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> entries;

  void note(const std::string& entry) {
    const std::lock_guard lock(mutex);
    entries.push_back(entry);
    changed.notify_all();
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return entries.size() >= count; });
  }
};

class Noting final : public Nemesis {
 public:
  Noting(Diary& diary, std::string name) : diary_(diary), name_(std::move(name)) {}
  std::string strike(system::Random&) override {
    diary_.note(name_ + " strikes");
    return name_;
  }
  void heal() override { diary_.note(name_ + " heals"); }

 private:
  Diary& diary_;
  std::string name_;
};

class Failing final : public Nemesis {
 public:
  explicit Failing(Diary& diary) : diary_(diary) {}
  std::string strike(system::Random&) override {
    diary_.note("fails");
    throw std::runtime_error("the server did not come back");
  }
  void heal() override {}

 private:
  Diary& diary_;
};

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

TroubleSchedule quick(std::uint64_t seed) {
  return {seed, std::chrono::milliseconds(2), std::chrono::milliseconds(2)};
}

std::vector<std::string> first_entries(std::uint64_t seed) {
  Diary diary;
  std::vector<std::unique_ptr<Nemesis>> nemeses;
  nemeses.push_back(std::make_unique<Noting>(diary, "one"));
  nemeses.push_back(std::make_unique<Noting>(diary, "two"));
  std::vector<Disturbance> disturbances;
  Trouble trouble(std::move(nemeses), quick(seed), now_ns,
                  [&](const Disturbance& happened) { disturbances.push_back(happened); });
  diary.wait_for(16);
  trouble.stop();
  EXPECT_EQ(diary.entries.size(), 2 * disturbances.size()) << "everything is healed in the end";
  std::int64_t last = 0;
  for (std::size_t i = 0; i < disturbances.size(); ++i) {
    EXPECT_EQ(diary.entries[2 * i], disturbances[i].what + " strikes");
    EXPECT_EQ(diary.entries[2 * i + 1], disturbances[i].what + " heals");
    EXPECT_GE(disturbances[i].from_ns, last);
    EXPECT_GE(disturbances[i].to_ns, disturbances[i].from_ns);
    last = disturbances[i].to_ns;
  }
  diary.entries.resize(16);
  return diary.entries;
}

TEST(Trouble, FollowsItsSeed) {
  EXPECT_EQ(first_entries(1), first_entries(1));
  EXPECT_NE(first_entries(1), first_entries(2));
}

TEST(Trouble, PassesErrorsOn) {
  Diary diary;
  std::vector<std::unique_ptr<Nemesis>> nemeses;
  nemeses.push_back(std::make_unique<Failing>(diary));
  Trouble trouble(std::move(nemeses), quick(1), now_ns,
                  [](const Disturbance&) { FAIL() << "nothing was healed"; });
  diary.wait_for(1);
  EXPECT_THROW(trouble.stop(), std::runtime_error);
}

TEST(Trouble, EndsBeforeItsFirstStrike) {
  Diary diary;
  std::vector<std::unique_ptr<Nemesis>> nemeses;
  nemeses.push_back(std::make_unique<Noting>(diary, "one"));
  Trouble trouble(std::move(nemeses), {1, std::chrono::hours(1), std::chrono::hours(1)}, now_ns,
                  [](const Disturbance&) { FAIL() << "there was nothing to tell"; });
  trouble.stop();
  EXPECT_TRUE(diary.entries.empty());
}

}  // namespace
}  // namespace assay::database
