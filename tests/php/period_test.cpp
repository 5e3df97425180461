// Audits that follow each other on the forum: each begins with the state in which the one before has ended,
// and requests are in flight where the trace is cut.
#include "audit/period/period.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "audit/draft.hpp"
#include "audit/frame_file.hpp"
#include "audit/period/state_folder.hpp"
#include "audit/tamper.hpp"
#include "audited.hpp"
#include "recording.hpp"
#include "system/input_error.hpp"

namespace assay::php::testing {
namespace {

using audit::Decision;

// One audit after the other of what a forum recorded.
class Auditing {
 public:
  explicit Auditing(const Recording& recording) : recording_(recording), state_(recording.initial()) {}

  // If another one goes on, `next` is what it begins with.
  enum class Last : bool { no, yes };
  audit::Verdict period(const std::string& trace_bytes, audit::Reports reports, Last last) {
    const audit::Trace trace =
        state_.carried ? audit::Trace("trace", trace_bytes, state_.carried->cut, state_.carried->requests)
                       : audit::Trace("trace", trace_bytes);
    audit::limit_to_period(reports, trace, {state_.carried.get(), last == Last::no});
    audit::AuditOptions options;
    if (last == Last::no) {
      options.next = own_ / ("state-" + std::to_string(++states_));
      std::filesystem::create_directory(options.next);
    }
    audit::Verdict verdict =
        audited(recording_.php, ASSAY_SOURCE_DIR "/tests/apps/forum", trace, reports, state_, {}, options);
    if (last == Last::no && verdict.decision == Decision::accepted) next_ = options.next;
    return verdict;
  }
  audit::Verdict period(const std::string& trace_bytes, Last last) {
    return period(trace_bytes, audit::Reports::read_folder(recording_.php.reports()), last);
  }
  void go_on() { state_ = audit::read_state_folder(next_); }
  const audit::InitialState& state() const { return state_; }
  const std::filesystem::path& next() const { return next_; }

 private:
  const Recording& recording_;
  audit::InitialState state_;
  Folder own_;
  std::filesystem::path next_;
  int states_ = 0;
};

// Up to the first place behind this part of the trace where so many requests are in flight; several: where
// another one has just ended.
std::string cut(const std::string& bytes, double part, int in_flight) {
  audit::FrameFile file("trace", bytes, audit::wire::kTraceMagic);
  int here = 0;
  while (const auto frame = file.next()) {
    const bool arrives = frame->view.tag == static_cast<std::uint32_t>(audit::wire::Tag::request);
    here += arrives ? 1 : -1;
    const bool far_enough = static_cast<double>(file.position()) >= part * static_cast<double>(bytes.size());
    if (far_enough && here >= in_flight && (in_flight == 1 || !arrives))
      return bytes.substr(0, file.position());
  }
  ADD_FAILURE() << "there were never " << in_flight << " requests in flight";
  return bytes;
}

TEST(PhpPeriods, ThreeInARowWithRequestsInFlightAreAccepted) {
  Recording recording;
  recording.visit(8, 8, 40);
  Auditing auditing(recording);
  const std::string whole = recording.trace.bytes();
  for (const double begin : {0.33, 0.66}) {
    // Whether those in flight have already done something that others saw is chance.
    bool seen = false;
    for (double part = begin; part < begin + 0.3 && !seen; part += 0.01) {
      const audit::Verdict verdict = auditing.period(cut(whole, part, 3), Auditing::Last::no);
      ASSERT_EQ(verdict.decision, Decision::accepted) << told(verdict);
      seen = !audit::read_state_folder(auditing.next()).carried->operations.empty();
    }
    EXPECT_TRUE(seen) << "nobody in flight had done anything at any cut";
    auditing.go_on();
  }
  const audit::Verdict verdict = auditing.period(whole, Auditing::Last::yes);
  EXPECT_EQ(verdict.decision, Decision::accepted) << told(verdict);
}

// What of the recording happened from request `first` on: there lies are planted. The rest is added afterwards.
struct Part {
  audit::Draft later, earlier;
  Part(const audit::Draft& whole, std::uint64_t first) {
    const auto sort_out = [&](const auto& from, auto audit::Draft::*member) {
      for (const auto& each : from) ((each.rid < first ? earlier : later).*member).push_back(each);
    };
    sort_out(whole.events, &audit::Draft::events);
    sort_out(whole.operations, &audit::Draft::operations);
    sort_out(whole.counts, &audit::Draft::counts);
    sort_out(whole.groups, &audit::Draft::groups);
    sort_out(whole.values, &audit::Draft::values);
    later.properties = whole.properties;
  }
  audit::Draft joined() const {
    audit::Draft all = earlier;
    const auto add = [&](auto audit::Draft::*member) {
      (all.*member).insert((all.*member).end(), (later.*member).begin(), (later.*member).end());
    };
    add(&audit::Draft::events);
    add(&audit::Draft::operations);
    add(&audit::Draft::counts);
    add(&audit::Draft::groups);
    add(&audit::Draft::values);
    all.properties = later.properties;
    return all;
  }
};

TEST(PhpPeriods, EveryLieInTheSecondOneIsRejected) {
  Recording recording;
  recording.visit(2, 1, 100);
  // As the collector and one worker would have written it.
  const audit::Draft honest(audit::Trace("trace", recording.trace.bytes()),
                            audit::Reports::read_folder(recording.php.reports()));
  const std::string first_trace = cut(honest.trace_file(), 0.5, 1);
  const std::uint64_t last_rid = audit::Trace("trace", first_trace).end().last_rid;
  Auditing auditing(recording);
  const audit::Verdict first = auditing.period(first_trace, Auditing::Last::no);
  ASSERT_EQ(first.decision, Decision::accepted) << told(first);
  auditing.go_on();
  std::size_t planted = 0;
  for (const audit::Lie& lie : audit::lies()) {
    Part part(honest, last_rid + 1);
    if (!lie.plant(part.later, 1)) continue;
    ++planted;
    const audit::Draft draft = part.joined();
    const audit::Verdict verdict =
        auditing.period(draft.trace_file(), WrittenDraft(draft).reports(), Auditing::Last::yes);
    const auto expected = lie.harmless ? Decision::accepted : Decision::rejected;
    EXPECT_EQ(verdict.decision, expected) << lie.name << ": " << told(verdict);
  }
  EXPECT_GT(planted, 10U);
}

void change_database(const std::string& file) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, "UPDATE threads SET title = title || '!'", nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  EXPECT_GT(sqlite3_total_changes(db), 0);
  sqlite3_close(db);
}

TEST(PhpPeriods, AStateThatChangedBetweenThemIsNoticed) {
  Recording recording;
  recording.visit(2, 2, 30);
  Auditing auditing(recording);
  const audit::Verdict first = auditing.period(recording.trace.bytes(), Auditing::Last::no);
  ASSERT_EQ(first.decision, Decision::accepted) << told(first);
  auditing.go_on();

  // At the server: its pages are not what the program makes of the state that the auditor has.
  change_database(recording.php.data() + "/forum.sqlite");
  recording.visit(2, 2, 30);
  const audit::Verdict second = auditing.period(recording.trace.bytes(), Auditing::Last::yes);
  EXPECT_EQ(second.decision, Decision::rejected) << told(second);

  // At the auditor: its files have checksums.
  for (const auto& entry : std::filesystem::directory_iterator(auditing.next())) {
    if (entry.path().extension() == ".sqlite") change_database(entry.path().string());
  }
  EXPECT_THROW(auditing.go_on(), InputError);
}

}  // namespace
}  // namespace assay::php::testing
