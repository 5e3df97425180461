#include "system/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

namespace assay::system {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, VanishesWithAllThatIsInIt) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    fs::create_directories(folder / "a" / "b");
    std::ofstream(folder.file("c")) << "text";
    EXPECT_TRUE(fs::exists(path / "c"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, IsForTheirOwnerOnlyAndDiffer) {
  const TemporaryFolder one("assay-test"), other("assay-test");
  EXPECT_NE(one.path(), other.path());
  EXPECT_TRUE(one.path().filename().string().starts_with("assay-test-"));
  EXPECT_EQ(fs::status(one.path()).permissions(), fs::perms::owner_all);
}

}  // namespace
}  // namespace assay::system
