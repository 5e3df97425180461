// What a watch keeps on disk: nothing that was made safe is lost, whatever the end of the file looks like,
// and damage is told.
#include "watch/log.hpp"

#include <gtest/gtest.h>

#include "history/builder.hpp"
#include "support/memory_input.hpp"
#include "watch/reported.hpp"
#include "watch/resume_point.hpp"

namespace assay::watch {
namespace {

using assay::testing::error_of;
using assay::testing::slurp;
using assay::testing::spit;
using assay::testing::TemporaryFolder;
using collect::Fragment;

Fragment fragment(std::uint64_t sequence) {
  HistoryBuilder build;
  build.begin(build.session(Atom::string("s")), Atom::natural(sequence));
  build.write(Atom::integer(1), Atom::natural(sequence));
  build.end(Status::committed);
  return {"c", sequence, false, "here", {}, build.finish()};
}

struct Read {
  std::string what;
  std::uint64_t next = 0;
  std::vector<std::string> notes;
};

Read read(Log& log, std::uint64_t from = 0) {
  Read read;
  read.next = log.open(from,
                       {[&](std::uint64_t index, const Fragment& one) {
                          read.what += std::to_string(index) + (one.last ? "." : "") + " ";
                          EXPECT_EQ(one.collector, "c");
                          EXPECT_EQ(one.cursor, "here");
                          if (!one.last) {
                            EXPECT_EQ(to_string(one.history.name(Txn{0})), std::to_string(one.sequence));
                          }
                        },
                        [&](std::uint64_t end) { read.what += "|" + std::to_string(end) + " "; }},
                       [&](const std::string& note) { read.notes.push_back(note); });
  return read;
}

TEST(Log, GivesBackFragmentsAndRoundsInOrder) {
  const TemporaryFolder folder;
  {
    Log log(folder.string());
    EXPECT_EQ(read(log).next, 0U);
    log.append(fragment(0));
    log.append(fragment(1));
    log.append_round(1);
    log.sync();
    Fragment last = fragment(2);
    last.last = true;
    log.append(last);
    log.sync();
    log.append(fragment(3));  // never made safe
  }
  Log log(folder.string());
  const Read all = read(log);
  EXPECT_EQ(all.what, "0 1 |1 2. ");
  EXPECT_EQ(all.next, 3U);
  log.append(fragment(3));
  log.sync();
  Log again(folder.string());
  EXPECT_EQ(read(again, 1).what, "1 2. 3 ");
}

TEST(Log, ForgetsSegmentsThatACheckpointMakesDispensable) {
  const TemporaryFolder folder;
  {
    Log log(folder.string(), 1);  // a segment for each sync
    read(log);
    for (std::uint64_t i = 0; i < 5; ++i) {
      log.append(fragment(i));
      log.sync();
    }
    log.forget_before(3);
  }
  Log log(folder.string(), 1);
  EXPECT_EQ(read(log, 3).what, "3 4 ");
  Log too_far(folder.string(), 1);
  EXPECT_NE(error_of([&] { read(too_far, 0); }).find("the log begins with fragment 3"), std::string::npos);
}

TEST(Log, WhereverItWasCutWhatIsWholeIsRead) {
  const TemporaryFolder folder;
  {
    Log log(folder.string());
    read(log);
    for (std::uint64_t i = 0; i < 3; ++i) log.append(fragment(i));
    log.sync();
  }
  const auto file = folder / "log-0000000000000000";
  const std::string whole = slurp(file);
  std::size_t last = 0;
  for (std::size_t size = 0; size < whole.size() + 23; size += 23) {
    spit(file, whole.substr(0, size));
    Log log(folder.string());
    const Read some = read(log);
    EXPECT_GE(some.next, last);
    last = some.next;
    EXPECT_LE(some.notes.size(), 1U);
    log.append(fragment(some.next));
    log.sync();
    Log again(folder.string());
    EXPECT_EQ(read(again).next, some.next + 1);
  }
  EXPECT_EQ(last, 3U);
}

TEST(Log, DamageBeforeItsEndIsNotPassedOver) {
  const TemporaryFolder folder;
  {
    Log log(folder.string(), 1);
    read(log);
    for (std::uint64_t i = 0; i < 2; ++i) {
      log.append(fragment(i));
      log.sync();
    }
  }
  const auto file = folder / "log-0000000000000000";
  const std::string whole = slurp(file);
  for (const std::size_t at : {std::size_t{3}, std::size_t{20}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    spit(file, damaged);
    Log log(folder.string(), 1);
    EXPECT_NE(error_of([&] { read(log); }).find("log-0000000000000000: byte"), std::string::npos);
  }
}

Checkpoint checkpoint(std::uint64_t fragments) {
  Checkpoint c;
  c.level = Level::serializable;
  c.fragments = fragments;
  c.state = "state " + std::to_string(fragments);
  c.collectors["c"] = {fragments, false, "here"};
  c.owners["s"] = "c";
  return c;
}

TEST(Checkpoints, TheNewestThatIsWholeIsTaken) {
  const TemporaryFolder folder;
  std::vector<std::string> notes;
  const collect::Note note = [&](const std::string& text) { notes.push_back(text); };
  EXPECT_FALSE(load_checkpoint(folder.string(), note));
  EXPECT_EQ(save_checkpoint(folder.string(), checkpoint(5)), 5U);
  EXPECT_EQ(save_checkpoint(folder.string(), checkpoint(9)), 5U);
  EXPECT_EQ(save_checkpoint(folder.string(), checkpoint(12)), 9U);
  const auto newest = load_checkpoint(folder.string(), note);
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->state, "state 12");
  EXPECT_EQ(newest->collectors.at("c").cursor, "here");
  EXPECT_EQ(newest->owners.at("s"), "c");
  EXPECT_TRUE(notes.empty());

  const auto file = folder / "checkpoint-000000000000000c";
  const std::string whole = slurp(file);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    spit(file, damaged);
    ASSERT_EQ(load_checkpoint(folder.string(), note)->fragments, 9U) << "byte " << i;
    spit(file, whole.substr(0, i));
    ASSERT_EQ(load_checkpoint(folder.string(), note)->fragments, 9U) << "cut at " << i;
  }
  EXPECT_EQ(notes.size(), 2 * whole.size());
}

TEST(ReportedViolations, AreKnownToTheNextProcess) {
  const TemporaryFolder folder;
  {
    Reported reported(folder / "reported");
    reported.enter(7);
    reported.told(7);
    reported.enter(8);
  }
  const std::string whole = slurp(folder / "reported");
  spit(folder / "reported", whole + "> 00000");  // a crash in the middle of a line
  {
    Reported again(folder / "reported");
    EXPECT_TRUE(again.has(7));
    EXPECT_TRUE(again.has(8));
    EXPECT_FALSE(again.has(9));
    EXPECT_EQ(again.untold(), std::vector<std::uint64_t>{8});
    again.enter(9);
  }
  EXPECT_TRUE(Reported(folder / "reported").has(9));
  spit(folder / "reported", "this is something else");
  EXPECT_NE(error_of([&] { Reported(folder / "reported"); }).find("byte 0: expected a line"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::watch
