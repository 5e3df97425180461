// Files that are followed as tail -F does, and folders of them.
#include "collect/file_source.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "collect/directory_source.hpp"
#include "format/assay/packed.hpp"
#include "history/builder.hpp"
#include "support/memory_input.hpp"

namespace assay::collect {
namespace {

using assay::testing::error_of;
using assay::testing::slurp;
using assay::testing::spit;
using assay::testing::TemporaryFolder;

std::string line(int session, int t) {
  return "{\"s\":" + std::to_string(session) + ",\"t\":" + std::to_string(t) +
         ",\"status\":\"ok\",\"ops\":[[\"w\",1," + std::to_string(session * 1000 + t) + "]]}\n";
}

void append(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::app) << text;
}

History transaction(int session, int t) {
  HistoryBuilder build;
  build.begin(build.session(Atom::integer(session)), Atom::integer(t));
  build.write(Atom::integer(1), Atom::integer(session * 1000 + t));
  build.end(Status::committed);
  return build.finish();
}

// The names of the transactions that a source hands over, and "." for the end of a collector.
class Taken {
 public:
  std::string from(Source& source) {
    Batch batch(owners_, std::size_t{1} << 20);
    source.collect(batch);
    return names(batch);
  }
  std::string at_the_end_of(Source& source) {
    Batch batch(owners_, std::size_t{1} << 20);
    source.finish(batch);
    return names(batch);
  }
  const ProgressOf& progress() const { return progress_; }
  const std::vector<std::string>& notes() const { return notes_; }
  Note note() {
    return [this](const std::string& text) { notes_.push_back(text); };
  }

 private:
  std::string names(Batch& batch) {
    std::string out;
    for (const Fragment& fragment : batch.take()) {
      EXPECT_EQ(fragment.sequence, progress_[fragment.collector].next);
      progress_[fragment.collector] = {fragment.sequence + 1, fragment.last, fragment.cursor};
      for (const Txn t : fragment.history.all_transactions())
        out += to_string(fragment.history.name(fragment.history.session_of(t))) + ":" +
               to_string(fragment.history.name(t)) + " ";
      if (fragment.last) out += ".";
    }
    return out;
  }
  OwnerOf owners_;
  ProgressOf progress_;
  std::vector<std::string> notes_;
};

class Followed : public ::testing::Test {
 protected:
  FileSource source(const Progress& progress = {}) { return {path_, "c", progress, taken_.note()}; }
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "run";
  Taken taken_;
};

TEST_F(Followed, AFileThatIsStillToComeAndThenGrows) {
  FileSource file = source();
  EXPECT_EQ(taken_.from(file), "");
  EXPECT_EQ(taken_.from(file), "");
  ASSERT_EQ(taken_.notes().size(), 1U);
  append(path_, line(1, 1) + line(2, 1).substr(0, 10));
  EXPECT_EQ(taken_.from(file), "1:1 ");
  append(path_, line(2, 1).substr(10));
  EXPECT_EQ(taken_.from(file), "2:1 ");
  EXPECT_TRUE(file.at_rest());
  EXPECT_FALSE(file.ended());
}

TEST_F(Followed, AFinishedPackedFileEnds) {
  format::PackedWriter writer(path_);
  writer.append(transaction(1, 1));
  writer.flush();
  FileSource file = source();
  EXPECT_EQ(taken_.from(file), "1:1 ");
  writer.append(transaction(1, 2));
  writer.finish();
  EXPECT_EQ(taken_.from(file), "1:2 .");
  EXPECT_TRUE(file.ended());
}

// It would look like the announcement of all sessions that a packed file begins with.
TEST_F(Followed, TheIdleSessionsThatAHeaderNamesAreNotTold) {
  append(path_, R"({"assay":"history","version":1,"sessions":[7,8]})"
                "\n");
  FileSource file = source();
  OwnerOf owners;
  for (const std::string& more : {std::string(), line(7, 1)}) {
    append(path_, more);
    Batch batch(owners, std::size_t{1} << 20);
    file.collect(batch);
    const std::vector<Fragment> fragments = batch.take();
    ASSERT_EQ(fragments.size(), 1U);
    EXPECT_EQ(fragments[0].history.sessions(), more.empty() ? 0U : 1U);
    EXPECT_EQ(fragments[0].history.transactions(), more.empty() ? 0U : 1U);
  }
}

TEST_F(Followed, ARotatedFileIsReadToItsEndBeforeItsSuccessor) {
  append(path_, line(1, 1));
  FileSource file = source();
  EXPECT_EQ(taken_.from(file), "1:1 ");
  std::filesystem::rename(path_, folder_ / "run.1");
  EXPECT_EQ(taken_.from(file), "");
  append(folder_ / "run.1", line(1, 2));
  append(path_, line(1, 3));
  EXPECT_EQ(taken_.from(file), "1:2 1:3 ");
  ASSERT_EQ(taken_.notes().size(), 1U);
  EXPECT_NE(taken_.notes()[0].find("was replaced by another file"), std::string::npos);
}

TEST_F(Followed, ATruncatedFileBeginsAnew) {
  append(path_, line(1, 1) + line(1, 2));
  FileSource file = source();
  EXPECT_EQ(taken_.from(file), "1:1 1:2 ");
  spit(path_, line(1, 3));
  EXPECT_EQ(taken_.from(file), "1:3 ");
  ASSERT_EQ(taken_.notes().size(), 1U);
  EXPECT_NE(taken_.notes()[0].find("was truncated"), std::string::npos);
}

TEST_F(Followed, AHoleIsAnErrorNotAShorterHistory) {
  append(path_, line(1, 1) + line(1, 2).substr(0, 9));
  FileSource file = source();
  EXPECT_EQ(taken_.from(file), "1:1 ");
  std::filesystem::rename(path_, folder_ / "run.1");
  append(path_, line(1, 3));
  EXPECT_NE(error_of([&] { taken_.from(file); }).find("in the middle of a line"), std::string::npos);
}

TEST_F(Followed, AnotherProcessGoesOnWhereThisOneWas) {
  append(path_, line(1, 1) + line(1, 2).substr(0, 9));
  {
    FileSource file = source();
    EXPECT_EQ(taken_.from(file), "1:1 ");
  }
  append(path_, line(1, 2).substr(9));
  FileSource file = source(taken_.progress().at("c"));
  EXPECT_EQ(taken_.from(file), "1:2 ");
}

TEST_F(Followed, AnotherProcessFindsTheRestOfAFileThatWasRenamedMeanwhile) {
  append(path_, line(1, 1));
  {
    FileSource file = source();
    EXPECT_EQ(taken_.from(file), "1:1 ");
  }
  append(path_, line(1, 2));
  std::filesystem::rename(path_, folder_ / "run.1");
  append(path_, line(1, 3));
  {
    FileSource file = source(taken_.progress().at("c"));
    EXPECT_EQ(taken_.from(file), "1:2 1:3 ");
  }
  std::filesystem::remove(folder_ / "run.1");
  spit(path_, line(1, 9));
  EXPECT_NE(error_of([&] { source(taken_.progress().at("c")); }).find("not the file that was watched before"),
            std::string::npos);
}

TEST_F(Followed, TheEndMayBeTakenForTheEnd) {
  append(path_, line(1, 1) + line(1, 2).substr(0, line(1, 2).size() - 1));
  FileSource file = source();
  EXPECT_EQ(taken_.from(file), "1:1 ");
  EXPECT_EQ(taken_.at_the_end_of(file), "1:2 .");
}

TEST_F(Followed, AnUnfinishedFileStaysOpenAtTheEnd) {
  append(path_, "{\"assay\":\"history\",\"version\":1}\n" + line(1, 1));
  FileSource file = source();
  EXPECT_EQ(taken_.from(file), "1:1 ");
  EXPECT_EQ(taken_.at_the_end_of(file), "");
  ASSERT_EQ(taken_.notes().size(), 1U);
  EXPECT_NE(taken_.notes()[0].find("not finished"), std::string::npos);
}

TEST(FollowedFolder, TakesUpFilesThatAppearAndKnowsRenamedOnes) {
  const TemporaryFolder folder;
  Taken taken;
  append(folder / "a", line(1, 1));
  DirectorySource source(folder.string(), {}, taken.note());
  EXPECT_EQ(taken.from(source), "1:1 ");
  append(folder / "b", line(2, 1));
  append(folder / ".hidden", "not a history");
  std::filesystem::rename(folder / "a", folder / "a.1");
  std::string all;
  while (all.empty()) all = taken.from(source);  // it looks now and then
  EXPECT_EQ(all, "2:1 ");
  EXPECT_TRUE(source.at_rest());
  DirectorySource again(folder.string(), taken.progress(), taken.note());
  append(folder / "b", line(2, 2));
  EXPECT_EQ(taken.from(again), "2:2 ");
}

TEST(FollowedFolder, ASessionOfTwoFilesIsRefused) {
  const TemporaryFolder folder;
  Taken taken;
  append(folder / "a", line(1, 1));
  append(folder / "b", line(1, 2));
  DirectorySource source(folder.string(), {}, taken.note());
  EXPECT_NE(error_of([&] { taken.from(source); }).find("session 1 comes from"), std::string::npos);
}

}  // namespace
}  // namespace assay::collect
