#include "system/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <stdexcept>

#include "support/inputs.hpp"
#include "support/program.hpp"

namespace assay::system {
namespace {

constexpr std::chrono::seconds kLong{60};

Launch shell(const testing::TemporaryFolder& folder, const std::string& script) {
  return {{"/bin/sh", "-c", script}, folder / "log", std::nullopt};
}

TEST(Process, WorksInTheFolderOfItsLog) {
  const testing::TemporaryFolder folder;
  run_to_end(shell(folder, "echo said; echo complained >&2; echo kept > file"), kLong);
  EXPECT_EQ(testing::file_text(folder / "log"), "said\ncomplained\n");
  EXPECT_EQ(testing::file_text(folder / "file"), "kept\n");
}

TEST(Process, AFailureShowsTheEndOfTheLog) {
  const testing::TemporaryFolder folder;
  try {
    run_to_end(shell(folder, "echo why it failed; exit 3"), kLong);
    FAIL() << "it passed for a success";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string_view(error.what()).find("why it failed"), std::string_view::npos) << error.what();
  }
}

TEST(Process, CanBeEndedWithAllItStarted) {
  const testing::TemporaryFolder folder;
  Process process(shell(folder, "sleep 1000 & echo $! > child; wait"));
  const auto child = [&] {
    return std::filesystem::exists(folder / "child") && !testing::file_text(folder / "child").empty();
  };
  while (!child()) ASSERT_FALSE(process.wait(std::chrono::milliseconds(5)));
  EXPECT_TRUE(process.running());
  process.signal(SIGKILL);
  EXPECT_TRUE(process.wait(kLong));
  EXPECT_FALSE(process.running());
  EXPECT_NE(process.status(), 0);
}

TEST(Process, ProgramsAreFoundInPathAndByPattern) {
  EXPECT_NE(find_program({"sh"}), "");
  EXPECT_EQ(find_program({"there-is-no-such-program", "/bin/sh"}), "/bin/sh");
  EXPECT_EQ(find_program({"there-is-no-such-program"}), "");
}

TEST(Process, ThePatternTakesTheHighestVersion) {
  const testing::TemporaryFolder folder;
  for (const char* version : {"9", "15", "13"}) {
    std::filesystem::create_directory(folder / version);
    std::filesystem::permissions(folder.file(std::string(version) + "/tool", "#!/bin/sh\n"),
                                 std::filesystem::perms::owner_all);
  }
  EXPECT_EQ(find_program({folder.string() + "/*/tool"}), folder.string() + "/15/tool");
}

TEST(Process, OnlyTheEndOfALongLogIsShown) {
  const testing::TemporaryFolder folder;
  const std::string end = end_of_file(folder.file("log", std::string(100'000, 'x') + "the end"));
  EXPECT_TRUE(end.ends_with("xthe end"));
  EXPECT_LT(end.size(), 10'000U);
  EXPECT_EQ(end_of_file(folder / "none"), "(it left no log)");
}

}  // namespace
}  // namespace assay::system
