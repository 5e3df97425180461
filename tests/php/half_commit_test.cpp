// A process that is killed with the pages of its commit in the write-ahead log and the log's index as it was.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <thread>

#include "audited.hpp"
#include "server.hpp"
#include "support/eventually.hpp"
#include "trace_writer.hpp"

namespace assay::php::testing {
namespace {

using assay::testing::eventually;

TEST(PhpHalfCommit, DoesNotComeBackWhenTheIndexIsMadeAnew) {
  const std::string scripts = ASSAY_SOURCE_DIR "/tests/php/scripts";
  const PhpFolder php(Recorder::on, "assay.code=" + scripts + "\n");
  php.run_plain(scripts + "/sql_setup.php", php.data());
  const std::string first_state = php.folder() / "first.sqlite";
  std::filesystem::copy_file(php.data() + "/sql.sqlite", first_state);
  const std::string die = php.data() + "/die";
  TraceWriter writer;
  {
    // SQLite too, for what an extension of PHP brings along does not see what was preloaded.
    const Fpm fpm(php, 2, {{"LD_PRELOAD", ASSAY_DIE_IN_SYNC " libsqlite3.so.0"}, {"ASSAY_DIE_AT", die}});
    const auto visit = [&](const std::string& what) {
      const auto parameters = [&](std::uint64_t rid) {
        Parameters list = parameters_for(scripts + "/half_commit.php", "GET", "do=" + what, "", 0, rid);
        list.emplace_back("FORUM_DATA", php.data());
        return list;
      };
      const std::uint64_t rid = writer.arrive(parameters, "");
      Response response = ask(fpm.socket(), parameters(rid), "");
      writer.response(rid, response);
      return response;
    };
    const auto exists = [&](const char* name) {
      return eventually([&] { return std::filesystem::exists(php.data() + "/" + name); });
    };
    std::thread waiting([&] { EXPECT_FALSE(visit("wait").complete); });
    EXPECT_TRUE(exists("waiting"));
    EXPECT_EQ(visit("write").body, "1 ");  // a log is begun, and stays
    write_file(die, "");
    EXPECT_FALSE(visit("write").complete);
    EXPECT_FALSE(std::filesystem::exists(die));
    write_file(php.data() + "/go", "");  // the one that waited sees that the commit has not happened
    EXPECT_TRUE(exists("looked"));
    const std::vector<pid_t> killed = fpm.workers();
    for (const pid_t worker : killed) kill(worker, SIGKILL);
    waiting.join();
    EXPECT_TRUE(eventually([&] {
      const std::vector<pid_t> now = fpm.workers();
      return now.size() == 2 &&
             std::find_first_of(now.begin(), now.end(), killed.begin(), killed.end()) == now.end();
    }));
    EXPECT_EQ(visit("read").body, "1 ");  // with nobody else there: a new index
  }
  const audit::Trace trace("trace", writer.bytes());
  const audit::Reports reports = audit::Reports::read_folder(php.reports());
  audit::InitialState initial;
  initial.databases[php.data() + "/sql.sqlite"] = first_state;
  const audit::Verdict verdict = audited(php, scripts, trace, reports, initial);
  EXPECT_EQ(verdict.decision, audit::Decision::accepted) << told(verdict);
}

}  // namespace
}  // namespace assay::php::testing
