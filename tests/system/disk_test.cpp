#include "system/disk.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/inputs.hpp"
#include "support/program.hpp"

namespace assay::system {
namespace {

using testing::file_text;

TEST(FolderDisk, IsTheFilesOfItsFolder) {
  const testing::TemporaryFolder folder;
  FolderDisk disk(folder.string());
  EXPECT_EQ(disk.read("a"), "");
  disk.create("a");
  disk.write("a", "hello", 0);
  disk.write("a", "p!", 3);
  disk.make_safe("a");
  disk.make_names_safe();
  EXPECT_EQ(file_text(folder / "a"), "help!");
  EXPECT_EQ(disk.read("a", 1, 3), "elp");
  EXPECT_EQ(disk.read("a", 4, 100), "!");
  EXPECT_EQ(disk.size("a"), 5U);
  disk.truncate("a", 2);
  disk.make_safe("a");
  EXPECT_EQ(disk.read("a"), "he");
  disk.replace("b", "other");
  std::vector<std::string> names = disk.names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  disk.remove("a");
  disk.remove("a");
  EXPECT_EQ(disk.names(), std::vector<std::string>{"b"});
}

TEST(FolderDisk, SaysWhatItCouldNotDo) {
  FolderDisk gone("no such folder");
  EXPECT_THROW(gone.create("a"), StorageError);
  EXPECT_THROW(gone.write("a", "x", 0), StorageError);
  EXPECT_THROW(gone.make_safe("a"), StorageError);
  EXPECT_THROW(gone.truncate("a", 0), StorageError);
  EXPECT_EQ(gone.read("a"), "");
}

}  // namespace
}  // namespace assay::system
