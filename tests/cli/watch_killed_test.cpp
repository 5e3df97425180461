// kill -9 at any moment: nothing that was acknowledged is lost, no verdict is false, nothing is reported
// twice. ASSAY_KILLS says how often.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "collect/sender.hpp"
#include "history/builder.hpp"
#include "support/running.hpp"
#include "system/input_error.hpp"

namespace assay::testing {
namespace {

using namespace nlohmann::literals;

int kills_asked() {
  const char* const text = std::getenv("ASSAY_KILLS");
  return text != nullptr ? std::atoi(text) : 6;
}

// A database that keeps its promise, seen by several sessions, except where a lost update is asked for.
class Database {
 public:
  void update(HistoryBuilder& build, std::uint64_t choice) {
    const std::lock_guard lock(mutex_);
    const Atom key = Atom::natural(choice % 10);
    std::int64_t& latest = latest_[choice % 10];
    latest == 0 ? build.read_initial(key) : build.read(key, Atom::integer(latest));
    latest = ++written_;
    build.write(key, Atom::integer(latest));
  }
  // By two sessions: together they lose an update of key `which`.
  void lost_update(HistoryBuilder& build, int which) {
    const std::lock_guard lock(mutex_);
    const Atom key = Atom::integer(1'000'000 + which);
    build.read_initial(key);
    build.write(key, Atom::integer(++written_));
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::int64_t> latest_;
  std::int64_t written_ = 0;
};

// What was told of violations, and how many may not have been because the watch was killed meanwhile.
struct Told {
  std::set<std::string> digests;
  std::size_t interrupted = 0;
};

Told violations_told(const std::vector<nlohmann::json>& events) {
  Told told;
  for (const nlohmann::json& event : events) {
    if (event["event"] == "violation") {
      EXPECT_TRUE(told.digests.insert(event["digest"]).second) << "told twice: " << event["digest"];
      // What contradicts may be older than what is kept; then there is a reason instead of a name.
      const nlohmann::json result = event.value("/check/results/0"_json_pointer, nlohmann::json());
      EXPECT_EQ(result.value("verdict", ""), "violated") << event;
      EXPECT_TRUE(result.value("/anomaly/name"_json_pointer, "") == "lost-update" || event.contains("reason"))
          << event;
      EXPECT_TRUE(std::filesystem::exists(event.value("report", ""))) << event;
    }
    if (event["event"] == "note" && event["text"].get<std::string>().find(
                                        "was being told when the watch was stopped") != std::string::npos) {
      ++told.interrupted;
    }
  }
  return told;
}

TEST(WatchKilled, NothingIsLostAndNothingToldTwice) {
  constexpr int kSessions = 3, kFragments = 4, kTransactions = 3;  // fragments per kill
  const int kills = kills_asked();
  const TemporaryFolder folder;
  const std::vector<std::string> options{"--checkpoint",           folder.file("state"), "--report-dir",
                                         folder.file("pages"),     "--json-lines",       "--collectors",
                                         std::to_string(kSessions)};
  const auto watch = [&](const std::string& address, bool last) {
    std::vector<std::string> arguments{"watch", "--listen", address};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {"--max-reports", "1000"});  // each is looked for
    if (last) arguments.emplace_back("--until-end");
    return std::make_unique<RunningAssay>(arguments);
  };
  std::vector<nlohmann::json> events;
  const auto note = [&](const RunningAssay& run) {
    std::istringstream lines(run.out());
    // The last line may be there in part.
    for (std::string line; std::getline(lines, line) && !lines.eof();)
      events.push_back(nlohmann::json::parse(line));
  };

  auto running = watch("127.0.0.1:0", false);
  ASSERT_TRUE(running->says("\"address\":\"")) << running->err();
  std::string address = running->out();
  address = address.substr(address.find("\"address\":\"") + 11);
  address = address.substr(0, address.find('"'));

  Database database;
  std::atomic<int> killed = 0, finished = 0;
  std::vector<std::thread> collectors;
  for (int s = 0; s < kSessions; ++s) {
    collectors.emplace_back([&, s] {
      try {
        std::mt19937_64 random(static_cast<std::uint64_t>(s));
        const std::string name = "session-" + std::to_string(s);
        collect::Sender sender(system::address_of(address), name);
        for (int fragment = 0, t = 0; fragment <= kills * kFragments; ++fragment) {
          EXPECT_TRUE(eventually([&] { return fragment < (killed + 1) * kFragments || killed == kills; }));
          HistoryBuilder build;
          const Session session = build.session(Atom::string(name));
          for (int i = 0; i < kTransactions; ++i) {
            build.begin(session, Atom::integer(t++));
            const bool lose = s < 2 && i == 0 && fragment % kFragments == 1;
            lose ? database.lost_update(build, fragment / kFragments) : database.update(build, random());
            build.end(Status::committed);
          }
          sender.send(build.finish());
        }
        sender.finish();
        ++finished;
      } catch (const InputError& error) {
        ADD_FAILURE() << error.what();
      }
    });
  }
  std::mt19937_64 random(std::random_device{}());
  for (; killed < kills; ++killed) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 150'000));
    running->signal(SIGKILL);
    EXPECT_EQ(running->wait(), -1) << running->err();
    note(*running);
    running = watch(address, killed + 1 == kills);
  }
  for (std::thread& collector : collectors) collector.join();
  EXPECT_EQ(finished, kSessions);
  EXPECT_EQ(running->wait(), kills > 0 ? 1 : 0) << running->err();
  note(*running);

  const Told told = violations_told(events);
  const nlohmann::json& end = events.back();
  ASSERT_EQ(end["event"], "end");
  EXPECT_EQ(end["transactions"], kSessions * (kills * kFragments + 1) * kTransactions);
  EXPECT_EQ(end["waiting"], 0);
  EXPECT_EQ(end["violations"], kills);
  EXPECT_LE(told.digests.size(), static_cast<std::size_t>(kills));
  EXPECT_GE(told.digests.size() + told.interrupted, static_cast<std::size_t>(kills));
}

}  // namespace
}  // namespace assay::testing
