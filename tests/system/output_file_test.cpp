#include "system/output_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/inputs.hpp"
#include "support/program.hpp"

namespace assay::system {
namespace {

using testing::complaint;
using testing::file_text;

TEST(OutputFile, HoldsWhatWasPutInOrder) {
  const testing::TemporaryFolder folder;
  const std::string piece(300'000, 'a');  // above and below the size at which it is written
  std::string all;
  OutputFile file(folder / "out");
  for (int i = 0; i < 10; ++i) {
    file.put(piece);
    file.put("\n");
    all += piece + "\n";
  }
  file.close();
  EXPECT_EQ(file_text(folder / "out"), all);
}

TEST(OutputFile, AnUnfinishedFileIsRemoved) {
  const testing::TemporaryFolder folder;
  {
    OutputFile file(folder / "out");
    file.put("half a history");
    file.flush();
    EXPECT_TRUE(std::filesystem::exists(folder / "out"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(OutputFile, AnUnfinishedRecordingIsKept) {
  const testing::TemporaryFolder folder;
  {
    OutputFile file(folder / "out", OutputFile::Unfinished::keep);
    file.put("half a recording");
  }
  EXPECT_EQ(file_text(folder / "out"), "half a recording");
}

TEST(OutputFile, OnlyOneOwnerClosesAFileThatWasMoved) {
  const testing::TemporaryFolder folder;
  {
    OutputFile first(folder / "out");
    first.put("one ");
    OutputFile second(std::move(first));
    second.put("two");
    second.close();
  }
  EXPECT_EQ(file_text(folder / "out"), "one two");
}

TEST(OutputFile, FailuresNameTheFile) {
  EXPECT_TRUE(
      complaint([] { OutputFile("/nonexistent/out"); }).starts_with("/nonexistent/out: cannot create"));
  EXPECT_TRUE(complaint([] {
                OutputFile file("/dev/full");
                file.put("something");
                file.close();
              }).starts_with("/dev/full: cannot write"));
  EXPECT_TRUE(std::filesystem::exists("/dev/full")) << "what is no regular file is not removed";
}

}  // namespace
}  // namespace assay::system
