// assay watch under attack, as its user sees it: memory that stays bounded, logs that killed a watch before, and
// verdicts that nobody else can make.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>

#include "collect/sender.hpp"
#include "format/assay/packed_block.hpp"
#include "format/bytes.hpp"
#include "history/builder.hpp"
#include "support/running.hpp"
#include "system/socket.hpp"
#include "watch/keep/log.hpp"
#include "watch/keep/working.hpp"

namespace assay::testing {
namespace {

using collect::Secret;
using collect::Sender;
using collect::SenderOptions;

History update(const std::string& session, std::int64_t seen, std::int64_t written) {
  HistoryBuilder build;
  build.begin(build.session(Atom::string(session)), Atom::integer(written));
  seen == 0 ? build.read_initial(Atom::integer(1)) : build.read(Atom::integer(1), Atom::integer(seen));
  build.write(Atom::integer(1), Atom::integer(written));
  build.end(Status::committed);
  return build.finish();
}

History empty_transactions(std::uint32_t count) {
  HistoryBuilder build;
  const Session s = build.session(Atom::string("many"));
  for (std::uint32_t t = 0; t < count; ++t) {
    build.begin(s, Atom::integer(1));
    build.end(Status::committed);
  }
  return build.finish();
}

class WatchUnderAttack : public ::testing::Test {
 protected:
  std::vector<std::string> watch(std::vector<std::string> more) const {
    std::vector<std::string> all{"watch", "--listen", "0", "--report-dir", folder_.file("pages")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static SenderOptions with(std::optional<Secret> secret) {
    SenderOptions options;
    options.patience_at_start = options.silence = std::chrono::milliseconds(20'000);
    options.patience = std::chrono::milliseconds(1000);
    options.secret = std::move(secret);
    return options;
  }

  const TemporaryFolder folder_;
  const std::string state_ = folder_.file("state");
};

TEST_F(WatchUnderAttack, AFragmentThatWasRefusedKeepsHoldsFromBeingSaid) {
  RunningAssay assay(watch({"--until-end"}));
  const system::Address address = system::address_of(assay.address("listening"));
  Sender hostile(address, "hostile", with(std::nullopt));
  EXPECT_THROW(
      {
        hostile.send(empty_transactions(1'500'000));
        hostile.flush();
      },
      InputError);
  ASSERT_TRUE(assay.says("would take up to")) << assay.err();
  Sender honest(address, "honest", with(std::nullopt));
  honest.send(update("a", 0, 1));
  honest.finish();
  EXPECT_FALSE(assay.ended()) << "the hostile one is not done";
  assay.signal(SIGINT);
  EXPECT_EQ(assay.wait(), 2) << assay.out();
  EXPECT_NE(assay.out().find("undecided: collector hostile"), std::string::npos) << assay.out();
}

TEST_F(WatchUnderAttack, WithASecretStrangersChangeNothing) {
  const std::string file = folder_.file("secret", "sixteen bytes or more\n");
  RunningAssay assay(watch({"--until-end", "--secret", file}));
  const system::Address address = system::address_of(assay.address("listening"));
  EXPECT_THROW(Sender(address, "a", with(std::nullopt)), InputError);
  EXPECT_THROW(Sender(address, "a", with(Secret("some other secret"))), InputError);
  Sender honest(address, "a", with(Secret::from_file(file)));
  honest.send(update("a", 0, 1));
  honest.finish();
  EXPECT_EQ(assay.wait(), 0) << assay.out() << assay.err();
}

TEST_F(WatchUnderAttack, MemoryIsALimit) {
  // Reads of what nobody wrote wait for their writers, and take memory meanwhile.
  const std::string file = folder_.file("history.jsonl");
  {
    std::ofstream out(file);
    out << "{\"s\":1,\"t\":0,\"status\":\"ok\",\"ops\":[]}\n";  // a session that may still write them
    for (int i = 0; i < 400'000; ++i)
      out << "{\"s\":0,\"t\":" << i << ",\"status\":\"ok\",\"ops\":[[\"r\",\"key " << i << "\",1]]}\n";
  }
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"watch", file, "--memory", "60", "--report-dir", folder_.file("pages")},
           {"stats", file, "--memory", "30"},
           {"convert", file, folder_.file("out"), "--to", "packed", "--memory", "30"}}) {
    const Ran ran = run_assay(command);
    EXPECT_EQ(ran.exit_code, 2) << command.front() << ": " << ran.out << ran.err;
    EXPECT_NE((ran.out + ran.err).find("memory"), std::string::npos) << ran.out << ran.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.file("out")));
}

// A log as an earlier version left it, which took everything.
class KilledByItsLog : public WatchUnderAttack {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(state_);
    system::FolderDisk disk(state_);
    watch::Log log(disk);
    log.open(0, {[](std::uint64_t, collect::Fragment) {}, [](std::uint64_t) {}}, [](const std::string&) {});
    log.append({"tcp:a", 0, false, {}, {}, update("a", 0, 1)});
    log.append({"tcp:b", 0, false, {}, {}, empty_transactions(400'000)});
    log.append({"tcp:a", 1, false, {}, {}, update("a", 1, 2)});
    log.append({"tcp:a", 2, true, {}, {}, {}});
    log.append({"tcp:b", 1, true, {}, {}, {}});
    log.append_round(5);
    log.sync();
  }
  Ran again(std::vector<std::string> more) const {
    std::vector<std::string> all = watch({"--until-end", "--checkpoint", state_});
    all.insert(all.end(), more.begin(), more.end());
    return run_assay(all);
  }
};

TEST_F(KilledByItsLog, AFragmentThatIsTooLargeIsToldAndLeftOutOnRequest) {
  const Ran told = again({"--memory", "100"});
  EXPECT_EQ(told.exit_code, 3) << told.err;
  EXPECT_NE(told.err.find("fragment 1 of the log, from tcp:b, would take up to"), std::string::npos)
      << told.err;
  const Ran without = again({"--memory", "100", "--leave-out"});
  EXPECT_EQ(without.exit_code, 2) << without.err;
  EXPECT_NE(without.err.find("left out: fragment 1 of the log, from tcp:b"), std::string::npos)
      << without.err;
  const Ran after = again({"--memory", "100"});
  EXPECT_EQ(after.exit_code, 2) << "what was left out is not forgotten: " << after.out << after.err;
  EXPECT_NE(after.out.find("undecided: left out: fragment 1"), std::string::npos) << after.out;
}

TEST_F(KilledByItsLog, FragmentsAtWhichAWatchEndedAreToldAndLeftOutOnRequest) {
  system::FolderDisk disk(state_);
  watch::Working(disk).begin(1, 2);
  const Ran told = again({});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.err.find("the watch has ended once while it decided fragments 1 to 1"), std::string::npos)
      << told.err;
}

TEST_F(KilledByItsLog, OnRequestTheyAreLeftOut) {
  system::FolderDisk disk(state_);
  watch::Working(disk).begin(1, 2);
  const Ran without = again({"--leave-out"});
  EXPECT_EQ(without.exit_code, 2) << without.err;
  EXPECT_NE(without.err.find("at which a watch has ended before"), std::string::npos) << without.err;
}

}  // namespace
}  // namespace assay::testing
