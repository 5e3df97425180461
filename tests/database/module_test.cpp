// The database clients are modules: nothing loads them but recording on their databases.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "database/store.hpp"
#include "support/program.hpp"

namespace assay::database {
namespace {

constexpr const char* kHistory = R"({"s":1,"t":1,"status":"ok","ops":[["w",1,1]]})";

// The program by itself, as on a machine to which nothing else was copied.
class Alone {
 public:
  Alone() {
    std::filesystem::copy_file(ASSAY_BINARY, folder_ / "assay");
    std::filesystem::create_directories(folder_ / ASSAY_MODULE_FOLDER);
  }
  void add_broken_module(const std::string& name) {
    std::ofstream(folder_ / ASSAY_MODULE_FOLDER / name) << "this is no shared object";
  }
  testing::Ran run(const std::string& arguments) {
    return testing::run_shell("cd '" + folder_.string() + "' && ./assay " + arguments);
  }
  std::string file(const std::string& name, const std::string& content) {
    return folder_.file(name, content);
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST(DatabaseModule, TheProgramNeedsNoDatabaseClient) {
  // Told by the system's loader, which only lists what it would load.
  const testing::Ran ran = testing::run_shell("LD_TRACE_LOADED_OBJECTS=1 \"$ASSAY\"");
  ASSERT_NE(ran.out.find("libc.so"), std::string::npos) << ran.out << ran.err;
  for (const char* client : {"libpq", "libmariadb", "libsqlite3", "libhiredis", "librocksdb", "libssl"}) {
    EXPECT_EQ(ran.out.find(client), std::string::npos) << client << " is loaded at every start:\n" << ran.out;
  }
}

TEST(DatabaseModule, AProgramWithoutModulesChecks) {
  Alone alone;
  const std::string history = alone.file("history.jsonl", kHistory);
  EXPECT_EQ(alone.run("check " + history).exit_code, 0);
  const testing::Ran ran = alone.run("record sqlite:database --transactions 10");
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("there is no "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("sqlite.so"), std::string::npos) << ran.err;
  EXPECT_EQ(alone.run("record memory:serializable --transactions 10").exit_code, 0) << "it needs no client";
}

TEST(DatabaseModule, AMissingClientIsNamedWithItsPackage) {
  Alone alone;
  alone.add_broken_module("postgres.so");
  for (const char* arguments : {"record postgres://127.0.0.1/test", "record --server postgres"}) {
    const testing::Ran ran = alone.run(arguments);
    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_NE(ran.err.find("package libpq5"), std::string::npos) << ran.err;
  }
}

TEST(DatabaseModule, ErrorsCrossItsBorder) {
  try {
    open_store("sqlite:");
    FAIL() << "an address without a file";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), Failure::fatal);
    EXPECT_NE(std::string(error.what()).find("expected sqlite:FILE"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace assay::database
