#include "system/swept_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "support/program.hpp"

namespace assay::system {
namespace {

namespace fs = std::filesystem;

// Temporary folders stand in one of this test's own while it runs; each test is a process of its own.
class SweptFolders : public ::testing::Test {
 protected:
  void SetUp() override { setenv("TMPDIR", place_.string().c_str(), 1); }
  void TearDown() override { unsetenv("TMPDIR"); }

  std::size_t folders() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(place_.path()), fs::directory_iterator()));
  }

  testing::TemporaryFolder place_;
};

TEST_F(SweptFolders, ThoseOfKilledOwnersAreRemovedByTheNext) {
  const pid_t owner = fork();
  if (owner == 0) {
    const SweptFolder folder("assay-server");
    fs::create_directory(folder.folder() / "data");
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(owner, &status, 0), owner);
  ASSERT_EQ(folders(), 1U) << "a killed process removes nothing";
  {
    const SweptFolder next("assay-server");
    EXPECT_EQ(folders(), 1U) << "only its own";
    EXPECT_TRUE(fs::exists(next.folder().path()));
  }
  EXPECT_EQ(folders(), 0U);
}

TEST_F(SweptFolders, ThoseOfTheLivingStay) {
  const SweptFolder one("assay-server");
  const SweptFolder other("assay-server");
  EXPECT_TRUE(fs::exists(one.folder().path()));
  EXPECT_TRUE(fs::exists(other.folder().path()));
}

TEST_F(SweptFolders, WhatOthersMadeStays) {
  const testing::TemporaryFolder elsewhere;
  elsewhere.file("precious", "x");
  fs::create_directory(place_ / "assay-server-backup");  // not our six letters, and not locked by anybody
  fs::create_directory(place_ / "assay-server-abcdef");
  fs::create_directory_symlink(elsewhere.path(), place_ / "assay-server-link12");
  elsewhere.file(".assay-owner", "");
  fs::create_directory(place_ / "assay-server-hijack");
  fs::create_symlink(elsewhere.file("precious"), place_ / "assay-server-hijack" / ".assay-owner");
  const SweptFolder next("assay-server");
  for (const char* name :
       {"assay-server-backup", "assay-server-abcdef", "assay-server-link12", "assay-server-hijack"})
    EXPECT_TRUE(fs::exists(place_ / name)) << name;
  EXPECT_TRUE(fs::exists(elsewhere.file("precious")));
}

}  // namespace
}  // namespace assay::system
