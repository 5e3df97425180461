// The recorder in real PHP processes: it changes no answer, and what it writes is what happened.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>

#include <atomic>
#include <regex>
#include <set>
#include <thread>

#include "redo.hpp"
#include "reports.hpp"
#include "server.hpp"
#include "visitor.hpp"

namespace assay::php::testing {
namespace {

const std::string kScripts = ASSAY_SOURCE_DIR "/tests/php/scripts/";

// What chance and the time of day decide, taken out.
std::string masked(const Response& response) {
  std::string text = std::to_string(response.status) + "\n";
  for (const auto& [name, value] : response.headers) text += name + ": " + value + "\n";
  text += response.body;
  static const std::regex kChance(
      "X-Request-Mark: [0-9a-f]+|PHPSESSID=[^;]+|expires=[^;]+|<footer>.*</footer>|(just now|[0-9]+ "
      "(minute|hour|day)s? ago)");
  return std::regex_replace(text, kChance, "*");
}

Response run_script(const PhpFolder& php, const std::string& script, const std::string& query,
                    std::uint64_t rid) {
  Parameters parameters = parameters_for(kScripts + script, "GET", query, "", 0, rid);
  parameters.emplace_back("FORUM_DATA", php.data());
  return php.once(parameters, "");
}

struct Visit {
  std::size_t answered = 0;
  std::map<int, std::size_t> statuses;
  std::set<std::uint64_t> rids;
};

// Several visitors at once, each of them one click after the other. Stops early where the server goes away.
Visit visit(const std::string& socket, const std::string& data, int visitors, int clicks,
            std::uint64_t first_rid) {
  std::atomic<std::uint64_t> rid{first_rid};
  std::vector<Visit> runs(static_cast<std::size_t>(visitors));
  std::vector<std::thread> threads;
  for (int v = 0; v < visitors; ++v) {
    threads.emplace_back([&, v] {
      Visitor visitor(static_cast<std::uint64_t>(v) + 1, v % 20 + 1);
      Visit& run = runs[static_cast<std::size_t>(v)];
      for (int i = 0; i < clicks; ++i) {
        const Click click = visitor.next();
        const std::uint64_t number = rid++;
        const Response response = ask(socket, visitor.parameters(click, data, number), click.form);
        if (!response.complete) continue;
        visitor.keep_cookies(response);
        ++run.answered;
        ++run.statuses[response.status];
        run.rids.insert(number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Visit all;
  for (const Visit& run : runs) {
    all.answered += run.answered;
    for (const auto& [status, n] : run.statuses) all.statuses[status] += n;
    all.rids.insert(run.rids.begin(), run.rids.end());
  }
  return all;
}

void expect_operations_are_numbered(const Reports& reports) {
  std::map<std::uint64_t, std::set<std::uint64_t>> numbers;
  for (const auto& [seq, operation] : reports.operations) numbers[operation.rid].insert(operation.opnum);
  for (const auto& [rid, count] : reports.counts) {
    EXPECT_EQ(numbers[rid].size(), count) << "request " << rid;
    if (count > 0) {
      EXPECT_EQ(*numbers[rid].begin(), 1U);
      EXPECT_EQ(*numbers[rid].rbegin(), count);
    }
  }
}

TEST(PhpRecorder, ResponsesAreThoseOfPlainPhp) {
  const PhpFolder plain(Recorder::absent);
  const PhpFolder recorded(Recorder::on);
  plain.make_forum();
  recorded.make_forum();
  const Fpm plain_fpm(plain, 1);
  const Fpm recorded_fpm(recorded, 1);
  Visitor one(7, 3);
  Visitor other(7, 3);
  for (std::uint64_t i = 1; i <= 200; ++i) {
    const Click click = one.next();
    other.next();
    const Response expected = ask(plain_fpm.socket(), one.parameters(click, plain.data(), i), click.form);
    const Response got = ask(recorded_fpm.socket(), other.parameters(click, recorded.data(), i), click.form);
    one.keep_cookies(expected);
    other.keep_cookies(got);
    ASSERT_TRUE(expected.complete && got.complete);
    EXPECT_EQ(masked(got), masked(expected)) << click.query << " " << click.form;
  }
}

TEST(PhpRecorder, ACgiProgramPerRequestSharesSessionsAndCache) {
  const PhpFolder php(Recorder::on);
  php.make_forum();
  Visitor visitor(7, 3);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    const Click click = i == 1 ? visitor.next() : Click{"GET", "page=user&name=user3", ""};
    const Response response = php.once(visitor.parameters(click, php.data(), i), click.form);
    visitor.keep_cookies(response);
    const std::string greeting = i == 1 ? "" : "user3</a>, page " + std::to_string(i - 1) + " of";
    EXPECT_NE(response.body.find(greeting), std::string::npos) << response.body;
  }
  EXPECT_EQ(read_reports(php.reports()).counts.size(), 5U);
}

TEST(PhpRecorder, LoadedButOffItChangesNothing) {
  const PhpFolder php(Recorder::loaded_but_off);
  php.make_forum();
  Visitor visitor(7, 3);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    const Click click = visitor.next();
    const Response response = php.once(visitor.parameters(click, php.data(), i), click.form);
    EXPECT_LT(response.status, 500);
    visitor.keep_cookies(response);
  }
  EXPECT_TRUE(std::filesystem::is_empty(php.reports()));
}

TEST(PhpRecorder, KeyValueFunctionsAnswerAsApcuDoes) {
  const PhpFolder plain(Recorder::absent);
  const PhpFolder recorded(Recorder::on);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string query = "seed=" + std::to_string(seed);
    const Response expected = run_script(plain, "key_value.php", query, seed);
    ASSERT_EQ(expected.status, 200);
    EXPECT_EQ(run_script(recorded, "key_value.php", query, seed).body, expected.body) << query;
  }
}

TEST(PhpRecorder, PdoAnswersAsItsOwnDriverDoes) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const PhpFolder plain(Recorder::absent);
    const PhpFolder recorded(Recorder::on);
    plain.run_plain(kScripts + "sql_setup.php", plain.data());
    recorded.run_plain(kScripts + "sql_setup.php", recorded.data());
    const std::string query = "seed=" + std::to_string(seed);
    const Response expected = run_script(plain, "sql.php", query, seed);
    ASSERT_NE(expected.body.find("\n-1 "), std::string::npos) << read_file(plain.folder() / "php.log");
    EXPECT_EQ(run_script(recorded, "sql.php", query, seed).body, expected.body) << query;
  }
}

TEST(PhpRecorder, TheClockStandsStillUntilSomebodySleeps) {
  const PhpFolder php(Recorder::on);
  EXPECT_EQ(
      run_script(php, "outside.php", "", 1).body,
      R"({"stands":true,"moves":true,"hrtime":true,"different":3,"memory":true,"bytes":16,"int":true,"pid":true,"gone":false,)"
      R"("ids":[1,2,1],"file":false})");
  const Reports reports = read_reports(php.reports());
  std::vector<std::uint64_t> clocks;
  for (const Told& told : reports.told.at(1)) {
    if (told.kind == wire::NdKind::clock) clocks.push_back(wire::load_u64(told.value.data()));
  }
  ASSERT_EQ(clocks.size(), 3U);  // at first, after usleep, after sleep
  EXPECT_TRUE(std::is_sorted(clocks.begin(), clocks.end()));
}

TEST(PhpRecorder, ManyClientsTheLogIsTheOrder) {
  const PhpFolder php(Recorder::on);
  php.make_forum();
  const std::string first_state = read_file(php.data() + "/forum.sqlite");
  Fpm fpm(php, 4);
  const Visit run = visit(fpm.socket(), php.data(), 8, 100, 1);
  fpm.stop();
  EXPECT_EQ(run.answered, 800U);
  EXPECT_EQ(run.statuses.count(500), 0U) << read_file(php.folder() / "php.log");
  const Reports reports = read_reports(php.reports());
  EXPECT_EQ(reports.counts.size(), 800U);
  EXPECT_EQ(reports.tags.size(), 800U);
  expect_operations_are_numbered(reports);
  EXPECT_EQ(reports.tails, 0U);  // whoever ends in peace leaves none
  EXPECT_LT(reports.bytes / 800, 3000U);
  // Run again one after the other, the statements end in the same database.
  const Folder again;
  write_file(again / "forum.sqlite", first_state);
  const Redone redone = redo_sql(reports, php.data() + "/forum.sqlite", again / "forum.sqlite");
  EXPECT_EQ(redone.busy, 0U);
  EXPECT_EQ(dump(again / "forum.sqlite"), dump(php.data() + "/forum.sqlite"));
  EXPECT_GT(redone.statements, 2000U);
}

// Both ways to see branches: where the machine is as expected, and where it is not.
class PhpDigest : public ::testing::TestWithParam<std::string> {};

TEST_P(PhpDigest, DigestsAreEqualAcrossWorkersAndRestarts) {
  const PhpFolder php(Recorder::on, "assay.digest=" + GetParam() + "\n");
  php.make_forum();
  const auto forms = [&](const std::string& query, std::uint64_t first) {
    Fpm fpm(php, 3);
    for (std::uint64_t rid = first; rid < first + 12; ++rid) {
      const Visitor stranger(1, 1);
      ASSERT_TRUE(ask(fpm.socket(), stranger.parameters({"GET", query, ""}, php.data(), rid), "").complete);
    }
  };
  forms("page=login", 1);
  forms("page=login", 13);
  forms("page=nowhere", 25);
  const Reports reports = read_reports(php.reports());
  std::set<std::uint64_t> login;
  std::set<std::uint64_t> nowhere;
  for (std::uint64_t rid = 1; rid <= 24; ++rid) login.insert(reports.tags.at(rid));
  for (std::uint64_t rid = 25; rid <= 36; ++rid) nowhere.insert(reports.tags.at(rid));
  EXPECT_EQ(login.size(), 1U);
  EXPECT_EQ(nowhere.size(), 1U);
  EXPECT_NE(login, nowhere);
}

// A program of branches of every kind, none of which touches anything outside: equal paths, and only those, have
// equal digests.
TEST_P(PhpDigest, EveryBranchCounts) {
  const PhpFolder php(Recorder::on, "assay.digest=" + GetParam() + "\n");
  Fpm fpm(php, 2);
  std::map<std::string, std::set<std::uint64_t>> of_path;
  std::map<std::uint64_t, std::string> rid_path;
  for (std::uint64_t rid = 1; rid <= 160; ++rid) {
    const std::string query = "n=" + std::to_string(rid % 80);
    const Parameters parameters = parameters_for(kScripts + "branches.php", "GET", query, "", 0, rid);
    const Response response = ask(fpm.socket(), parameters, "");
    ASSERT_TRUE(response.complete);
    rid_path[rid] = response.body;
  }
  fpm.stop();
  const Reports reports = read_reports(php.reports());
  std::set<std::uint64_t> all;
  for (const auto& [rid, path] : rid_path) {
    of_path[path].insert(reports.tags.at(rid));
    all.insert(reports.tags.at(rid));
  }
  EXPECT_GT(of_path.size(), 20U);
  for (const auto& [path, tags] : of_path) EXPECT_EQ(tags.size(), 1U) << path;
  EXPECT_EQ(all.size(), of_path.size());
}

TEST_P(PhpDigest, AnswersAreThoseOfPlainPhp) {
  const PhpFolder plain(Recorder::absent);
  const PhpFolder recorded(Recorder::on, "assay.digest=" + GetParam() + "\n");
  for (std::uint64_t n = 0; n < 80; ++n) {
    const std::string query = "n=" + std::to_string(n);
    EXPECT_EQ(run_script(recorded, "branches.php", query, n + 1).body,
              run_script(plain, "branches.php", query, n + 1).body);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, PhpDigest, ::testing::Values("1", "handlers"),
                         [](const auto& way) { return way.param == "1" ? "Detours" : "Handlers"; });

// What bench/audit/server_cost compares: the same process with its detours and without, request by request.
TEST(PhpRecorder, DetoursCanBeLeftOutOfEveryOtherRequest) {
  const PhpFolder php(Recorder::on, "assay.digest=alternate\n");
  Fpm fpm(php, 1);
  std::map<std::uint64_t, std::string> path_of;
  for (std::uint64_t rid = 1; rid <= 160; ++rid) {
    const std::string query = "n=" + std::to_string(rid / 2 % 40);
    const Response response =
        ask(fpm.socket(), parameters_for(kScripts + "branches.php", "GET", query, "", 0, rid), "");
    ASSERT_TRUE(response.complete);
    path_of[rid] = response.body;
  }
  fpm.stop();
  const Reports reports = read_reports(php.reports());
  std::map<std::string, std::set<std::uint64_t>> tags;
  std::set<std::uint64_t> without;
  for (const auto& [rid, path] : path_of) (rid % 2 == 0 ? tags[path] : without).insert(reports.tags.at(rid));
  EXPECT_EQ(without.size(), 1U);
  EXPECT_GT(tags.size(), 10U);
  std::set<std::uint64_t> all = without;
  for (const auto& [path, seen] : tags) {
    EXPECT_EQ(seen.size(), 1U) << path;
    all.insert(seen.begin(), seen.end());
  }
  EXPECT_EQ(all.size(), tags.size() + 1);
  EXPECT_EQ(path_of.at(2), path_of.at(3));
}

TEST(PhpRecorder, AKilledWorkerLosesNothingThatWasAnswered) {
  const PhpFolder php(Recorder::on);
  php.make_forum();
  const std::string first_state = read_file(php.data() + "/forum.sqlite");
  Fpm fpm(php, 3);
  std::atomic<bool> over{false};
  std::thread killer([&] {
    while (!over) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::vector<pid_t> workers = fpm.workers();
      if (!workers.empty()) kill(workers.front(), SIGKILL);
    }
  });
  const Visit run = visit(fpm.socket(), php.data(), 4, 100, 1);
  over = true;
  killer.join();
  fpm.stop();
  const Reports reports = read_reports(php.reports());
  EXPECT_GT(reports.tails, 0U);
  EXPECT_GT(run.answered, 100U);
  for (const std::uint64_t rid : run.rids) EXPECT_EQ(reports.counts.count(rid), 1U) << "request " << rid;
  expect_operations_are_numbered(reports);
}

TEST(PhpRecorder, LocksAreReleasedWhereTheLogSaysSo) {
  const PhpFolder php(Recorder::on);
  php.run_plain(kScripts + "sql_setup.php", php.data());
  Fpm fpm(php, 4);
  std::atomic<std::uint64_t> rid{1};
  std::vector<std::thread> threads;
  for (const std::string how : {"unlock", "close", "end", "forget", "remove"}) {
    threads.emplace_back([&, how] {
      for (int i = 0; i < 20; ++i) {
        Parameters parameters = parameters_for(kScripts + "locks.php", "GET", "how=" + how, "", 0, rid++);
        parameters.emplace_back("FORUM_DATA", php.data());
        EXPECT_TRUE(ask(fpm.socket(), parameters, "").complete);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  fpm.stop();
  const Reports reports = read_reports(php.reports());
  std::uint64_t holder = 0;
  std::size_t acquired = 0;
  for (const auto& [seq, operation] : reports.operations) {
    if (operation.kind != wire::ObjectKind::locks || operation.outcome != 0) continue;
    if (operation.type == wire::OperationType::lock_release) {
      EXPECT_EQ(holder, operation.rid);
      holder = 0;
    } else {
      EXPECT_EQ(holder, 0U) << "request " << operation.rid << " was granted what another holds";
      holder = operation.rid;
      ++acquired;
    }
  }
  EXPECT_EQ(holder, 0U);
  EXPECT_GE(acquired, 100U);  // "forget" tries a second time
}

}  // namespace
}  // namespace assay::php::testing
