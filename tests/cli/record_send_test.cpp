// 'assay record --send' and 'assay send' with a real watcher on the other side, and kill -9 of either. The
// long version is bench/watch/chaos.py.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "format/format.hpp"
#include "support/running.hpp"
#include "system/socket.hpp"

namespace assay::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A watch that may be killed and started again at the same address; all that its processes told.
class ListeningWatch {
 public:
  explicit ListeningWatch(const TemporaryFolder& folder, std::vector<std::string> more = {})
      : options_(std::move(more)) {
    options_.insert(options_.end(), {"--json-lines", "--report-dir", folder.file("pages")});
    start();
    EXPECT_TRUE(running_->says("\"address\":\"")) << running_->err();
    const std::string said = running_->out();
    address_ = said.substr(said.find("\"address\":\"") + 11);
    address_ = address_.substr(0, address_.find('"'));
  }

  const std::string& address() const { return address_; }
  RunningAssay& running() { return *running_; }
  // Waits until it has told that it took transactions in.
  bool has_taken_some() {
    return eventually([this] {
      const std::string said = running_->out();
      for (std::size_t at = 0; (at = said.find("\"transactions\":", at)) != std::string::npos;) {
        at += 15;
        if (at < said.size() && said[at] != '0') return true;
      }
      return false;
    });
  }
  void start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"watch", "--listen", address_};
    arguments.insert(arguments.end(), options_.begin(), options_.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    running_ = std::make_unique<RunningAssay>(arguments);
  }
  // The exit code.
  int end(std::optional<int> signal = std::nullopt) {
    if (signal) running_->signal(*signal);
    const int code = running_->wait();
    std::istringstream lines(running_->out());
    // A kill may cut the last one.
    for (std::string line; std::getline(lines, line) && !lines.eof();) events_.push_back(json::parse(line));
    return code;
  }
  const std::vector<json>& events() const { return events_; }

 private:
  std::vector<std::string> options_;
  std::string address_ = "127.0.0.1:0";
  std::unique_ptr<RunningAssay> running_;
  std::vector<json> events_;
};

std::vector<std::string> record(const std::string& store, const std::vector<std::string>& more,
                                int keys = 200) {
  std::vector<std::string> arguments{
      "record",     store, "--workload",    "general", "--keys", std::to_string(keys),
      "--sessions", "4",   "--fence-every", "20"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::uint32_t transactions_in(const std::string& file) {
  format::ReadOptions cut_off;
  cut_off.accept_truncated = true;
  return format::read_history(file, cut_off).transactions();
}

void expect_all_of(const std::string& file, const ListeningWatch& watch) {
  ASSERT_FALSE(watch.events().empty());
  const json& end = watch.events().back();
  ASSERT_EQ(end["event"], "end") << end;
  EXPECT_EQ(end["transactions"], transactions_in(file));
  EXPECT_EQ(end["waiting"], 0);
}

// At a random moment between two blocks of a recording or in the middle of one.
void kill_soon(RunningAssay& recorder) {
  std::mt19937_64 random(std::random_device{}());
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 600'000));
  recorder.signal(SIGKILL);
  EXPECT_EQ(recorder.wait(), -1);
}

TEST(RecordSend, TheWatcherGetsWhatIsRecorded) {
  const TemporaryFolder folder;
  const std::string file = folder.file("history");
  for (const bool broken : {false, true}) {
    ListeningWatch watch(folder, {"--until-end"});
    const std::string store =
        std::string("memory:serializable") + (broken ? "?fault=lost-update&after=200" : "");
    // Few keys, so that an update is lost even where the machine lets sessions hardly overlap.
    const Ran ran = run_assay(
        record(store, {"--transactions", "1000", "--send", watch.address(), "-o", file}, broken ? 5 : 200));
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.out.find("sent       " + std::to_string(transactions_in(file)) + " transactions"),
              std::string::npos)
        << ran.out;
    EXPECT_EQ(watch.end(), broken ? 1 : 0);
    expect_all_of(file, watch);
  }
}

TEST(RecordSend, NeedsNoFile) {
  const TemporaryFolder folder;
  ListeningWatch watch(folder, {"--until-end"});
  const Ran ran =
      run_assay(record("memory:serializable", {"--transactions", "500", "--send", watch.address()}));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(watch.end(), 0);
  EXPECT_GE(watch.events().back()["transactions"], 500);
}

TEST(RecordSend, AnInterruptSendsTheRest) {
  const TemporaryFolder folder;
  const std::string file = folder.file("history");
  ListeningWatch watch(folder, {"--until-end"});
  RunningAssay recorder(record(
      "memory:serializable", {"--duration", "600", "--rate", "500", "--send", watch.address(), "-o", file}));
  ASSERT_TRUE(eventually([&] { return fs::exists(file) && fs::file_size(file) > 3000; })) << recorder.err();
  recorder.signal(SIGINT);
  EXPECT_EQ(recorder.wait(), 0) << recorder.err();
  EXPECT_EQ(watch.end(), 0);
  expect_all_of(file, watch);
}

TEST(RecordSend, NobodyListensIsToldAtOnce) {
  std::string nowhere;
  {
    const system::Descriptor socket = system::listen_at(system::address_of("0"));
    nowhere = shown(system::bound_address(socket));
  }
  const TemporaryFolder folder;
  const Ran ran = run_assay(
      record("memory:serializable", {"--duration", "600", "--send", nowhere, "-o", folder.file("history")}));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("the watcher cannot be reached"), std::string::npos) << ran.err;
  EXPECT_FALSE(fs::exists(folder.file("history")));
}

TEST(RecordSend, AnotherRecordingIsRefusedByTheSameWatch) {
  const TemporaryFolder folder;
  ListeningWatch watch(folder);
  EXPECT_EQ(
      run_assay(record("memory:serializable", {"--transactions", "50", "--send", watch.address()})).exit_code,
      0);
  const Ran ran =
      run_assay(record("memory:serializable", {"--transactions", "50", "--send", watch.address()}));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("another recording needs a watch of its own"), std::string::npos) << ran.err;
}

TEST(RecordSend, AWatcherThatStaysAwayIsGivenUpAndWhatItMissedIsTold) {
  const TemporaryFolder folder;
  const std::string file = folder.file("history");
  for (const bool with_file : {true, false}) {
    ListeningWatch watch(folder);
    std::vector<std::string> arguments = record(
        "memory:serializable", {"--rate", "1000", "--send", watch.address(), "--send-patience", "0.2"});
    if (with_file) {
      arguments.insert(arguments.end(), {"-o", file, "--transactions", "3000"});
    } else {
      arguments.insert(arguments.end(),
                       {"--duration", "600"});  // without a watcher there is no reason to go on
    }
    RunningAssay recorder(arguments);
    ASSERT_TRUE(watch.has_taken_some()) << recorder.err();
    watch.end(SIGKILL);
    EXPECT_EQ(recorder.wait(), 2) << recorder.err();
    EXPECT_NE(recorder.err().find("trying again for up to 0.2 s"), std::string::npos) << recorder.err();
    EXPECT_NE(recorder.err().find("transactions were not delivered"), std::string::npos) << recorder.err();
    if (with_file) {
      EXPECT_GE(format::read_history(file).transactions(), 3000U);
    }
  }
}

TEST(RecordSend, AWatcherThatForgotEverythingIsNotGivenTheRest) {
  const TemporaryFolder folder;
  ListeningWatch watch(folder);
  RunningAssay recorder(
      record("memory:serializable", {"--rate", "500", "--duration", "600", "--send", watch.address()}));
  ASSERT_TRUE(watch.has_taken_some()) << recorder.err();
  watch.end(SIGKILL);
  watch.start();  // without a checkpoint
  EXPECT_EQ(recorder.wait(), 2) << recorder.err();
  EXPECT_NE(recorder.err().find("started again without its checkpoint"), std::string::npos) << recorder.err();
}

TEST(RecordSend, AKilledWatcherLosesNothingAndTellsNothingTwice) {
  const TemporaryFolder folder;
  const std::string file = folder.file("history");
  ListeningWatch watch(folder, {"--checkpoint", folder.file("state")});
  RunningAssay recorder(
      record("memory:serializable?fault=lost-update&after=300",
             {"--rate", "1000", "--transactions", "2500", "--send", watch.address(), "-o", file}));
  // One that nobody listens to would not begin.
  ASSERT_TRUE(watch.running().says("\"event\":\"status\"")) << recorder.err();
  std::mt19937_64 random(std::random_device{}());
  for (int kills = 3; kills > 0; --kills) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 600'000));
    watch.end(SIGKILL);
    watch.start(kills == 1 ? std::vector<std::string>{"--until-end"} : std::vector<std::string>{});
  }
  EXPECT_EQ(recorder.wait(), 0) << recorder.err();
  EXPECT_EQ(watch.end(), 1);
  expect_all_of(file, watch);
  std::set<std::string> told;
  for (const json& event : watch.events()) {
    if (event["event"] != "violation") continue;
    EXPECT_TRUE(told.insert(event["digest"]).second) << "told twice: " << event["digest"];
  }
}

TEST(RecordSend, WhatAKilledRecorderHadRecordedCanBeSentAfterwards) {
  const TemporaryFolder folder;
  const std::string file = folder.file("history");
  ListeningWatch watch(folder, {"--until-end"});
  RunningAssay recorder(
      record("memory:serializable", {"--duration", "600", "--send", watch.address(), "-o", file}));
  ASSERT_TRUE(watch.has_taken_some()) << recorder.err();
  kill_soon(recorder);
  EXPECT_TRUE(watch.running().says("is gone before it was done"));

  Ran sent = run_assay({"send", file, watch.address()});
  EXPECT_EQ(sent.exit_code, 3) << sent.out;
  EXPECT_NE(sent.err.find("the recording is cut off"), std::string::npos) << sent.err;
  sent = run_assay({"send", file, watch.address(), "--truncated"});
  EXPECT_EQ(sent.exit_code, 0) << sent.err;
  EXPECT_NE(sent.out.find("were there already"), std::string::npos) << sent.out;
  EXPECT_EQ(watch.end(), 0);
  expect_all_of(file, watch);
}

// All that a killed recorder has sent is complete in itself: nothing waits for what will never come.
TEST(RecordSend, WithoutAFileAKilledRecorderLeavesNobodyWaiting) {
  const TemporaryFolder folder;
  ListeningWatch watch(folder);
  RunningAssay recorder(record("memory:serializable", {"--duration", "600", "--send", watch.address()}));
  ASSERT_TRUE(watch.has_taken_some()) << recorder.err();
  kill_soon(recorder);
  EXPECT_TRUE(watch.running().says("is gone before it was done"));
  EXPECT_EQ(watch.end(SIGTERM), 0);
  EXPECT_EQ(watch.events().back()["verdict"], "holds");
  EXPECT_EQ(watch.events().back()["waiting"], 0);
}

TEST(Send, AFileIsSentOnceHoweverOftenItIsSent) {
  const TemporaryFolder folder;
  const std::string file = folder.file("history");
  ASSERT_EQ(run_assay(record("memory:serializable", {"--transactions", "500", "-o", file})).exit_code, 0);
  ListeningWatch watch(folder, {"--checkpoint", folder.file("state")});
  for (const char* what : {" transactions to", " were there already"}) {
    const Ran sent = run_assay({"send", file, watch.address()});
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    EXPECT_NE(sent.out.find(std::to_string(transactions_in(file)) + what), std::string::npos) << sent.out;
  }
  EXPECT_EQ(watch.end(SIGTERM), 0);
  expect_all_of(file, watch);
  EXPECT_EQ(run_assay({"send", folder.file("nothing"), watch.address()}).exit_code, 3);
}

}  // namespace
}  // namespace assay::testing
