// "assay verify" as a script meets it: what it can ask for, what it gets for an answer, and that nothing in
// an input reaches the terminal as it is.
#include <gtest/gtest.h>

#include <fstream>

#include "support/judge/replay.hpp"
#include "support/memory_input.hpp"
#include "support/program.hpp"

namespace assay::testing {
namespace {

constexpr const char* kStaleRead = R"({"s":"a","t":1,"status":"ok","start":1,"end":2,"ops":[["w","x",1]]}
{"s":"b","t":1,"status":"ok","start":1000,"end":1001,"ops":[["r","x",null]]}
)";

class VerifyCommand : public ::testing::Test {
 protected:
  // A certificate of what `check` says with these options.
  void prove(const std::string& history, std::vector<std::string> options) {
    options.insert(options.begin(), {"check", history, "-q", "--certificate", proof_});
    ASSERT_LT(run_assay(options).exit_code, 2);
  }
  Ran verify(std::vector<std::string> options) {
    options.insert(options.begin(), {"verify", proof_, history_});
    return run_assay(options);
  }

  const TemporaryFolder folder_;
  const std::string history_ = folder_.file("stale.jsonl", kStaleRead), proof_ = folder_.file("proof");
};

TEST_F(VerifyCommand, TakesWhatIsExpected) {
  prove(history_, {"--level", "sser", "--clock-drift", "0"});
  EXPECT_EQ(verify({}).out, "accepted: strict-serializable is violated, clock drift 0 ns\n");
  EXPECT_EQ(verify({"--level", "sser", "--verdict", "violated", "--sessions", "keep", "--clock-drift", "0"})
                .exit_code,
            0);
}

TEST_F(VerifyCommand, RefusesAProofOfSomethingElse) {
  prove(history_, {"--level", "sser", "--clock-drift", "0"});
  const Ran level = verify({"--level", "serializable"});
  EXPECT_EQ(level.exit_code, 1);
  EXPECT_EQ(
      level.out,
      "not what was expected: the certificate proves that strict-serializable is violated, clock drift 0 "
      "ns: its level is strict-serializable, not serializable\n");
  EXPECT_EQ(verify({"--verdict", "holds"}).exit_code, 1);
  EXPECT_EQ(verify({"--sessions", "ignore"}).exit_code, 1);
  EXPECT_EQ(verify({"--clock-drift", "1ns"}).exit_code, 1);
  EXPECT_EQ(verify({"--verdict", "holds", "--quiet"}).out, "");
}

// True as far as it goes: clocks that may disagree by twelve days say nothing.
TEST_F(VerifyCommand, IsNotFooledByAClockDriftThatTheCertificateChose) {
  prove(history_, {"--level", "sser", "--clock-drift", "1000000s"});
  EXPECT_EQ(verify({"--level", "sser", "--verdict", "holds"}).exit_code, 0);
  const Ran ran = verify({"--level", "sser", "--verdict", "holds", "--clock-drift", "100ms"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.out.find("its clock drift is 1000000000000000 ns, not 100000000 ns"), std::string::npos)
      << ran.out;
}

TEST_F(VerifyCommand, AsksNothingOfClocksWhereTheLevelDoesNot) {
  prove(history_, {"--level", "serializable"});
  EXPECT_EQ(verify({"--level", "ser", "--verdict", "holds", "--clock-drift", "1s"}).exit_code, 0);
}

TEST_F(VerifyCommand, NamesWordsThatItDoesNotKnow) {
  prove(history_, {"--level", "serializable"});
  const Ran ran = verify({"--verdict", "hold"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("--verdict cannot be 'hold'"), std::string::npos) << ran.err;
  EXPECT_EQ(verify({"--level", "nonsense"}).exit_code, 3);
  EXPECT_EQ(verify({"--timeout", "-1"}).exit_code, 3);
}

TEST_F(VerifyCommand, AFolderIsNoCertificate) {
  const Ran ran = run_assay({"verify", folder_.string(), history_});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("is a folder: expected the file of a certificate"), std::string::npos) << ran.err;
  EXPECT_EQ(run_assay({"verify", folder_.file("nowhere"), history_}).exit_code, 3);
}

// A certificate that never ends is as good as any for keeping it busy.
TEST_F(VerifyCommand, GivesUpAtItsLimits) {
  const std::string pipe = folder_.file("pipe");
  const auto waiting = [&](const std::string& limit) {
    return run_shell("rm -f " + pipe + " && mkfifo " + pipe + " && $ASSAY verify /dev/stdin " + history_ +
                     " " + limit + " <> " + pipe);
  };
  const Ran time = waiting("--timeout 0.1");
  EXPECT_EQ(time.exit_code, 2) << time.err;
  EXPECT_EQ(time.out, "undecided: the time limit was reached\n");
  const Ran memory = waiting("--memory 1");
  EXPECT_EQ(memory.exit_code, 2) << memory.err;
  EXPECT_EQ(memory.out, "undecided: the memory limit of 1 MB was reached\n");
}

// The key clears the screen and claims to be accepted; the session turns the direction of writing.
TEST_F(VerifyCommand, PrintsNoBytesThatATerminalObeys) {
  const std::string history = folder_.file(
      "hostile.jsonl", R"({"s":"a","t":1,"status":"ok","ops":[["w","x\u001b[2J\u001b[Haccepted",1]]}
{"s":"b\u202e","t":1,"status":"ok","ops":[["r","x\u001b[2J\u001b[Haccepted",1]]}
)");
  prove(history, {"--level", "serializable"});
  std::string text = slurp(proof_);
  const std::size_t order = text.find("order c0 c1");
  ASSERT_NE(order, std::string::npos) << text;
  spit(proof_, with_end(text.substr(0, order) + "order c1 c0\n"));
  const Ran ran = run_assay({"verify", proof_, history});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.out,
            "rejected: line 7: transaction 1 of session \"b\\u202e\" has a read of key "
            "\"x\\x1b[2J\\x1b[Haccepted\" "
            "that does not see what was there\n");
}

}  // namespace
}  // namespace assay::testing
