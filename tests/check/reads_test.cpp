#include "check/reads.hpp"

#include <gtest/gtest.h>

#include "support/random/draw.hpp"

namespace assay::check {
namespace {

using Kind = BadRead::Kind;

BadRead only_bad_read(const History& h) {
  const Reads reads = resolve_reads(h);
  EXPECT_EQ(reads.bad_reads().size(), 1U);
  if (reads.bad_reads().empty()) return {};
  return reads.bad_reads()[0];
}

void expect_fine(std::string_view drawing) {
  const History h = draw(drawing);
  EXPECT_TRUE(resolve_reads(h).bad_reads().empty()) << drawing;
}

TEST(Reads, OfOnesOwnWriteMustSeeIt) {
  const BadRead bad = only_bad_read(draw("a: w(x,1) r(x,2)\nb: w(x,2)"));
  EXPECT_EQ(bad.kind, Kind::internal);
  EXPECT_EQ(bad.read, Op{1});
  EXPECT_EQ(bad.write, Op{0});
  EXPECT_EQ(only_bad_read(draw("a: w(x,1) w(x,2) r(x,1)")).kind, Kind::internal);
  EXPECT_EQ(only_bad_read(draw("a: w(x,1) r(x,0)")).kind, Kind::internal);
  expect_fine("a: w(x,1) r(x,1) w(x,2) r(x,2)\nb: r(x,2)");
}

TEST(Reads, OfAbortedIntermediateFutureAndThinAirValues) {
  const BadRead aborted = only_bad_read(draw("a: w(x,1)!\nb: r(x,1)"));
  EXPECT_EQ(aborted.kind, Kind::aborted);
  EXPECT_EQ(aborted.write, Op{0});
  const BadRead intermediate = only_bad_read(draw("a: w(x,1) w(x,2)\nb: r(x,1)"));
  EXPECT_EQ(intermediate.kind, Kind::intermediate);
  EXPECT_EQ(intermediate.write, Op{0});
  const BadRead future = only_bad_read(draw("a: r(x,1) w(x,1)"));
  EXPECT_EQ(future.kind, Kind::future);
  EXPECT_EQ(future.write, Op{1});
  const BadRead thin_air = only_bad_read(draw("a: r(x,1)\nb: w(y,1)"));
  EXPECT_EQ(thin_air.kind, Kind::thin_air);
  EXPECT_EQ(thin_air.write, thin_air.read);
}

TEST(Reads, InTransactionsThatDidNotCommitAreNoEvidence) {
  expect_fine("a: r(x,7)!\nb: r(x,8)?");
}

TEST(Reads, AnAbortedWriterOfAValueDoesNotHideACommittedOne) {
  const History h = draw("a: w(x,1)!\nb: w(x,1)\nc: r(x,1)");
  const Reads reads = resolve_reads(h);
  EXPECT_TRUE(reads.bad_reads().empty());
  ASSERT_EQ(reads.reads_of(Txn{2}).size(), 1U);
  EXPECT_EQ(reads.writer(reads.reads_of(Txn{2})[0].write()), Txn{1});
}

TEST(Reads, SeveralWritersOfOneValueAreCandidates) {
  const History h = draw("a: w(x,7)\nb: w(x,7)\nc: r(x,7)\nd: r(x,7)\ne: r(x,7) w(x,7)");
  const Reads reads = resolve_reads(h);
  const Source c = reads.reads_of(Txn{2})[0];
  ASSERT_TRUE(c.is_ambiguous());
  EXPECT_EQ(reads.candidates(c.set()).size(), 3U);
  EXPECT_EQ(c, reads.reads_of(Txn{3})[0]) << "readers of one version share one set";
  const Source e = reads.reads_of(Txn{4})[0];
  ASSERT_TRUE(e.is_ambiguous());
  EXPECT_EQ(reads.candidates(e.set()).size(), 2U) << "nobody reads its own later write";
  const History two = draw("a: w(x,7)\nb: r(x,7) w(x,7)");
  EXPECT_FALSE(resolve_reads(two).reads_of(Txn{1})[0].is_ambiguous());
  EXPECT_EQ(resolve_reads(two).ambiguous_sets(), 0U);
}

TEST(Reads, ADeleteWritesTheAbsentVersion) {
  const History h = draw("a: w(x,1) | d(x)\nb: r(x,0)");
  const Reads reads = resolve_reads(h);
  const Source b = reads.reads_of(Txn{2})[0];
  ASSERT_TRUE(b.is_ambiguous());
  EXPECT_TRUE(reads.is_initial(reads.candidates(b.set())[0]));
  EXPECT_EQ(reads.writer(reads.candidates(b.set())[1]), Txn{1});
}

TEST(Reads, UnknownTransactionsCountWhenSomebodyReadFromThem) {
  const History h = draw("a: w(x,1)?\nb: w(y,1)?\nc: w(z,1)?\nd: w(z,1)\ne: r(x,1) r(z,1)");
  const Reads reads = resolve_reads(h);
  EXPECT_EQ(reads.presence(Txn{0}), Presence::present);
  EXPECT_EQ(reads.presence(Txn{1}), Presence::absent);
  EXPECT_EQ(reads.presence(Txn{2}), Presence::conditional);
  EXPECT_TRUE(reads.writes_of(Txn{1}).empty());
  EXPECT_EQ(reads.reads_of(Txn{4}).size(), 2U);
}

TEST(Reads, AnUnknownWriterThatOnlyTheReaderItselfCompetesWithIsCertain) {
  const Reads reads = resolve_reads(draw("a: w(x,1)?\nb: r(x,1) w(x,1)"));
  EXPECT_EQ(reads.presence(Txn{0}), Presence::present);
}

TEST(Reads, WritesAreTheLastPerKeyGroupedByKey) {
  const History h = draw("a: w(y,1) w(x,1) w(x,2)\nb: w(x,3)");
  const Reads reads = resolve_reads(h);
  EXPECT_EQ(reads.writes(), 5U) << "two initial, a's x and y, b's x";
  EXPECT_EQ(reads.writes_of(Txn{0}).size(), 2U);
  const Key x = h.key(Op{1});
  ASSERT_EQ(reads.writes_of(x).size(), 3U);
  EXPECT_EQ(reads.writer(reads.writes_of(x)[1]), Txn{0});
  EXPECT_EQ(reads.writer(reads.writes_of(x)[2]), Txn{1});
}

TEST(Reads, QueriesAreNotUnderstood) {
  EXPECT_TRUE(resolve_reads(draw("a: r(x,0)")).not_understood().empty());
  EXPECT_FALSE(resolve_reads(draw("a: a(x,1) | w(x,2)")).not_understood().empty());
  EXPECT_FALSE(resolve_reads(draw("a: a(x,1) | a(x,1)")).not_understood().empty());
}

TEST(Lists, MustEndWithOnesOwnAppends) {
  EXPECT_EQ(only_bad_read(draw("a: a(x,1) l(x,[])")).kind, Kind::internal);
  EXPECT_EQ(only_bad_read(draw("a: a(x,1) r(x,0)")).kind, Kind::internal);
  EXPECT_EQ(only_bad_read(draw("a: a(x,1) a(x,2) l(x,[2,1])")).kind, Kind::internal);
  expect_fine("a: a(x,1)\nb: a(x,2) l(x,[1,2]) a(x,3) l(x,[1,2,3])");
}

TEST(Lists, ShowOnlyWholeCommittedTransactions) {
  EXPECT_EQ(only_bad_read(draw("a: a(x,1)!\nb: a(x,2)\nc: l(x,[1,2])")).kind, Kind::aborted);
  EXPECT_EQ(only_bad_read(draw("a: a(x,1) a(x,2)\nb: l(x,[1])")).kind, Kind::intermediate);
  EXPECT_EQ(only_bad_read(draw("a: a(x,1) a(x,2)\nb: a(x,3)\nc: l(x,[1,3,2])")).kind, Kind::intermediate);
  EXPECT_EQ(only_bad_read(draw("a: a(x,1) a(x,2)\nb: l(x,[2])")).kind, Kind::incompatible_order);
  EXPECT_EQ(only_bad_read(draw("a: l(x,[1])")).kind, Kind::thin_air);
  EXPECT_EQ(only_bad_read(draw("a: l(x,[1]) a(x,1)")).kind, Kind::future);
}

TEST(Lists, AgreeOnOneOrder) {
  const BadRead bad = only_bad_read(draw("a: a(x,1)\nb: a(x,2)\nc: l(x,[1,2])\nd: l(x,[2,1])"));
  EXPECT_EQ(bad.kind, Kind::incompatible_order);
  EXPECT_EQ(bad.txn, Txn{3});
  EXPECT_EQ(only_bad_read(draw("a: a(x,1)\nc: l(x,[1,1])")).kind, Kind::incompatible_order);
}

TEST(Lists, GiveTheVersionOrder) {
  const History h = draw("a: a(x,1)\nb: a(x,2)\nc: a(x,3)\nd: l(x,[2,1])");
  const Reads reads = resolve_reads(h);
  ASSERT_EQ(reads.version_orders().size(), 2U);
  ASSERT_NE(reads.version_order(Txn{1}, Txn{0}), nullptr);
  EXPECT_EQ(reads.version_order(Txn{1}, Txn{0})->shown_by, Txn{3});
  EXPECT_NE(reads.version_order(Txn{0}, Txn{2}), nullptr) << "nobody saw 3, so it came later";
  EXPECT_EQ(reads.version_order(Txn{0}, Txn{1}), nullptr);
  ASSERT_EQ(reads.reads_of(Txn{3}).size(), 1U);
  EXPECT_EQ(reads.writer(reads.reads_of(Txn{3})[0].write()), Txn{0});
}

}  // namespace
}  // namespace assay::check
