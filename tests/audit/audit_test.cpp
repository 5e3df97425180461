// The whole audit on the little program (little_program.hpp): the paper's examples, and random honest and
// lying servers against a brute force over all interleavings.
#include "audit/audit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "audit/draft.hpp"
#include "audit/little_server.hpp"
#include "audit/period/period.hpp"
#include "audit/period/state_folder.hpp"
#include "audit/tamper.hpp"
#include "support/program.hpp"
#include "support/random/random_history.hpp"

namespace assay::audit::testing {
namespace {

// Audits drafts; the copies of the database live in a folder of its own.
class Auditor {
 public:
  Auditor() { make_database(folder_.file("initial.sqlite")); }

  Verdict audit(const Draft& draft) {
    const std::string trace_bytes = draft.trace_file();
    const std::string report_bytes = draft.report_file();
    const Trace trace("trace", trace_bytes);
    const Reports::File file{"report", report_bytes, "", std::nullopt};
    const Reports reports({&file, 1});
    LittleExecutor executor;
    const std::filesystem::path work = folder_ / "work";
    std::filesystem::remove_all(work);
    std::filesystem::create_directory(work);
    return audit::audit(trace, reports, initial(), executor, work);
  }

  // Audits in periods: after each of these numbers of events the trace is cut. The reports are those of the
  // whole. Gives the first verdict that is not to accept, or the last one.
  Verdict audit_periods(const Draft& draft, const std::vector<std::size_t>& cuts) {
    const std::string report_bytes = draft.report_file();
    InitialState state = initial();
    Verdict verdict;
    for (std::size_t period = 0; period <= cuts.size(); ++period) {
      const bool last = period == cuts.size();
      Draft beginning = draft;
      if (!last) beginning.events.resize(cuts[period]);
      verdict = audit_period(beginning.trace_file(), report_bytes, last, state);
      if (verdict.decision != Decision::accepted) return verdict;
      if (!last) state = read_state_folder(folder_ / "next");
    }
    return verdict;
  }

  // One period; the state after it is in the folder "next".
  Verdict audit_period(const std::string& trace_bytes, const std::string& report_bytes, bool last,
                       const InitialState& state) {
    const Trace trace = state.carried
                            ? Trace("trace", trace_bytes, state.carried->cut, state.carried->requests)
                            : Trace("trace", trace_bytes);
    const Reports::File file{"report", report_bytes, "", std::nullopt};
    Reports reports({&file, 1});
    limit_to_period(reports, trace, {state.carried.get(), !last});
    LittleExecutor executor;
    AuditOptions options;
    if (!last) options.next = fresh("leaving");
    const Verdict verdict = audit::audit(trace, reports, state, executor, fresh("work"), options);
    if (!last) std::filesystem::rename(options.next, emptied("next"));
    return verdict;
  }

  const std::filesystem::path& folder() const { return folder_.path(); }
  InitialState initial() const { return {{{std::string(kDatabase), folder_ / "initial.sqlite"}}, {}}; }

 private:
  std::filesystem::path emptied(const char* name) const {
    std::filesystem::remove_all(folder_ / name);
    return folder_ / name;
  }
  std::filesystem::path fresh(const char* name) const {
    std::filesystem::create_directory(emptied(name));
    return folder_ / name;
  }

  assay::testing::TemporaryFolder folder_;
};

std::string told(const Verdict& verdict) {
  if (!verdict.finding) return "accepted";
  return std::string(name(verdict.finding->reason)) + ": " + verdict.finding->sentence;
}

// ---- The paper's figure 3.4: f writes A and then reads B, g writes B and then reads A. Both print what they
// read. A second pair of scripts has them the other way around.

struct Example {
  Draft draft;
  explicit Example(bool concurrent) {
    const Script f{{Deed::add, 0, 1}, {Deed::write, 0, 0}, {Deed::read, 1, 0}, {Deed::print, 0, 0}};
    const Script g{{Deed::add, 0, 1}, {Deed::write, 1, 0}, {Deed::read, 0, 0}, {Deed::print, 0, 0}};
    draft.events.push_back({false, 1, 10, {}, 0, {}, encode(f)});
    draft.events.push_back({false, 2, concurrent ? 11U : 30U, {}, 0, {}, encode(g)});
    if (!concurrent) draft.events.insert(draft.events.begin() + 1, response(1, 20));
    if (concurrent) draft.events.push_back(response(1, 20));
    draft.events.push_back(response(2, 40));
    draft.counts = {{1, 2}, {2, 2}};
  }

  static DraftEvent response(std::uint64_t rid, std::uint64_t time) {
    return {true, rid, time, wire::EndReason::complete, 200, {{"Content-Type", "text/plain"}}, ""};
  }
  void answers(const std::string& first, const std::string& second) {
    for (DraftEvent& event : draft.events) {
      if (event.is_response) event.bytes = event.rid == 1 ? first : second;
    }
  }
  // Logs the write of `writer` and the read of `reader` on one session, in the order given.
  void log(const std::string& object, bool write_first, std::uint64_t writer, std::uint64_t reader) {
    const std::uint64_t read_seq = write_first ? 2 : 1;
    draft.operations.push_back({wire::ObjectKind::session, object, 3 - read_seq, writer, 1,
                                wire::OperationType::register_write, 0, "1"});
    draft.operations.push_back(
        {wire::ObjectKind::session, object, read_seq, reader, 2, wire::OperationType::register_read, 0, ""});
  }
};

TEST(AuditExamples, AResponseThatOnlyTheOtherOrderExplainsIsRejected) {
  Example a(false);  // r1 has its response before r2 arrives, and yet claims to have read r2's write
  a.answers("1;", "-1;");
  a.log("a", false, 1, 2);
  a.log("b", true, 2, 1);
  const Verdict verdict = Auditor().audit(a.draft);
  EXPECT_EQ(verdict.decision, Decision::rejected);
  ASSERT_EQ(verdict.finding->reason, Reason::cycle) << told(verdict);
  bool by_time = false;
  for (const Precedence& step : verdict.finding->cycle)
    by_time = by_time || step.kind == Precedence::Kind::time;
  EXPECT_TRUE(by_time) << told(verdict);
}

TEST(AuditExamples, TwoReadsThatBothMissTheOtherWriteAreRejected) {
  Example b(true);
  b.answers("-1;", "-1;");
  b.log("a", false, 1, 2);
  b.log("b", false, 2, 1);
  const Verdict verdict = Auditor().audit(b.draft);
  EXPECT_EQ(verdict.decision, Decision::rejected);
  ASSERT_EQ(verdict.finding->reason, Reason::cycle) << told(verdict);
  const std::vector<Precedence>& cycle = verdict.finding->cycle;
  ASSERT_EQ(cycle.size(), 4U) << told(verdict);  // two steps of programs, two of logs
  for (std::size_t i = 0; i < cycle.size(); ++i) EXPECT_EQ(cycle[i].to, cycle[(i + 1) % cycle.size()].from);
}

TEST(AuditExamples, ConcurrentRequestsThatReadEachOtherAreAccepted) {
  Example c(true);
  c.answers("1;", "1;");
  c.log("a", true, 1, 2);
  c.log("b", true, 2, 1);
  const Verdict verdict = Auditor().audit(c.draft);
  EXPECT_EQ(verdict.decision, Decision::accepted) << told(verdict);
  EXPECT_EQ(verdict.requests, 2U);
  EXPECT_EQ(verdict.operations, 4U);
}

// ---- Random servers

TEST(AuditRandom, HonestServersAreAccepted) {
  Auditor auditor;
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(1000); ++i) {
    Rng rng(seed + i);
    const Draft draft = serve(rng, {6, 8, 0.5, 0.2});
    const Verdict verdict = auditor.audit(draft);
    ASSERT_EQ(verdict.decision, Decision::accepted) << "seed " << seed + i << "\n"
                                                    << told(verdict) << "\n"
                                                    << describe(draft);
  }
}

// One or two, as their names.
std::string plant_lies(Rng& rng, Draft& draft) {
  std::string planted;
  for (std::uint32_t n = rng.between(1, 2); n > 0; --n) {
    const Lie& lie = lies()[rng.below(static_cast<std::uint32_t>(lies().size()))];
    if (lie.plant(draft, rng.next())) planted += std::string(lie.name) + " ";
  }
  return planted;
}

TEST(AuditRandom, TheVerdictIsThatOfAllInterleavings) {
  Auditor auditor;
  const std::uint64_t seed = random_seed();
  std::uint64_t accepted = 0, rejected = 0;
  for (std::uint64_t i = 0; i < random_cases(1000); ++i) {
    Rng rng(seed + i);
    Draft draft = serve(rng, {4, 5, 0.5, 0.2});
    const std::string planted = plant_lies(rng, draft);
    const bool expected = possible(draft);
    const Verdict verdict = auditor.audit(draft);
    if (verdict.decision == Decision::undecided && !expected) continue;
    ASSERT_EQ(verdict.decision == Decision::accepted, expected)
        << "seed " << seed + i << ", lies: " << planted << "\n"
        << told(verdict) << "\n"
        << describe(draft);
    ++(expected ? accepted : rejected);
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_GT(rejected, 0U);
}

// ---- Periods

std::vector<std::size_t> random_cuts(Rng& rng, const Draft& draft) {
  std::vector<std::size_t> cuts;
  for (std::uint32_t n = rng.between(1, 3); n > 0; --n)
    cuts.push_back(rng.below(static_cast<std::uint32_t>(draft.events.size()) + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

TEST(AuditPeriods, HonestServersAreAcceptedWhereverTheTraceIsCut) {
  Auditor auditor;
  const std::uint64_t seed = random_seed();
  for (std::uint64_t i = 0; i < random_cases(1000); ++i) {
    Rng rng(seed + i);
    const Draft draft = serve(rng, {6, 8, 0.7, 0.2});
    const std::vector<std::size_t> cuts = random_cuts(rng, draft);
    const Verdict verdict = auditor.audit_periods(draft, cuts);
    ASSERT_EQ(verdict.decision, Decision::accepted)
        << "seed " << seed + i << ", cuts " << ::testing::PrintToString(cuts) << "\n"
        << told(verdict) << "\n"
        << describe(draft);
  }
}

TEST(AuditPeriods, TheVerdictIsThatOfTheWhole) {
  Auditor auditor;
  const std::uint64_t seed = random_seed();
  std::uint64_t accepted = 0, rejected = 0;
  for (std::uint64_t i = 0; i < random_cases(2000); ++i) {
    Rng rng(seed + i);
    Draft draft = serve(rng, {6, 6, 0.6, 0.2});
    const std::string planted = plant_lies(rng, draft);
    const std::vector<std::size_t> cuts = random_cuts(rng, draft);
    const Verdict whole = auditor.audit(draft);
    const Verdict parts = auditor.audit_periods(draft, cuts);
    if (whole.decision != Decision::accepted && parts.decision == Decision::undecided) continue;
    if (whole.decision == Decision::undecided) continue;
    ASSERT_EQ(parts.decision, whole.decision)
        << "seed " << seed + i << ", lies: " << planted << ", cuts " << ::testing::PrintToString(cuts) << "\n"
        << "whole: " << told(whole) << "\nperiods: " << told(parts) << "\n"
        << describe(draft);
    ++(whole.decision == Decision::accepted ? accepted : rejected);
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_GT(rejected, 0U);
}

}  // namespace
}  // namespace assay::audit::testing
