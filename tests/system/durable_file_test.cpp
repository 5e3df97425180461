#include "system/durable_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "support/inputs.hpp"
#include "support/program.hpp"

namespace assay::system {
namespace {

using testing::file_text;

TEST(DurableFile, ReplacingLeavesNothingBeside) {
  const testing::TemporaryFolder folder;
  replace_file(folder / "state", "a long first content");
  replace_file(folder / "state", "second");
  EXPECT_EQ(file_text(folder / "state"), "second");
  EXPECT_EQ(testing::files_below(folder.string(), "").size(), 1U);
}

TEST(DurableFile, WhatCannotBeReplacedKeepsItsContent) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "state");
  EXPECT_THROW(replace_file(folder / "state", "text"), StorageError);
  EXPECT_TRUE(std::filesystem::is_directory(folder / "state"));
  EXPECT_FALSE(std::filesystem::exists(folder / "state.unfinished"));
}

TEST(DurableFile, WritesAtAPlace) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("log", "0123456789");
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  write_at(file, path, "xyz", 4);
  make_safe(file, path);
  EXPECT_EQ(file_text(path), "0123xyz789");
}

TEST(DurableFile, AFullDiskIsAStorageErrorWithThePath) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  try {
    write_at(full, "/dev/full", "x", 0);
    FAIL() << "it took the byte";
  } catch (const StorageError& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("/dev/full: cannot write: ")) << error.what();
  }
}

TEST(DurableFile, AHeldFolderHasOneHolder) {
  const testing::TemporaryFolder folder;
  {
    const HeldFolder first(folder / "new");
    EXPECT_NE(testing::complaint([&] { HeldFolder second(folder / "new"); }).find("another"),
              std::string::npos);
  }
  const HeldFolder next(folder / "new");
}

}  // namespace
}  // namespace assay::system
