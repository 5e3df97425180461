// The verifier built without the rest of Assay says the same as "assay verify".
#include <gtest/gtest.h>

#include "support/program.hpp"

namespace assay::testing {
namespace {

TEST(VerifierAlone, JudgesTheCertificatesOfTheProgram) {
  const TemporaryFolder folder;
  const std::string history = folder.file("history.jsonl"), proof = folder.file("proof");
  const std::string verifier = ASSAY_VERIFIER;
  for (const char* anomaly : {"", " --inject lost-update"}) {
    ASSERT_EQ(run_shell("$ASSAY generate --transactions 200 --seed 7 --level serializable" +
                        std::string(anomaly) + " -o " + history)
                  .exit_code,
              0);
    run_shell("$ASSAY check -q --level snapshot-isolation --certificate " + proof + " " + history);
    const Ran own = run_shell(verifier + " " + proof + " " + history);
    EXPECT_EQ(own.exit_code, 0) << own.out << own.err;
    EXPECT_EQ(run_assay({"verify", proof, history}).exit_code, 0);
    ASSERT_EQ(run_shell("sed -i 's/snapshot-isolation/serializable/' " + proof).exit_code, 0);
    EXPECT_EQ(run_shell(verifier + " " + proof + " " + history).exit_code, 1);
  }
}

}  // namespace
}  // namespace assay::testing
