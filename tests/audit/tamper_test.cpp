// Each lie by name, planted in an honest run in which everything matters: every value that is written is read
// and printed later, one request after the other.
#include "audit/tamper.hpp"

#include <gtest/gtest.h>

#include "audit/audit.hpp"
#include "audit/little_server.hpp"
#include "support/program.hpp"

namespace assay::audit::testing {
namespace {

// Each request reads what the one before wrote, adds to it, writes it back, and prints what it saw.
Draft telling_run(bool alike = false) {
  std::vector<Script> scripts;
  for (std::int8_t i = 1; i <= 6; ++i) {
    const std::int8_t n = alike ? 1 : i;
    scripts.push_back({{Deed::open, 0, 0},   {Deed::clock, 0, 0},
                       {Deed::print, 0, 0},  {Deed::read, 0, 0},
                       {Deed::print, 0, 0},  {Deed::add, 0, n},
                       {Deed::write, 0, 0},  {Deed::random, 0, 0},
                       {Deed::print, 0, 0},  {Deed::begin_immediate, 0, 0},
                       {Deed::select, 1, 0}, {Deed::print, 0, 0},
                       {Deed::add, 0, n},    {Deed::update, 1, 0},
                       {Deed::print, 0, 0},  {Deed::fetch, 1, 0},
                       {Deed::print, 0, 0},  {Deed::add, 0, n},
                       {Deed::store, 1, 0},  {Deed::commit, 0, 0},
                       {Deed::print, 0, 0},  {Deed::sql_append, 0, 0},
                       {Deed::print, 0, 0},  {Deed::clock, 0, 0},
                       {Deed::print, 0, 0},  {Deed::close, 0, 0}});
  }
  return serve_in_turn(scripts);
}

class AuditTamper : public ::testing::TestWithParam<Lie> {
 public:
  AuditTamper() { make_database(folder_.file("initial.sqlite")); }

  Verdict audit(const Draft& draft) {
    const std::string trace_bytes = draft.trace_file(), report_bytes = draft.report_file();
    const Trace trace("trace", trace_bytes);
    const Reports::File file{"report", report_bytes, "", std::nullopt};
    const Reports reports({&file, 1});
    LittleExecutor executor;
    std::filesystem::remove_all(folder_ / "work");
    std::filesystem::create_directory(folder_ / "work");
    return audit::audit(trace, reports, {{{std::string(kDatabase), folder_ / "initial.sqlite"}}}, executor,
                        folder_ / "work");
  }

 private:
  assay::testing::TemporaryFolder folder_;
};

TEST_P(AuditTamper, IsFound) {
  const Lie& lie = GetParam();
  Draft honest = telling_run();
  ASSERT_EQ(audit(honest).decision, Decision::accepted) << audit(honest).finding->sentence;
  if (lie.name == "not-busy") {
    // A lock that somebody else held: the last request tried for it while the one before had it.
    const Script holder{{Deed::lock_exclusive, 0, 0}, {Deed::print, 0, 0}};
    honest = serve_in_turn({holder, holder});
    ASSERT_EQ(audit(honest).decision, Decision::accepted);
  }
  if (lie.name == "response-stale" || lie.name == "login-forged") {
    honest = telling_run(true);
    for (DraftEvent& event : honest.events) {
      if (!event.is_response && lie.name == "login-forged")
        event.pairs.emplace_back("HTTP_COOKIE", std::to_string(event.rid));
    }
    ASSERT_EQ(audit(honest).decision, Decision::accepted);
  }
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Draft draft = honest;
    ASSERT_TRUE(lie.plant(draft, seed)) << lie.name;
    const Verdict verdict = audit(draft);
    if (lie.harmless) {
      EXPECT_EQ(verdict.decision, Decision::accepted)
          << lie.name << " seed " << seed << ": " << verdict.finding->sentence;
    } else {
      ASSERT_EQ(verdict.decision, Decision::rejected) << lie.name << " seed " << seed << "\n"
                                                      << describe(draft);
      EXPECT_FALSE(verdict.finding->sentence.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lies, AuditTamper, ::testing::ValuesIn(lies().begin(), lies().end()),
                         [](const auto& lie) {
                           std::string name(lie.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(AuditTamperTable, NamesAreFoundAndDistinct) {
  for (const Lie& lie : lies()) {
    EXPECT_EQ(find_lie(lie.name), &lie);
    EXPECT_FALSE(lie.description.empty());
  }
  EXPECT_EQ(find_lie("no such lie"), nullptr);
}

TEST(AuditTamperTable, ALieWithoutAPlaceChangesNothing) {
  for (const Lie& lie : lies()) {
    Draft nothing;
    EXPECT_FALSE(lie.plant(nothing, 1)) << lie.name;
    EXPECT_TRUE(nothing.events.empty() && nothing.operations.empty());
  }
}

}  // namespace
}  // namespace assay::audit::testing
