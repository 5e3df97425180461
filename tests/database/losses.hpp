// What a store tells of connections that are lost and servers that are killed.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "database/live.hpp"

namespace assay::database {

// Begins again and again, as a recorder does, until the server is back.
inline void begin_when_possible(StoreSession& session, Level level) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (true) {
    try {
      session.begin(level);
      session.read("reachable");
      return;
    } catch (const StoreError& error) {
      ASSERT_EQ(error.failure(), Failure::aborted) << error.what();
      ASSERT_LT(std::chrono::steady_clock::now(), give_up) << error.what();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

inline void lost_connections_are_told(Live& live) {
  Proxy& proxy = *live.proxies().front();
  const auto session = live.store().open_session(0);
  session->begin(live.strongest());
  session->write("lost", {"before", 1});
  EXPECT_EQ(told(session->read("lost")), "before by 1");
  session->read("something");
  proxy.reset_all();
  try {
    // The reset may take a moment; commit must not come through after it.
    while (true) session->read("something else");
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), Failure::aborted) << error.what();
  }
  begin_when_possible(*session, live.strongest());
  EXPECT_EQ(told(session->read("lost")), "nothing");
  session->write("lost", {"stalled", 2});
  session->read("something");
  proxy.set_stalled(true);
  try {
    session->commit();
    ADD_FAILURE() << "commit cannot have been answered";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), Failure::unknown) << error.what();
  }
  proxy.set_stalled(false);
  proxy.set_delay(std::chrono::milliseconds(20));
  begin_when_possible(*session, live.strongest());
  const std::string now = told(session->read("lost"));
  EXPECT_TRUE(now == "nothing" || now == "stalled by 2") << now;
  session->abort();
  proxy.set_delay(std::chrono::milliseconds(0));
}

// Sessions insert rows of their own while the server is killed. Afterwards what was called committed is there
// and what was called aborted is not.
inline void a_killed_server_is_told_truly(Live& live) {
  constexpr std::uint32_t kThreads = 3;
  std::map<std::string, Failure> failed[kThreads];
  std::vector<std::string> committed[kThreads];
  std::atomic<std::uint32_t> commits{0};
  std::atomic<bool> killed{false};
  std::vector<std::thread> threads;
  for (std::uint32_t number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number, session = live.store().open_session(0)] {
      for (int i = 0; !killed || failed[number].empty(); ++i) {
        const std::string key = "killed/" + std::to_string(number) + "/" + std::to_string(i);
        try {
          session->begin(live.strongest());
          session->write(key, {key, 1});
          session->commit();
          committed[number].push_back(key);
          ++commits;
        } catch (const StoreError& error) {
          ASSERT_NE(error.failure(), Failure::fatal) << error.what();
          failed[number].emplace(key, error.failure());
        }
      }
    });
  }
  while (commits < 10 * kThreads) std::this_thread::yield();
  live.server().kill(0);
  killed = true;
  for (std::thread& thread : threads) thread.join();
  live.server().restart(0);

  const auto session = live.store().open_session(0);
  begin_when_possible(*session, live.strongest());
  for (std::uint32_t number = 0; number < kThreads; ++number) {
    for (const std::string& key : committed[number]) EXPECT_EQ(told(session->read(key)), key + " by 1");
    for (const auto& [key, failure] : failed[number]) {
      if (failure != Failure::aborted) continue;
      EXPECT_EQ(told(session->read(key)), "nothing") << key;
    }
  }
  session->abort();
}

}  // namespace assay::database
