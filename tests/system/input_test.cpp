#include "system/input.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/inputs.hpp"
#include "support/program.hpp"

namespace assay::system {
namespace {

using testing::complaint;

TEST(Input, AFileIsItsBytes) {
  const testing::TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{70'000}, std::size_t{3} << 20}) {
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7);
    const std::string path = folder.file("input", content);
    const OpenedInput opened = open_input(path);
    EXPECT_FALSE(opened.input.directory);
    ASSERT_EQ(opened.input.files.size(), 1U);
    EXPECT_EQ(opened.input.files[0].path, path);
    EXPECT_TRUE(opened.input.files[0].bytes == content) << size;
  }
}

TEST(Input, ADirectoryIsItsFilesByName) {
  const testing::TemporaryFolder folder;
  folder.file("b", "2");
  folder.file("a", "1");
  folder.file(".hidden", "0");
  std::filesystem::create_directory(folder / "c");
  const OpenedInput opened = open_input(folder.string());
  EXPECT_TRUE(opened.input.directory);
  ASSERT_EQ(opened.input.files.size(), 2U);
  EXPECT_EQ(opened.input.files[0].bytes, "1");
  EXPECT_EQ(opened.input.files[1].path, folder.file("b"));
}

TEST(Input, WhatIsNotThereIsNamed) {
  EXPECT_EQ(complaint([] { open_input("/nonexistent"); }),
            "/nonexistent: there is no such file or directory");
}

TEST(Input, BytesThatWereReadStayAsTheyWere) {
  const testing::TemporaryFolder folder;
  const std::string content(std::size_t{3} << 20, 'x');
  const std::string path = folder.file("input", content);
  const OpenedInput opened = open_input(path);
  std::filesystem::resize_file(path, 0);
  EXPECT_TRUE(opened.input.files.at(0).bytes == content) << "and no SIGBUS";
}

// The kernel's own files are said to have a page and hold less: as one that was cut after it was opened.
TEST(Input, AFileThatBecomesShorterIsAnError) {
  const std::string path = "/sys/kernel/mm/transparent_hugepage/enabled";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "this system has no " << path;
  EXPECT_NE(
      complaint([&] { open_input(path); }).find("the file became shorter while it was read: it had 4096"),
      std::string::npos)
      << complaint([&] { open_input(path); });
}

TEST(Input, ADeviceIsReadToItsEnd) {
  EXPECT_EQ(open_input("/dev/null").input.files.at(0).bytes, "");
}

}  // namespace
}  // namespace assay::system
