// assay watch as a user meets it: sources, exit codes, reports, telemetry, and ends of every kind.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "collect/sender.hpp"
#include "history/builder.hpp"
#include "support/increments.hpp"
#include "support/running.hpp"
#include "system/socket.hpp"

namespace assay::testing {
namespace {

namespace fs = std::filesystem;

void append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::app) << text;
}

std::vector<nlohmann::json> events(const std::string& out) {
  std::vector<nlohmann::json> found;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line) && !lines.eof();)
    found.push_back(nlohmann::json::parse(line));
  return found;
}

class WatchCommand : public ::testing::Test {
 protected:
  // Pages go to a folder that vanishes.
  std::vector<std::string> watch(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "watch");
    arguments.insert(arguments.end(), {"--report-dir", pages_});
    return arguments;
  }
  std::size_t pages() const {
    if (!fs::exists(pages_)) return 0;
    return static_cast<std::size_t>(
        std::count_if(fs::directory_iterator(pages_), fs::directory_iterator(),
                      [](const auto& entry) { return entry.path().filename() != "index.html"; }));
  }
  const TemporaryFolder folder_;
  const std::string pages_ = folder_.file("pages");
  const std::string state_ = folder_.file("state");
};

TEST_F(WatchCommand, StandardInputEndsWithAVerdict) {
  const std::string good = folder_.file("good", kSerial), bad = folder_.file("bad", kLostUpdate);
  const Ran holds = run_shell("$ASSAY watch - < " + good);
  EXPECT_EQ(holds.exit_code, 0) << holds.err;
  EXPECT_EQ(holds.out, "serializable  holds so far; 2 transactions in 1 rounds\n");
  const Ran violated = run_shell("cat " + bad + " | $ASSAY watch - --report-dir " + pages_);
  EXPECT_EQ(violated.exit_code, 1) << violated.err;
  EXPECT_NE(violated.out.find("violation 1 of serializable, after 2 transactions; report: "),
            std::string::npos);
  EXPECT_NE(violated.out.find("Lost update"), std::string::npos) << violated.out;
  EXPECT_EQ(pages(), 1U);
}

TEST_F(WatchCommand, WrongInputIsExitCodeThreeAndSaysWhere) {
  const std::string bad = folder_.file("bad", std::string(kSerial) + "{\"s\":0}\n");
  const Ran ran = run_assay(watch({bad, "--until-end"}));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("bad: line 3"), std::string::npos) << ran.err;
  const Ran cut = run_shell("echo '{\"assay\":\"history\",\"version\":1}' | $ASSAY watch -");
  EXPECT_EQ(cut.exit_code, 3);
  EXPECT_NE(cut.err.find("cut off"), std::string::npos) << cut.err;
  EXPECT_EQ(run_assay({"watch"}).exit_code, 3);
  EXPECT_EQ(run_assay({"watch", bad, "--listen", "nowhere"}).exit_code, 3);
  EXPECT_EQ(run_assay({"watch", folder_.file("none"), "--until-end"}).exit_code, 3);
}

TEST_F(WatchCommand, WhatStillWaitsAtTheEndIsUndecided) {
  // Session 1 has read what nobody has written yet, and session 0 may still write it.
  const std::string file = folder_.file("run.jsonl", R"({"s":0,"t":0,"status":"ok","ops":[["w",1,1]]}
{"s":1,"t":0,"status":"ok","ops":[["r",1,2]]}
)");
  for (const char* sessions : {"2", "3"}) {
    RunningAssay running(watch({file, "--json-lines", "--sessions", sessions}));
    EXPECT_TRUE(running.says("\"transactions\":2")) << running.err();
    running.signal(SIGTERM);
    EXPECT_EQ(running.wait(), 2);
    const nlohmann::json end = events(running.out()).back();
    EXPECT_EQ(end["verdict"], "undecided");
    EXPECT_EQ(end["waiting"], 1);
    EXPECT_EQ(end["sessions_known"], *sessions == '2');
    EXPECT_EQ(end["reason"], *sessions == '2'
                                 ? "not all transactions could be judged"
                                 : "transactions wait for what they read: a session that was not "
                                   "heard of may have written it");
  }
}

TEST_F(WatchCommand, WhatNobodyWroteIsAViolationOnceTheSessionsAreDeclaredOrAtTheEnd) {
  fs::create_directory(folder_.file("logs"));
  folder_.file("logs/b.jsonl", R"({"s":"b","t":0,"status":"ok","ops":[["r","x",1]]})"
                               "\n");
  EXPECT_EQ(run_assay(watch({folder_.file("logs"), "--sessions", "1", "--stop"})).exit_code, 1);
  EXPECT_EQ(run_assay(watch({folder_.file("logs"), "--until-end"})).exit_code, 1);
}

// A recording begins with its sessions, so nobody needs to say how many there are.
TEST_F(WatchCommand, ARecordingAnnouncesItsSessions) {
  const std::string file = folder_.file("run.assay");
  ASSERT_EQ(run_assay({"record", "memory:serializable", "--workload", "blindw-rw", "--transactions", "50",
                       "-o", file})
                .exit_code,
            0);
  RunningAssay running(watch({file, "--json-lines"}));
  EXPECT_EQ(running.wait(), 0) << running.out();
  bool known = false;
  for (const nlohmann::json& event : events(running.out())) {
    if (event["event"] == "status") known = known || event["sessions_known"].get<bool>();
  }
  EXPECT_TRUE(known) << running.out();
}

TEST_F(WatchCommand, NothingThatCameIsUndecided) {
  const Ran ran = run_assay(watch({folder_.file("empty.jsonl", ""), "--until-end"}));
  EXPECT_EQ(ran.exit_code, 2) << ran.err;
  EXPECT_EQ(ran.out, "serializable  undecided: no transaction came; 0 transactions in 0 rounds\n");
}

// Two sessions that each lose updates of many keys: one violation is enough, the others need not be looked
// for.
TEST_F(WatchCommand, StopDoesNotWaitForTheOtherViolations) {
  std::string lines;
  for (int key = 0; key < 20; ++key) {
    for (int s = 0; s < 2; ++s) {
      lines += fmt::format(R"({{"s":{},"t":{},"status":"ok","ops":[["r",{},null],["w",{},{}]]}})", s, key,
                           key, key, s + 1) +
               "\n";
    }
  }
  const Ran ran = run_assay(watch({folder_.file("run.jsonl", lines), "--stop", "--json-lines"}));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_EQ(events(ran.out).back()["violations"], 1);
}

TEST_F(WatchCommand, AHorizonForgetsAtTheLevelsThatNeedOne) {
  std::string lines;
  for (int t = 0; t < 60; ++t) {
    lines += fmt::format(R"({{"s":0,"t":{},"status":"ok","ops":[["w",1,{}]]}})", t, t + 1) + "\n";
  }
  const std::string file = folder_.file("run.jsonl", lines);
  for (const char* horizon : {"0", "5"}) {
    RunningAssay running(watch({file, "--level", "read-committed", "--horizon", horizon, "--json-lines"}));
    EXPECT_TRUE(running.says("\"transactions\":60")) << running.err();
    running.signal(SIGTERM);
    EXPECT_EQ(running.wait(), 0);
  }
  EXPECT_EQ(run_assay(watch({file, "--horizon", "many"})).exit_code, 3);
}

TEST_F(WatchCommand, AWatchThatGoesOnTakesTheHorizonThatItIsGivenAndSaysSo) {
  const std::string file = folder_.file("run.jsonl", "");
  int written = 0;
  // One round with twenty more versions of the key; how many transactions are kept, and whether the horizon
  // is told.
  const auto kept_with = [&](const char* horizon) {
    std::string lines;
    for (int i = 0; i < 20; ++i, ++written)
      lines +=
          fmt::format(R"({{"s":0,"t":{},"status":"ok","ops":[["w",1,{}]]}})", written, written + 1) + "\n";
    append(file, lines);
    RunningAssay running(watch(
        {file, "--level", "read-committed", "--horizon", horizon, "--checkpoint", state_, "--json-lines"}));
    EXPECT_TRUE(running.says("\"event\":\"status\"")) << running.err();
    running.signal(SIGTERM);
    EXPECT_EQ(running.wait(), 0) << running.out();
    const bool noted = running.out().find("the horizon is") != std::string::npos;
    return std::pair(events(running.out()).back()["live"].get<int>(), noted);
  };
  for (const int all : {20, 40, 60}) EXPECT_EQ(kept_with("1000"), std::pair(all, false));
  EXPECT_TRUE(kept_with("5").second);
  kept_with("5");
  const auto [fewer, noted] = kept_with("5");
  EXPECT_LT(fewer, 60);
  EXPECT_FALSE(noted);
  // What is forgotten stays so; what comes now is kept.
  EXPECT_TRUE(kept_with("1000").second);
  EXPECT_GE(kept_with("1000").first, 40);
}

TEST_F(WatchCommand, FollowsAFileAndTellsWhatHappensToIt) {
  const std::string file = folder_.file("run.jsonl", "");
  const std::string told = folder_.file("told");
  RunningAssay running(watch({file, "--on-violation", "echo found >" + told + ";:"}));
  append(file, kLostUpdate);
  EXPECT_TRUE(running.says("violation 1 of serializable")) << running.err();
  EXPECT_TRUE(eventually([&] { return fs::exists(told); }));
  EXPECT_FALSE(running.ended());
  append(file, R"({"s":0,"t":1,"status":"ok","ops":[["r",9,null],["w",9,1]]}
{"s":1,"t":1,"status":"ok","ops":[["r",9,null],["w",9,2]]}
)");
  EXPECT_TRUE(running.says("violation 2 of serializable")) << running.err();
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait(), 1);
  EXPECT_TRUE(running.says("serializable  violated: 2 in all; 4 transactions")) << running.out();
  EXPECT_EQ(pages(), 2U);
}

// A database that breaks its promise all the time: the first of a kind are told, the others counted.
TEST_F(WatchCommand, OfManyViolationsOfAKindTheFirstAreToldAndTheOthersCounted) {
  std::string lines;
  for (int key = 1; key <= 8; ++key) {
    for (const int session : {0, 1}) {
      lines += fmt::format(R"({{"s":{},"t":{},"status":"ok","ops":[["r",{},null],["w",{},{}]]}})"
                           "\n",
                           session, key, key, key, session + 1);
    }
  }
  const std::string file = folder_.file("run.jsonl", lines), calls = folder_.file("calls");
  const Ran ran = run_assay(
      watch({file, "--until-end", "--max-reports", "3", "--on-violation", "echo called >>" + calls + ";:"}));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_EQ(pages(), 3U);
  EXPECT_NE(ran.out.find("violation 3 of serializable"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("violation 4 (lost update): more of this kind are only counted"), std::string::npos);
  EXPECT_EQ(ran.out.find("violation 5"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("found: 8 lost update; all pages: " + pages_ + "/index.html"), std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("violated: 8 in all"), std::string::npos) << ran.out;

  std::ifstream in(pages_ + "/index.html");
  const std::string index{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(index.find("serializable: 8 violations"), std::string::npos) << index;
  EXPECT_NE(index.find("5 more were counted and have no page."), std::string::npos) << index;
  for (const fs::directory_entry& entry : fs::directory_iterator(pages_)) {
    const std::string name = entry.path().filename();
    if (name == "index.html") continue;
    EXPECT_NE(index.find("href=\"" + name + "\""), std::string::npos) << name;
  }
  std::ifstream called(calls);
  const std::string said{std::istreambuf_iterator<char>(called), {}};
  EXPECT_EQ(said, "called\n") << "at most once per kind and minute";
}

TEST_F(WatchCommand, AnAlertForEachViolationIfThatIsAskedFor) {
  const std::string file =
      folder_.file("run.jsonl", std::string(kLostUpdate) +
                                    R"({"s":0,"t":1,"status":"ok","ops":[["r",9,null],["w",9,1]]}
{"s":1,"t":1,"status":"ok","ops":[["r",9,null],["w",9,2]]}
)");
  const std::string calls = folder_.file("calls");
  const Ran ran = run_assay(watch({file, "--until-end", "--quiet", "--alert-every", "0", "--on-violation",
                                   "echo called >>" + calls + ";:"}));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  std::ifstream called(calls);
  const std::string said{std::istreambuf_iterator<char>(called), {}};
  EXPECT_EQ(said, "called\ncalled\n");
}

TEST_F(WatchCommand, StopEndsAtTheFirstViolation) {
  const std::string file = folder_.file("run.jsonl", kLostUpdate);
  const Ran ran = run_assay(watch({file, "--stop", "--quiet"}));
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST_F(WatchCommand, AFolderOfSessions) {
  fs::create_directory(folder_.file("logs"));
  folder_.file("logs/a", R"({"s":"a","t":0,"status":"ok","ops":[["w",1,1]]})");
  folder_.file("logs/b", R"({"s":"b","t":0,"status":"ok","ops":[["r",1,1]]})");
  const Ran ran = run_assay(watch({folder_.file("logs"), "--until-end"}));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("2 transactions"), std::string::npos) << ran.out;
}

TEST_F(WatchCommand, ACountBelowZeroIsRefused) {
  const std::string file = folder_.file("good", kSerial);
  for (const char* option : {"--horizon=-5", "--collectors=-1", "--sessions=-1"}) {
    const Ran ran = run_assay(watch({file, "--until-end", option}));
    EXPECT_EQ(ran.exit_code, 3) << option << ran.out;
  }
}

TEST_F(WatchCommand, EventsAsJson) {
  const std::string file = folder_.file("run.jsonl", kLostUpdate);
  const Ran ran = run_assay(watch({file, "--until-end", "--json-lines", "--level", "si"}));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  std::map<std::string, nlohmann::json> by_name;
  for (const nlohmann::json& event : events(ran.out)) by_name[event["event"]] = event;
  ASSERT_TRUE(by_name.contains("violation")) << ran.out;
  EXPECT_EQ(by_name["violation"]["check"]["results"][0]["verdict"], "violated");
  EXPECT_TRUE(fs::exists(by_name["violation"]["report"].get<std::string>()));
  ASSERT_TRUE(by_name.contains("end"));
  EXPECT_EQ(by_name["end"]["violations"], 1);
  EXPECT_EQ(by_name["end"]["level"], "snapshot-isolation");
}

std::string get(const std::string& address, const std::string& request) {
  const system::Descriptor socket = system::connect_to(system::address_of(address));
  EXPECT_EQ(::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string answer;
  eventually([&] {
    char piece[4096];
    const ssize_t n = ::recv(socket.get(), piece, sizeof piece, 0);
    if (n > 0) answer.append(piece, static_cast<std::size_t>(n));
    return n == 0;
  });
  return answer;
}

TEST_F(WatchCommand, TelemetryForPrometheus) {
  const std::string file = folder_.file("run.jsonl", kSerial);
  RunningAssay running(watch({file, "--metrics", "127.0.0.1:0"}));
  std::string address = running.address("metrics");
  ASSERT_TRUE(address.starts_with("http://127.0.0.1:")) << running.err();
  address = address.substr(7, address.rfind('/') - 7);
  std::string answer;
  EXPECT_TRUE(eventually([&] {
    answer = get(address, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    return answer.find("assay_watch_rounds_total 1\n") != std::string::npos;
  })) << answer;
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  for (const char* line : {"assay_watch_transactions_total 2\n", "assay_watch_lag_seconds ",
                           "assay_watch_live_transactions ", "assay_watch_resident_memory_bytes ",
                           "assay_watch_round_seconds ", "assay_watch_ingest_transactions_per_second ",
                           "assay_watch_verdict{level=\"serializable\",verdict=\"holds\"} 1\n",
                           "assay_watch_verdict{level=\"serializable\",verdict=\"violated\"} 0\n"}) {
    EXPECT_NE(answer.find(line), std::string::npos) << line << answer;
  }
  EXPECT_TRUE(get(address, "GET /other HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(get(address, "POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
  running.signal(SIGINT);
  EXPECT_EQ(running.wait(), 0);
}

// The writer's file appears when the reader has long been looked at.
TEST_F(WatchCommand, AFileThatComesLaterMayHaveWrittenWhatWasRead) {
  fs::create_directory(folder_.file("logs"));
  folder_.file("logs/b.jsonl", R"({"s":"b","t":0,"status":"ok","ops":[["r","x",1]]})"
                               "\n");
  RunningAssay running(watch({folder_.file("logs"), "--metrics", "127.0.0.1:0"}));
  std::string address = running.address("metrics");
  ASSERT_TRUE(address.starts_with("http://")) << running.err();
  address = address.substr(7, address.rfind('/') - 7);
  const auto shows = [&](std::string_view line) {
    return eventually(
        [&] { return get(address, "GET /metrics HTTP/1.1\r\n\r\n").find(line) != std::string::npos; });
  };
  EXPECT_TRUE(shows("assay_watch_rounds_total 1\n"));
  EXPECT_TRUE(shows("assay_watch_waiting_transactions 1\n"));
  EXPECT_TRUE(shows("verdict=\"undecided\"} 1\n"));
  folder_.file("logs/a.jsonl", R"({"s":"a","t":0,"status":"ok","ops":[["w","x",1]]})"
                               "\n");
  EXPECT_TRUE(shows("assay_watch_transactions_total 2\n"));
  EXPECT_TRUE(shows("assay_watch_waiting_transactions 0\n"));
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait(), 0) << running.out();
}

History transaction(const std::string& session, int t, int read, int write) {
  HistoryBuilder build;
  build.begin(build.session(Atom::string(session)), Atom::integer(t));
  const Atom key = Atom::string("x");
  read == 0 ? build.read_initial(key) : build.read(key, Atom::integer(read));
  build.write(key, Atom::integer(write));
  build.end(Status::committed);
  return build.finish();
}

TEST_F(WatchCommand, CollectorsOverTheNetwork) {
  RunningAssay running(watch({"--listen", "127.0.0.1:0", "--until-end", "--collectors", "2"}));
  const std::string address = running.address("listening");
  ASSERT_NE(address, "") << running.err();
  collect::Sender a(system::address_of(address), "a"), b(system::address_of(address), "b");
  a.send(transaction("a", 0, 0, 1));
  b.send(transaction("b", 0, 1, 2));
  a.send(transaction("a", 1, 2, 3));
  b.send(transaction("b", 1, 2, 4));
  EXPECT_TRUE(running.says("violation 1 of serializable")) << running.err();
  a.finish();
  b.finish();
  EXPECT_EQ(running.wait(), 1);
  EXPECT_TRUE(running.says("4 transactions")) << running.out();
}

TEST_F(WatchCommand, GoesOnFromACheckpointAndTellsNothingTwice) {
  const std::string file = folder_.file("run.jsonl", kLostUpdate);
  const Ran first = run_assay(watch({file, "--checkpoint", state_, "--stop"}));
  EXPECT_EQ(first.exit_code, 1) << first.err;
  EXPECT_NE(first.out.find("violation 1"), std::string::npos);
  append(file, R"({"s":0,"t":1,"status":"ok","ops":[["r",1,2]]})");
  const Ran second = run_assay(watch({file, "--checkpoint", state_, "--until-end"}));
  EXPECT_EQ(second.exit_code, 1) << second.err;
  EXPECT_EQ(second.out.find("violation 1"), std::string::npos) << second.out;
  EXPECT_NE(second.out.find("serializable  violated: 1 in all; 3 transactions"), std::string::npos)
      << second.out;
  const Ran other = run_assay(watch({file, "--checkpoint", state_, "--level", "si"}));
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_NE(other.err.find("this is a watch at serializable"), std::string::npos) << other.err;
}

TEST_F(WatchCommand, OneWatchAtATimePerCheckpointFolder) {
  const std::string file = folder_.file("run.jsonl", kSerial);
  RunningAssay running(watch({file, "--checkpoint", state_, "--metrics", "0"}));
  ASSERT_NE(running.address("metrics"), "");
  const Ran ran = run_assay(watch({file, "--checkpoint", state_}));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("another watch is using this checkpoint folder"), std::string::npos) << ran.err;
}

TEST_F(WatchCommand, ADamagedCheckpointIsToldAndTheLogServes) {
  const std::string file = folder_.file("run.jsonl", kLostUpdate);
  EXPECT_EQ(run_assay(watch({file, "--checkpoint", state_, "--until-end"})).exit_code, 1);
  for (const auto& entry : fs::directory_iterator(state_)) {
    if (entry.path().filename().string().starts_with("checkpoint-")) append(entry.path().string(), "x");
  }
  const Ran ran = run_assay(watch({file, "--checkpoint", state_, "--until-end"}));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.err.find("it is damaged; going back"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.out, "serializable  violated: 1 in all; 2 transactions in 2 rounds\n");
}

TEST_F(WatchCommand, AViolationThatNobodyWasToldIsFoundAgainInTheLog) {
  const std::string file = folder_.file("run.jsonl", kLostUpdate);
  EXPECT_EQ(run_assay(watch({file, "--checkpoint", state_, "--until-end"})).exit_code, 1);
  fs::remove(fs::path(state_) / "reported");
  EXPECT_TRUE(fs::remove(fs::path(state_) / "checkpoint-0000000000000002"));
  const Ran ran = run_assay(watch({file, "--checkpoint", state_, "--until-end"}));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.out.find("violation 1 of serializable"), std::string::npos) << ran.out;
}

TEST_F(WatchCommand, AFullDiskIsToldAndSurvived) {
  // A limit on the size of files stands for the full disk: it can be lifted from outside.
  RunningAssay running(watch({"--listen", "0", "--until-end", "--checkpoint", state_}));
  const std::string address = running.address("listening");
  ASSERT_NE(address, "") << running.err();
  collect::Sender sender(system::address_of(address), "a");
  sender.send(transaction("a", 0, 0, 1));
  sender.flush();
  rlimit limit{};
  ASSERT_EQ(::prlimit(running.pid(), RLIMIT_FSIZE, nullptr, &limit), 0);
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = 4096;  // enough for what it says, not for the log
  ASSERT_EQ(::prlimit(running.pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
  constexpr int kMany = 60;
  for (int t = 1; t < kMany; ++t) sender.send(transaction("a", t, t, t + 1));
  EXPECT_TRUE(running.says("nothing is taken in or acknowledged until that works again")) << running.err();
  EXPECT_LT(sender.acknowledged(), static_cast<std::uint64_t>(kMany));
  limit.rlim_cur = before;
  ASSERT_EQ(::prlimit(running.pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
  sender.finish();
  EXPECT_EQ(running.wait(), 0) << running.err();
  EXPECT_TRUE(running.says("the log can be written again")) << running.err();
  EXPECT_TRUE(running.says("60 transactions")) << running.out();
}

}  // namespace
}  // namespace assay::testing
