// MediaWiki from Debian's package, unmodified: recorded on php-fpm, then run again without its databases.
// ASSAY_MEDIAWIKI_REQUESTS says how many requests (bench/audit/mediawiki: 5,000).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

#include "audit/draft.hpp"
#include "audit/redo.hpp"
#include "audit/tamper.hpp"
#include "audited.hpp"
#include "wiki.hpp"

namespace assay::php::testing {
namespace {

int requests_wanted() {
  const char* wanted = std::getenv("ASSAY_MEDIAWIKI_REQUESTS");
  return wanted != nullptr ? std::atoi(wanted) : 60;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}
// Of this process and of the children that have ended, in seconds.
double cpu() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    sum += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return sum;
}
double cpu_of(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/schedstat");
  double nanoseconds = 0;
  in >> nanoseconds;
  return nanoseconds / 1e9;
}

// The same requests on a wiki without the recorder: what it costs to run them.
double plain_cpu(const Wiki& made, const std::vector<WikiClick>& clicks) {
  Wiki plain(Recorder::absent);
  plain.copy_of(made);
  const Fpm fpm(plain.php(), 1);
  const double before = cpu_of(fpm.workers().front());
  for (const WikiClick& click : clicks) plain.click(fpm.socket(), click);
  return cpu_of(fpm.workers().front()) - before;
}

class PhpMediaWiki : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Wiki::is_installed()) GTEST_SKIP() << "Debian's package mediawiki is not installed";
    ASSERT_TRUE(wiki_.make()) << read_file(wiki_.home() + "/setup.log");
  }
  audit::Verdict check_draft(const audit::Draft& draft) {
    const WrittenDraft written(draft);
    return wiki_.check(written.trace(), written.reports());
  }

  Wiki wiki_{Recorder::on};
};

TEST_F(PhpMediaWiki, ManyUsersAreAccepted) {
  constexpr int kWorkers = 8;
  {
    const Fpm fpm(wiki_.php(), kWorkers);
    std::atomic<int> left = requests_wanted();
    std::vector<std::thread> users;
    for (std::uint64_t seed = 1; seed <= kWorkers; ++seed) {
      users.emplace_back([&, seed] {
        WikiUser user(wiki_, fpm.socket(), seed);
        while (left-- > 0) user.act();
      });
    }
    for (std::thread& user : users) user.join();
  }
  const audit::Trace trace("trace", wiki_.trace().bytes());
  const audit::Reports reports = audit::Reports::read_folder(wiki_.php().reports());
  const double start = cpu();
  const audit::Verdict verdict = wiki_.check(trace, reports);
  const double audited = cpu() - start;
  EXPECT_EQ(verdict.decision, audit::Decision::accepted) << told(verdict);
  const Folder own;
  const double redo_start = cpu();
  const audit::Redone redone =
      audit::redo(trace, reports, wiki_.initial(), own.path(), audit::SqliteLimits{});
  const double redo = cpu() - redo_start;
  EXPECT_FALSE(redone.finding.has_value());
  const double plain = plain_cpu(wiki_, wiki_.clicks());
  std::cout << verdict.requests << " requests, " << verdict.operations << " operations: plain execution "
            << plain << " s of CPU, the audit " << audited << " s (" << audited / plain << " times), redo "
            << redo << " s (" << 100 * redo / plain << " %)\n";
  // The one lie that has a place only where requests get in each other's way, if they did.
  audit::Draft draft(trace, reports);
  if (!audit::find_lie("not-busy")->plant(draft, 1)) return;
  const audit::Verdict lied = check_draft(draft);
  EXPECT_EQ(lied.decision, audit::Decision::rejected) << told(lied);
  std::cout << "not-busy: " << told(lied).substr(0, 160) << "\n";
}

// Whatever is denied of it as a group is run singly: the verdict is the same.
TEST_F(PhpMediaWiki, ViewsAsGroupsAreAccepted) {
  {
    const Fpm fpm(wiki_.php(), 1);
    for (int round = 0; round < 2; ++round) {  // the first fills the caches
      for (int page = 1; page <= 8; ++page)
        wiki_.click(fpm.socket(), {"GET", "/index.php", "title=Page_" + std::to_string(page), "", ""});
    }
  }
  const audit::Trace trace("trace", wiki_.trace().bytes());
  const audit::Reports reports = audit::Reports::read_folder(wiki_.php().reports());
  audit::BatchTally tally;
  const audit::Verdict verdict =
      audited(wiki_.php(), wiki_.home() + "/w", trace, reports, wiki_.initial(), {}, {}, 8, &tally);
  EXPECT_EQ(verdict.decision, audit::Decision::accepted) << told(verdict);
  EXPECT_GT(tally.groups, 0U);
  std::cout << tally.groups << " groups, " << tally.agreed << " of " << tally.requests
            << " requests need not be run singly\n";
  for (const auto& [why, groups] : tally.denials) std::cout << groups << " denied: " << why << "\n";
}

// One user, for of requests that overlap another order may be just as true; and without lies about random numbers, of
// which some show nowhere.
TEST_F(PhpMediaWiki, EveryLieIsRejected) {
  {
    const Fpm fpm(wiki_.php(), 2);
    WikiUser user(wiki_, fpm.socket(), 7);
    for (int i = 0; i < 40; ++i) user.act();
  }
  const audit::Trace honest_trace("trace", wiki_.trace().bytes());
  const audit::Reports honest_reports = audit::Reports::read_folder(wiki_.php().reports());
  const audit::Verdict honest = wiki_.check(honest_trace, honest_reports);
  ASSERT_EQ(honest.decision, audit::Decision::accepted) << told(honest);
  std::size_t planted = 0;
  for (const audit::Lie& lie : audit::lies()) {
    audit::Draft draft(honest_trace, honest_reports);
    if (lie.name == "random") continue;
    if (!lie.plant(draft, 1)) {
      std::cout << lie.name << ": has no place here\n";
      continue;
    }
    ++planted;
    const audit::Verdict verdict = check_draft(draft);
    const auto expected = lie.harmless ? audit::Decision::accepted : audit::Decision::rejected;
    EXPECT_EQ(verdict.decision, expected) << lie.name << ": " << told(verdict);
    std::cout << lie.name << ": " << told(verdict).substr(0, 160) << "\n";
  }
  EXPECT_GT(planted, 10U);
}

}  // namespace
}  // namespace assay::php::testing
