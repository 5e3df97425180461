// The order that the recorder gives to statements of several PHP processes: run one after the other, they give what each
// of them gave. The program prints it all, so an audit compares it all.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "audited.hpp"
#include "server.hpp"
#include "trace_writer.hpp"

namespace assay::php::testing {
namespace {

int rounds() {
  const char* wanted = std::getenv("ASSAY_RANDOM_CASES");
  return wanted != nullptr ? std::atoi(wanted) : 60;
}

TEST(PhpOrder, StatementsOfSeveralProcessesAreRunAgainOneAfterTheOther) {
  const std::string scripts = ASSAY_SOURCE_DIR "/tests/php/scripts";
  const PhpFolder php(Recorder::on, "assay.code=" + scripts + "\n");
  php.run_plain(scripts + "/sql_setup.php", php.data());
  const std::string first_state = php.folder() / "first.sqlite";
  std::filesystem::copy_file(php.data() + "/sql.sqlite", first_state);
  TraceWriter writer;
  {
    const Fpm fpm(php, 4);
    std::vector<std::thread> clients;
    for (int client = 0; client < 4; ++client) {
      clients.emplace_back([&] {
        for (int i = 0; i < rounds(); ++i) {
          const auto parameters = [&](std::uint64_t rid) {
            Parameters list =
                parameters_for(scripts + "/order.php", "GET", "seed=" + std::to_string(rid), "", 0, rid);
            list.emplace_back("FORUM_DATA", php.data());
            return list;
          };
          const std::uint64_t rid = writer.arrive(parameters, "");
          writer.response(rid, ask(fpm.socket(), parameters(rid), ""));
        }
      });
    }
    for (std::thread& client : clients) client.join();
  }
  const audit::Trace trace("trace", writer.bytes());
  const audit::Reports reports = audit::Reports::read_folder(php.reports());
  audit::InitialState initial;
  initial.databases[php.data() + "/sql.sqlite"] = first_state;
  const audit::Verdict verdict = audited(php, scripts, trace, reports, initial);
  EXPECT_EQ(verdict.decision, audit::Decision::accepted)
      << told(verdict) << "\nexpected " << (verdict.finding ? verdict.finding->expected : "") << "\nfound "
      << (verdict.finding ? verdict.finding->found : "");
}

}  // namespace
}  // namespace assay::php::testing
