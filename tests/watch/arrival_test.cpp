// Files that appear and grow in every order that there is: whichever comes first, nobody is accused of what the
// others explain, and the verdict at the end is that of all of them.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "collect/file_source.hpp"
#include "format/assay/jsonl.hpp"
#include "format/format.hpp"
#include "support/program.hpp"
#include "support/simulation/process.hpp"
#include "watch/event.hpp"
#include "watch/watch.hpp"

namespace assay::watch {
namespace {

using testing::TemporaryFolder;

// One file per session, a line per transaction: the operations, in JSONL.
using Files = std::vector<std::vector<std::string>>;

std::string line(std::size_t session, std::size_t t, const std::string& operations) {
  return R"({"s":)" + std::to_string(session) + R"(,"t":)" + std::to_string(t) + R"(,"status":"ok","ops":[)" +
         operations + "]}\n";
}

// Calls visit with every order in which lines can be appended that keeps the order of each file.
void for_each_arrival(const Files& files, const std::function<void(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> order, next(files.size(), 0);
  std::size_t lines = 0;
  for (const auto& file : files) lines += file.size();
  const std::function<void()> go_on = [&] {
    if (order.size() == lines) return visit(order);
    for (std::size_t f = 0; f < files.size(); ++f) {
      if (next[f] == files[f].size()) continue;
      ++next[f];
      order.push_back(f);
      go_on();
      order.pop_back();
      --next[f];
    }
  };
  go_on();
}

struct Heard {
  bool violated_before_the_end = false;
  Status status;
};

// A round after every line.
Heard watch(const Files& files, const std::vector<std::size_t>& order, std::size_t sessions_declared) {
  const TemporaryFolder folder;
  simulation::Time time;
  Rng rng(1);
  Settings settings;
  settings.timing = &time;
  settings.feed.until_end = true;
  settings.sessions = sessions_declared;
  const std::atomic<bool> interrupted = false;
  const collect::Note no_note = [](const std::string&) {};
  Watch watch(settings,
              [&](const collect::ProgressOf&) {
                std::vector<std::unique_ptr<collect::Source>> sources;
                for (std::size_t f = 0; f < files.size(); ++f) {
                  const std::string name = std::to_string(f);
                  sources.push_back(std::make_unique<collect::FileSource>(folder / name, name,
                                                                          collect::Progress{}, no_note));
                }
                return sources;
              },
              {[](const Violation&) { return [] {}; }, {}, no_note});
  simulation::SteppedInflow inflow(watch.begin(interrupted), time, rng);
  constexpr std::size_t kRoom = 4096;
  std::vector<std::size_t> next(files.size(), 0);
  Heard heard;
  for (const std::size_t f : order) {
    std::ofstream(folder / std::to_string(f), std::ios::app) << line(f, next[f], files[f][next[f]]);
    ++next[f];
    inflow.step(kRoom);
    watch.look(inflow);
    time.pause(std::chrono::seconds(2));
    watch.look(inflow);
    heard.violated_before_the_end = heard.violated_before_the_end || watch.status().violations > 0;
  }
  while (!inflow.ended()) {
    inflow.step(kRoom);
    watch.look(inflow);
  }
  watch.end(inflow);
  EXPECT_EQ(watch.input_error().value_or(""), "");
  heard.status = final_status(watch.status());
  return heard;
}

TEST(Arrival, InWhateverOrderFilesComeNobodyIsAccusedOfWhatTheOthersExplain) {
  const Files chain{{R"(["w","x",1])", R"(["r","y",2],["w","y",3])"},
                    {R"(["r","x",1],["w","y",2])", R"(["r","z",1])"},
                    {R"(["r","y",3],["w","z",1])", R"(["r","x",1])"}};
  for_each_arrival(chain, [&](const std::vector<std::size_t>& order) {
    for (const std::size_t declared : {0U, 3U}) {
      const Heard heard = watch(chain, order, declared);
      EXPECT_EQ(heard.status.violations, 0U);
      EXPECT_EQ(heard.status.verdict, Verdict::holds) << heard.status.reason;
      EXPECT_EQ(heard.status.transactions, 6U);
    }
  });
}

TEST(Arrival, WhatNobodyWroteIsFoundAtTheEndOrWhenAllAreKnown) {
  const Files thin_air{{R"(["w","x",1])", R"(["w","x",2])"}, {R"(["r","x",3])"}, {R"(["r","x",2])"}};
  for_each_arrival(thin_air, [&](const std::vector<std::size_t>& order) {
    const Heard undeclared = watch(thin_air, order, 0);
    EXPECT_FALSE(undeclared.violated_before_the_end);
    EXPECT_EQ(undeclared.status.violations, 1U);
    EXPECT_EQ(watch(thin_air, order, 3).status.violations, 1U);
  });
}

TEST(Arrival, WhatIsWrongWhateverElseComesIsFoundInEveryOrder) {
  const Files lost_update{{R"(["r","x",null],["w","x",1])", R"(["w","y",1])"},
                          {R"(["r","x",null],["w","x",2])"},
                          {R"(["r","y",1])", R"(["r","y",1])"}};
  for_each_arrival(lost_update, [&](const std::vector<std::size_t>& order) {
    const Heard heard = watch(lost_update, order, 0);
    EXPECT_TRUE(heard.violated_before_the_end);
    EXPECT_EQ(heard.status.violations, 1U);
  });
}

}  // namespace
}  // namespace assay::watch
