// assay matrix, as a user starts it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/json_schema.hpp"
#include "support/program.hpp"

namespace assay::testing {
namespace {

using Json = nlohmann::json;

TEST(MatrixCommand, KeptPromisesAreSuccess) {
  const Ran ran = run_assay({"matrix", "memory:snapshot-isolation", "--random", "100ms"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("snapshot-isolation promises snapshot-isolation: kept"), std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("random: list-append"), std::string::npos) << ran.out;
}

TEST(MatrixCommand, ABrokenPromiseHasAPageAndIsToldInJson) {
  const TemporaryFolder folder;
  const std::string pages = folder.file("pages");
  const Ran ran =
      run_assay({"matrix", "memory:serializable?fault=lost-update", "--random", "0", "--json", "-o", pages});
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  const Json object = Json::parse(ran.out);
  std::ifstream schema(std::string(ASSAY_SOURCE_DIR) + "/docs/json-schema.json");
  for (const std::string& error : schema_errors(Json::parse(schema), object)) ADD_FAILURE() << error;
  bool found = false;
  for (const Json& row : object["matrix"]["rows"]) {
    const Json& cell = row["cells"][0];
    const std::string page = pages + "/" + cell["page"].get<std::string>();
    EXPECT_TRUE(std::filesystem::exists(page)) << page;
    if (row["name"] != "lost-update") continue;
    found = true;
    EXPECT_EQ(cell["finding"], "seen");
    EXPECT_EQ(cell["promise"], "violated");
    EXPECT_EQ(cell["anomalies"][0], "lost-update");
    const std::string history = page.substr(0, page.size() - 4) + "assay";
    EXPECT_EQ(run_assay({"check", history, "-q"}).exit_code, 1) << "the evidence stands by itself";
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(run_shell("grep -c 'serializable-lost-update.html' '" + pages + "/index.html'").out, "1\n");
}

TEST(MatrixCommand, WritesIntoNoFolderOfOthers) {
  const TemporaryFolder folder;
  folder.file("mine", "precious");
  const Ran ran = run_assay({"matrix", "memory:serializable", "-o", folder.string()});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("is not empty"), std::string::npos) << ran.err;
  EXPECT_EQ(run_shell("ls '" + folder.string() + "'").out, "mine\n");
}

TEST(MatrixCommand, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(run_assay({"matrix", "nosuch:thing"}).exit_code, 3);
  EXPECT_EQ(run_assay({"matrix", "memory:serializable", "--patience", "soon"}).exit_code, 3);
  EXPECT_EQ(run_assay({"matrix", "memory:serializable", "--random", "-1"}).exit_code, 3);
}

}  // namespace
}  // namespace assay::testing
