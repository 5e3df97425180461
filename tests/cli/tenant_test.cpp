// Tenants of one history at the command line: the verdict and the evidence are those of the whole.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace assay::testing {
namespace {

// Tenants a and b hold by themselves; the sessions that they share show that both together do not.
constexpr char kOnlyTogether[] = R"({"s":"s","t":1,"status":"ok","ops":[["w","a:x",1]]}
{"s":"s","t":2,"status":"ok","ops":[["r","b:y",null]]}
{"s":"t","t":3,"status":"ok","ops":[["w","b:y",1]]}
{"s":"t","t":4,"status":"ok","ops":[["r","a:x",null]]}
)";
constexpr char kApart[] = R"({"s":"s","t":1,"status":"ok","ops":[["w","a:x",1]]}
{"s":"t","t":2,"status":"ok","ops":[["w","b:y",1]]}
{"s":"s","t":3,"status":"ok","ops":[["r","a:x",1]]}
{"s":"t","t":4,"status":"ok","ops":[["r","b:y",1]]}
)";

class Tenants : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string together_ = folder_.file("together.jsonl", kOnlyTogether);
  const std::string apart_ = folder_.file("apart.jsonl", kApart);
};

TEST_F(Tenants, GiveTheVerdictOfTheWhole) {
  EXPECT_EQ(run_assay({"check", together_, "--tenant", "*:", "-q"}).exit_code, 1);
  EXPECT_EQ(run_assay({"check", together_, "--tenant", "*:", "--level", "causal", "-q"}).exit_code, 0);
  EXPECT_EQ(run_assay({"check", apart_, "--tenant", "*:", "-q"}).exit_code, 0);
}

TEST_F(Tenants, SayHowManyPartsThereWere) {
  const Ran ran = run_assay({"check", apart_, "--tenant", "*:", "--json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto told = nlohmann::json::parse(ran.out);
  EXPECT_EQ(told["results"][0]["method"], "parts");
  EXPECT_EQ(told["stats"]["levels"][0]["counts"]["parts"], 2);
}

TEST_F(Tenants, AreProvedByACertificateOfTheWhole) {
  for (const std::string& history : {together_, apart_}) {
    const std::string proof = folder_.file("proof");
    run_assay({"check", history, "--tenant", "*:", "--certificate", proof, "-q"});
    EXPECT_EQ(run_assay({"verify", proof, history}).exit_code, 0);
  }
}

TEST_F(Tenants, MayBeAskedForInSeveralHistories) {
  EXPECT_EQ(run_assay({"check", apart_, together_, "--tenant", "*:"}).exit_code, 1);
}

}  // namespace
}  // namespace assay::testing
