// What a query says, case by case.
#include <gtest/gtest.h>

#include <array>

#include "check/check.hpp"
#include "check/expand.hpp"
#include "evidence/certificate.hpp"
#include "evidence/counterexample.hpp"
#include "format/format.hpp"
#include "history/builder.hpp"
#include "report/sentence.hpp"
#include "support/inputs.hpp"
#include "support/random/draw.hpp"
#include "verify/verify.hpp"

namespace assay::check {
namespace {

using enum Level;

Outcome decide(const History& h, Level level) {
  const std::array<Level, 1> levels{level};
  return std::move(check(h, levels)[0]);
}
Verdict verdict(std::string_view drawing, Level level) {
  return decide(draw(drawing), level).verdict;
}

// A certificate of the verdict that the verifier accepts.
void expect_proof(const History& h, Level level) {
  const Outcome outcome = decide(h, level);
  const evidence::Counterexample found = outcome.verdict == Verdict::violated
                                             ? evidence::find_counterexample(h, outcome, {})
                                             : evidence::Counterexample{};
  const auto text = evidence::certificate(h, outcome, &found, {});
  ASSERT_TRUE(text);
  const verify::Verification verification = verify::verify(*text, "test", h);
  EXPECT_TRUE(verification.accepted) << verification.reason << "\n" << *text;
}

TEST(Queries, ARowThatIsNotReturnedWasNotThereYet) {
  const char* phantom = "a: i(m,1)\nb: g(a..z,[]) g(a..z,[m=1])";
  for (const Level level : {read_atomic, causal, prefix, snapshot_isolation, serializable}) {
    EXPECT_EQ(verdict(phantom, level), Verdict::violated) << info(level).name;
    expect_proof(draw(phantom), level);
  }
  for (const Level level : {read_committed, repeatable_read, monotonic_reads}) {
    EXPECT_EQ(verdict(phantom, level), Verdict::holds) << info(level).name;
    expect_proof(draw(phantom), level);
  }
}

TEST(Queries, RowsAreReadAtOneMomentAndSayNothingOfOthers) {
  // m was there, and was not asked for.
  const char* others = "a: i(m,1) i(n,1)\nb: q([n=1])";
  // Two rows that no snapshot has together, in one operation.
  const char* fractured = "a: w(x,1) w(y,1) | w(x,2) w(y,2)\nb: q([x=1,y=2])";
  for (const LevelInfo& level : levels()) {
    if (level.real_time) continue;
    SCOPED_TRACE(level.name);
    EXPECT_EQ(verdict(others, level.level), Verdict::holds);
    expect_proof(draw(others), level.level);
    const bool promised = implies(level.level, read_atomic);
    EXPECT_EQ(verdict(fractured, level.level), promised ? Verdict::violated : Verdict::holds);
    expect_proof(draw(fractured), level.level);
  }
}

// Read committed holds the rows of one result not against each other, but against an earlier read.
TEST(Queries, RowsOfOneReadDoNotComeBeforeEachOther) {
  EXPECT_EQ(verdict("a: w(x,1) w(y,1) | w(x,2) w(y,2)\nb: q([y=2,x=1])", read_committed), Verdict::holds);
  EXPECT_EQ(verdict("a: w(x,1) w(y,1) | w(x,2) w(y,2)\nb: q([y=2]) q([x=1])", read_committed),
            Verdict::violated);
}

// It cannot be told what such a read should have been.
TEST(Queries, ARowThatIsReadTwiceAtOneMomentIsNoProofOfHolding) {
  EXPECT_EQ(verdict("a: w(x,1) | w(x,2)\nb: q([x=1,x=2])", serializable), Verdict::undecided);
  EXPECT_EQ(verdict("a: a(x,1)\nb: q([x=1])", serializable), Verdict::undecided);
  EXPECT_EQ(verdict("a: w(x,1)\nb: q([x=9])", read_committed), Verdict::violated);
}

// The condition is not known, but that it matched m=1 is: the first execution missed that row.
TEST(Queries, OneExecutionOfALearnedPredicateIsHeldAgainstAnother) {
  const char* phantom = R"(a: i(x,1) | i(m,1)
b: p({"is":1},[x=1]) p({"is":1},[x=1,m=1]))";
  const char* other_predicate = R"(a: i(x,1) | i(m,1)
b: p({"is":1},[x=1]) p({"is":2},[x=1,m=1]))";
  for (const Level level : {read_atomic, causal, prefix, snapshot_isolation, serializable}) {
    EXPECT_EQ(verdict(phantom, level), Verdict::violated) << info(level).name;
    EXPECT_EQ(verdict(other_predicate, level), Verdict::holds) << info(level).name;
    expect_proof(draw(phantom), level);
    expect_proof(draw(other_predicate), level);
  }
  EXPECT_EQ(verdict(phantom, repeatable_read), Verdict::holds);
}

TEST(Queries, PredicateWriteSkewShowsByLearnedPredicates) {
  // Both doctors go off call after each has seen that both are on call.
  const char* skew = R"(a: i(x,1) i(y,1) | p({"is":"on"},[x=1,y=1]) w(x,2)
b: p({"is":"on"},[x=1,y=1]) w(y,2))";
  // A third one, of whom the executions of others show that she is on call, is missed by one.
  const char* insert = R"(a: p({"is":"on"},[]) i(x,1) | p({"is":"on"},[x=1,y=1])
b: p({"is":"on"},[]) i(y,1))";
  for (const char* drawn : {skew, insert}) {
    EXPECT_EQ(verdict(drawn, snapshot_isolation), Verdict::holds) << drawn;
    EXPECT_EQ(verdict(drawn, serializable), Verdict::violated) << drawn;
    expect_proof(draw(drawn), snapshot_isolation);
    expect_proof(draw(drawn), serializable);
  }
}

// Of others reads prove nothing, so nothing is learned from them either.
TEST(Queries, NothingIsLearnedFromTransactionsThatDidNotCommit) {
  for (const char* fate : {"!", "?"}) {
    const std::string drawn = R"(a: i(m,1)
b: r(m,1) p({"is":1},[])
c: p({"is":1},[m=1]))" + std::string(fate);
    EXPECT_EQ(verdict(drawn, serializable), Verdict::holds) << drawn;
  }
  EXPECT_EQ(verdict("a: i(m,1)\nb: r(m,1) p({\"is\":1},[])\nc: p({\"is\":1},[m=1])", serializable),
            Verdict::violated);
}

// A row from before the first transaction is learned like any other.
TEST(Queries, ALearnedPredicateKnowsOfRowsThatWereLoaded) {
  EXPECT_EQ(verdict(R"(a: p({"is":1},[m=0]) | p({"is":1},[]))", serializable), Verdict::violated);
  EXPECT_EQ(verdict(R"(a: p({"is":1},[m=0]) | w(m,1) | p({"is":1},[]))", serializable), Verdict::holds);
  EXPECT_EQ(verdict(R"(a: p({"is":1},[m=0]) | d(m) | p({"is":1},[]))", serializable), Verdict::undecided);
}

// Only an object that begins with "is" vouches for itself.
TEST(Queries, AnotherObjectIsNoIdentity) {
  EXPECT_EQ(verdict(R"(a: p({"id":1},[]))", serializable), Verdict::undecided);
}

// A delete of what was never there is a write like any other, and a query that covers the key may have read
// it: from whom, the certificate has to say.
TEST(Queries, AKeyThatWasOnlyEverDeletedIsReadToo) {
  for (const char* drawn : {
           "a: w(j,1) w(l,2) | d(k)\nb: g(i..l,[l=2])",
           "a: w(j,1) d(k) | w(l,5)\nb: g(k..l,[l=5]) | r(j,0)",
           "a: w(j,1) d(k) | w(l,5)\nb: g(j..l,[l=5])",
           "a: w(j,1) d(k) | w(l,5)\nb: g(k..l,[l=5]) r(j,0)",
           "a: d(k)?\nb: g(j..l,[])",
           "a: d(k)! | w(j,1)\nb: g(j..l,[])",
       }) {
    const History h = draw(drawn);
    for (const LevelInfo& level : levels()) {
      if (level.real_time) continue;
      SCOPED_TRACE(std::string(drawn) + "\n" + std::string(level.name));
      expect_proof(h, level.level);
    }
  }
}

// By way of c the delete of b is visible to d, so d can have seen the absence of k only from b; and b had
// seen x. Without the query nothing leads from x to d in so few steps.
TEST(Queries, FromWhomAnAbsenceIsReadMatters) {
  const char* with_query = "a: w(x,1)\nb: r(x,1) w(y,1) d(k)\nc: r(y,1) w(z,1)\nd: r(z,1) g(k..k,[]) r(x,0)";
  const char* without = "a: w(x,1)\nb: r(x,1) w(y,1) d(k)\nc: r(y,1) w(z,1)\nd: r(z,1) r(x,0)";
  EXPECT_EQ(verdict(with_query, writes_follow_reads), Verdict::violated);
  EXPECT_EQ(verdict(without, writes_follow_reads), Verdict::holds);
  expect_proof(draw(with_query), writes_follow_reads);
  expect_proof(draw(without), writes_follow_reads);
}

TEST(Queries, ARowMayBeMissingBecauseSomebodyDeletedIt) {
  EXPECT_EQ(verdict("a: i(m,1) | d(m)\nb: g(a..z,[m=1]) | g(a..z,[])", serializable), Verdict::holds);
  EXPECT_EQ(verdict("a: i(m,1)\nb: g(a..z,[m=1]) | g(a..z,[])", serializable), Verdict::violated);
  EXPECT_EQ(verdict("a: i(m,1)\nb: g(a..z,[m=1]) | g(n..z,[])", serializable), Verdict::holds)
      << "not asked for";
}

TEST(Queries, RepeatableReadKeepsTheRowsThatWereRead) {
  EXPECT_EQ(verdict("a: w(m,1) | w(m,2)\nb: g(a..z,[m=1]) g(a..z,[m=2])", repeatable_read),
            Verdict::violated);
  EXPECT_EQ(verdict("a: w(m,1) | w(n,2)\nb: g(a..z,[m=1]) g(a..z,[m=1,n=2])", repeatable_read),
            Verdict::holds);
}

TEST(Queries, RowsOfOneQueryAreSeenAtOnce) {
  const char* half = "a: i(m,1) i(n,1)\nb: g(a..z,[m=1])";
  EXPECT_EQ(verdict(half, read_committed), Verdict::holds);
  EXPECT_EQ(verdict("a: i(m,1) i(n,1)\nb: r(m,1) g(a..z,[m=1])", read_committed), Verdict::violated);
  EXPECT_EQ(verdict(half, read_atomic), Verdict::violated);
}

TEST(Queries, OwnWritesComeFirst) {
  EXPECT_EQ(verdict("a: i(m,1) g(a..z,[m=1])", serializable), Verdict::holds);
  const History h = draw("a: i(m,1) g(a..z,[])");
  const Outcome outcome = decide(h, read_committed);
  ASSERT_EQ(outcome.bad_reads.size(), 1U);
  EXPECT_EQ(outcome.bad_reads[0].kind, BadRead::Kind::internal);
  EXPECT_EQ(
      report::sentence(h, outcome.bad_reads[0]),
      "transaction 0 of session a asked for all rows between a and z and did not see row m, although it had "
      "itself done insert(m)=1 before and should have seen that.");
  expect_proof(h, read_committed);
  EXPECT_EQ(verdict("a: i(m,1)\nb: d(m) g(a..z,[])", serializable), Verdict::holds);
  EXPECT_EQ(verdict("a: i(m,1)\nb: d(m) g(a..z,[m=1])", read_committed), Verdict::violated);
}

TEST(Queries, ReturnedRowsAreReads) {
  const History h = draw("a: w(m,1)!\nb: g(a..z,[m=1])");
  EXPECT_EQ(decide(h, read_committed).bad_reads.at(0).kind, BadRead::Kind::aborted);
  expect_proof(h, serializable);
}

TEST(Queries, APredicateMissesRowsThatDoNotMatch) {
  EXPECT_EQ(verdict("a: i(m,1) | w(m,9)\nb: p(value < 5,[m=1]) | p(value < 5,[])", serializable),
            Verdict::holds);
  EXPECT_EQ(verdict("a: i(m,1) | w(m,2)\nb: p(value < 5,[m=1]) | p(value < 5,[])", serializable),
            Verdict::violated);
  expect_proof(draw("a: i(m,1) | w(m,2)\nb: p(value < 5,[m=1]) | p(value < 5,[])"), serializable);
}

TEST(Queries, WhatIsNotUnderstoodIsNotSaidToHold) {
  for (const char* drawing : {
           "a: i(m,1)\nb: p(colour is red,[m=1])",      // the predicate
           "a: i(m,7)\nb: p(value < 5,[m=7])",          // a row that does not match
           "a: i(m,1)\nb: g(n..z,[m=1])",               // a row outside of the range
           "a: i(m,1) | w(m,2)\nb: g(a..z,[m=1,m=2])",  // a row twice
           "a: a(m,1)\nb: g(a..z,[m=1])",               // a list
       }) {
    for (const Level level : {read_committed, repeatable_read, serializable}) {
      const Outcome outcome = decide(draw(drawing), level);
      EXPECT_EQ(outcome.verdict, Verdict::undecided) << drawing;
      EXPECT_NE(outcome.reason, "") << drawing;
    }
  }
  EXPECT_EQ(verdict("a: w(m,1)\nb: p(colour is red,[m=1]) p(colour is red,[m=2])", serializable),
            Verdict::violated)
      << "what was returned is still evidence";
}

TEST(Queries, TooManyPairsAreRefusedBeforeTheyTakeMemory) {
  const History h = draw("a: i(m,1) | i(n,2)\nb: g(a..z,[]) | g(a..z,[])");
  const Expanded few = expand_queries(h, NotReturned::is_read, 3);
  EXPECT_NE(few.history.left_out(), "");
  EXPECT_EQ(few.history.operations(), 2U);
  EXPECT_EQ(expand_queries(h, NotReturned::is_read, 4).history.left_out(), "");
}

TEST(Queries, TombstonesAreRowsThatAreGone) {
  HistoryBuilder build;
  const Atom m = Atom::integer(5);
  const auto transaction = [&](const char* session, auto operations) {
    build.begin(build.session(Atom::string(session)), Atom::string(session));
    operations();
    build.end(Status::committed);
  };
  transaction("a", [&] { build.insert(m, Atom::integer(1)); });
  transaction("b", [&] { build.read(m, Atom::integer(1)), build.erase(m, Atom::integer(99)); });
  transaction(
      "c", [&] { build.read(m, Atom::integer(99)), build.range_read(Atom::integer(1), std::nullopt, {}); });
  const History h = build.finish();
  EXPECT_EQ(decide(h, serializable).verdict, Verdict::holds);
  expect_proof(h, serializable);
}

// A row that was loaded, that nobody deleted and that a range does not show is lost.
TEST(Queries, LoadedRowsAreThere) {
  const testing::OwnedInput input(
      R"({"s":"load","t":1,"status":"ok","ops":[["w",3,30],["w",4,40]]}
{"s":"a","t":1,"status":"ok","ops":[["range",1,9,[[3,30]]]]}
)");
  const History folded = format::read_history(
      input, {format::Initial::first_transaction, format::FailedStatements::unknown}, "jsonl");
  EXPECT_TRUE(folded.initial_is_row(Key{0}) && folded.initial_is_row(Key{1}));
  const Outcome outcome = decide(folded, read_committed);
  ASSERT_EQ(outcome.bad_reads.size(), 1U);
  EXPECT_EQ(outcome.bad_reads[0].kind, BadRead::Kind::thin_air);
  expect_proof(folded, serializable);
}

}  // namespace
}  // namespace assay::check
