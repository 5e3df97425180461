// What a watch keeps on disk: nothing that was made safe is lost, whatever the end of the file looks like,
// and damage is told.
#include "watch/keep/log.hpp"

#include <gtest/gtest.h>

#include <new>

#include "history/builder.hpp"
#include "support/fault/plan.hpp"
#include "support/memory_input.hpp"
#include "support/simulation/disk.hpp"
#include "watch/keep/checkpoint.hpp"
#include "watch/keep/reported.hpp"

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

// A block that could not be unpacked because there was no memory was taken for one that a crash had damaged, and cut off
// with all that came after it.
TEST(Log, LosesNothingWhenMemoryRunsOutWhileItIsRead) {
  if (!testing::faults_can_be_injected()) GTEST_SKIP() << "a sanitizer has replaced what would fail";
  const TemporaryFolder folder;
  system::FolderDisk disk(folder.string());
  HistoryBuilder build;  // so large that it is compressed
  for (std::uint64_t t = 0; t < 10000; ++t) {
    build.begin(build.session(Atom::string("s")), Atom::natural(t));
    build.write(Atom::natural(t * t), Atom::natural(t));
    build.end(Status::committed);
  }
  Log first(disk);
  read(first);
  first.append({"c", 0, false, "here", {}, build.finish()});
  first.sync();
  const auto open = [&](testing::FaultPlan& plan) {
    const testing::InjectedFaults faults(plan);
    std::uint64_t transactions = 0;
    Log(disk).open(
        0, {[&](std::uint64_t, const Fragment& one) { transactions += one.history.transactions(); }, {}, {}},
        [](const std::string&) {});
    return transactions;
  };
  bool met = true;
  for (std::uint64_t call = 1; met; ++call) {
    testing::FaultPlan plan;
    plan.calls = testing::Faulty::allocations;
    plan.first = plan.last = call;
    try {
      EXPECT_EQ(open(plan), 10000U) << call;
    } catch (const std::bad_alloc&) {
    } catch (const system::StorageError&) {  // the folder could not be listed
    }
    met = plan.failed > 0;
    testing::FaultPlan none;
    ASSERT_EQ(open(none), 10000U) << "after call " << call;
  }
}

TEST(Log, GivesBackFragmentsAndRoundsInOrder) {
  const TemporaryFolder folder;
  system::FolderDisk disk(folder.string());
  {
    Log log(disk);
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
  Log log(disk);
  const Read all = read(log);
  EXPECT_EQ(all.what, "0 1 |1 2. ");
  EXPECT_EQ(all.next, 3U);
  log.append(fragment(3));
  log.sync();
  Log again(disk);
  EXPECT_EQ(read(again, 1).what, "1 2. 3 ");
}

TEST(Log, ForgetsSegmentsThatACheckpointMakesDispensable) {
  const TemporaryFolder folder;
  system::FolderDisk disk(folder.string());
  {
    Log log(disk, 1);  // a segment for each sync
    read(log);
    for (std::uint64_t i = 0; i < 5; ++i) {
      log.append(fragment(i));
      log.sync();
    }
    log.forget_before(3);
  }
  Log log(disk, 1);
  EXPECT_EQ(read(log, 3).what, "3 4 ");
  Log too_far(disk, 1);
  EXPECT_NE(error_of([&] { read(too_far, 0); }).find("the log begins with fragment 3"), std::string::npos);
}

TEST(Log, WhereverItWasCutWhatIsWholeIsRead) {
  const TemporaryFolder folder;
  system::FolderDisk disk(folder.string());
  {
    Log log(disk);
    read(log);
    for (std::uint64_t i = 0; i < 3; ++i) log.append(fragment(i));
    log.sync();
  }
  const auto file = folder / "log-0000000000000000";
  const std::string whole = slurp(file);
  std::size_t last = 0;
  for (std::size_t size = 0; size < whole.size() + 23; size += 23) {
    spit(file, whole.substr(0, size));
    Log log(disk);
    const Read some = read(log);
    EXPECT_GE(some.next, last);
    last = some.next;
    EXPECT_LE(some.notes.size(), 1U);
    log.append(fragment(some.next));
    log.sync();
    Log again(disk);
    EXPECT_EQ(read(again).next, some.next + 1);
  }
  EXPECT_EQ(last, 3U);
}

TEST(Log, DamageBeforeItsEndIsNotPassedOver) {
  const TemporaryFolder folder;
  system::FolderDisk disk(folder.string());
  {
    Log log(disk, 1);
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
    Log log(disk, 1);
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
  system::FolderDisk disk(folder.string());
  std::vector<std::string> notes;
  const collect::Note note = [&](const std::string& text) { notes.push_back(text); };
  EXPECT_FALSE(load_checkpoint(disk, note));
  EXPECT_EQ(save_checkpoint(disk, checkpoint(5)), 5U);
  EXPECT_EQ(save_checkpoint(disk, checkpoint(9)), 5U);
  EXPECT_EQ(save_checkpoint(disk, checkpoint(12)), 9U);
  const auto newest = load_checkpoint(disk, note);
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
    ASSERT_EQ(load_checkpoint(disk, note)->fragments, 9U) << "byte " << i;
    spit(file, whole.substr(0, i));
    ASSERT_EQ(load_checkpoint(disk, note)->fragments, 9U) << "cut at " << i;
  }
  EXPECT_EQ(notes.size(), 2 * whole.size());
}

// Found by simulation: a process was killed when it had written, but not made safe; the next one read that, told
// the collectors that it is there, and then the power failed.
TEST(Log, WhatAKilledProcessWroteIsMadeSafeBeforeItCounts) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    simulation::Disk disk([] {});
    {
      Log log(disk);
      read(log);
      log.append(fragment(0));
      log.sync();
      log.append(fragment(1));
      const std::string before = disk.read("log-0000000000000000");
      log.sync();
      // Everything was written, and then it was killed: put the last write back among those that are not safe.
      const std::string all = disk.read("log-0000000000000000");
      disk.truncate("log-0000000000000000", before.size());
      disk.make_safe("log-0000000000000000");
      disk.write("log-0000000000000000", std::string_view(all).substr(before.size()), before.size());
    }
    std::uint64_t told = 0;
    {
      Log log(disk);
      told = read(log).next;
    }
    EXPECT_EQ(told, 2U);
    Rng rng(seed);
    disk.lose_power(rng);
    Log log(disk);
    EXPECT_EQ(read(log).next, told) << "seed " << seed;
  }
}

// Found by simulation: a crash may leave the right length and not the bytes.
TEST(Log, ASegmentWhoseHeaderACrashGarbledIsBegunAnew) {
  const TemporaryFolder folder;
  system::FolderDisk disk(folder.string());
  spit(folder / "log-0000000000000000", std::string(16, '\0'));
  {
    Log log(disk);
    EXPECT_EQ(read(log).next, 0U);
    log.append(fragment(0));
    log.sync();
  }
  Log log(disk);
  EXPECT_EQ(read(log).what, "0 ");
  spit(folder / "log-0000000000000000", std::string(17, '\0'));
  Log other(disk);
  EXPECT_NE(error_of([&] { read(other); }).find("this is not a log of a watch"), std::string::npos);
}

TEST(ReportedViolations, AreKnownToTheNextProcess) {
  const TemporaryFolder folder;
  system::FolderDisk disk(folder.string());
  {
    Reported reported(disk);
    reported.enter(7);
    reported.told(7);
    reported.enter(8);
  }
  const std::string whole = slurp(folder / "reported");
  spit(folder / "reported", whole + "> 00000");  // a crash in the middle of a line
  {
    Reported again(disk);
    EXPECT_TRUE(again.has(7));
    EXPECT_TRUE(again.has(8));
    EXPECT_FALSE(again.has(9));
    EXPECT_EQ(again.untold(), std::vector<std::uint64_t>{8});
    again.enter(9);
  }
  EXPECT_TRUE(Reported(disk).has(9));
  // Found by simulation: a crash may leave the right length and not the bytes.
  spit(folder / "reported", whole + std::string(10, '\0') + "00000009\n");
  EXPECT_EQ(Reported(disk).size(), 2U);
  spit(folder / "reported", "this is something else");
  EXPECT_NE(error_of([&] { Reported reported(disk); }).find("byte 0: expected a line"), std::string::npos);
}

}  // namespace
}  // namespace assay::watch
