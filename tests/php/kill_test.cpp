// kill -9 of the collector and of PHP processes at random moments under load: an honest server is never rejected. What
// was cut off is accepted up to the cut, or the audit is undecided. ASSAY_KILLS says how many (bench/audit/kills: 100).
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <thread>

#include "audit/front/http_client.hpp"
#include "audited.hpp"
#include "server.hpp"
#include "support/eventually.hpp"
#include "system/process.hpp"
#include "system/socket.hpp"
#include "trace_writer.hpp"
#include "visitor.hpp"

namespace assay::php::testing {
namespace {

constexpr int kKillsInARow = 5;

int kills_wanted() {
  const char* wanted = std::getenv("ASSAY_KILLS");
  return wanted != nullptr ? std::atoi(wanted) : 10;
}

// The forum behind the real collector.
class Site {
 public:
  explicit Site(int workers) {
    std::filesystem::copy(ASSAY_SOURCE_DIR "/tests/apps/forum", code_);
    write_file(code_ + "/data.php", "<?php $_SERVER['FORUM_DATA'] = '" + php_.data() + "';\n");
    write_file(php_.ini(), read_file(php_.ini()) + "assay.code=" + code_ + "\nauto_prepend_file=" + code_ +
                               "/data.php\n");
    php_.make_forum();
    std::filesystem::copy_file(php_.data() + "/forum.sqlite", first_state_);
    fpm_ = std::make_unique<Fpm>(php_, workers);
    start_collector();
  }
  const std::string& address() const { return address_; }

  void kill_collector() {
    collector_.reset();
    start_collector();
  }
  void kill_workers(std::size_t most) {
    std::vector<pid_t> workers = fpm_->workers();
    for (std::size_t i = 0; i < std::min(most, workers.size()); ++i) ::kill(workers[i], SIGKILL);
  }

  audit::Verdict close_and_audit() {
    collector_->signal(SIGTERM);
    EXPECT_TRUE(collector_->wait(std::chrono::seconds(60)));
    fpm_.reset();
    const std::string bytes = read_file(trace_);
    const audit::Trace trace("trace", bytes);
    const audit::Reports reports = audit::Reports::read_folder(php_.reports());
    audit::InitialState initial;
    initial.databases[php_.data() + "/forum.sqlite"] = first_state_;
    return audited(php_, code_, trace, reports, initial);
  }

 private:
  void start_collector() {
    system::Launch launch;
    launch.command = {ASSAY_COLLECTOR, address_, "unix:" + fpm_->socket(), code_, trace_};
    launch.log = php_.folder() / "collector.log";
    collector_ = std::make_unique<system::Process>(launch);
  }

  PhpFolder php_{Recorder::on};
  std::string code_ = php_.folder() / "forum";
  std::string first_state_ = php_.folder() / "first.sqlite";
  std::string trace_ = php_.folder() / "trace";
  std::string address_ = "127.0.0.1:" + std::to_string(system::free_ports(1).front());
  std::unique_ptr<Fpm> fpm_;
  std::unique_ptr<system::Process> collector_;
};

// Visitors that go on, whoever dies.
class Crowd {
 public:
  Crowd(std::string address, int visitors, std::uint64_t seed) : address_(std::move(address)) {
    for (int v = 0; v < visitors; ++v) threads_.emplace_back([this, v, seed] { visit(v, seed); });
  }
  ~Crowd() { stop(); }
  void stop() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  std::size_t answers() const { return answers_; }

 private:
  void visit(int number, std::uint64_t seed) {
    Visitor visitor(seed + static_cast<std::uint64_t>(number), number % 20 + 1);
    while (!over_) {
      try {
        assay::testing::HttpClient client(address_);
        client.hurry();
        while (!over_ && click(client, visitor)) ++answers_;
      } catch (const std::exception&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // nobody listens just now
      }
    }
  }
  static bool click(assay::testing::HttpClient& client, Visitor& visitor) {
    const Click click = visitor.next();
    const std::string path = "/index.php?" + click.query;
    const std::string cookie = "Cookie: " + visitor.cookie() + "\r\n";
    const std::string form = cookie + "Content-Type: application/x-www-form-urlencoded\r\n";
    if (!(click.method == "POST" ? client.post(path, click.form, form) : client.get(path, cookie)))
      return false;
    const assay::testing::HttpAnswer answer = client.answer();
    Response response;
    response.headers = answer.fields;
    visitor.keep_cookies(response);
    return answer.status != 0;
  }

  std::string address_;
  std::atomic<bool> over_{false};
  std::atomic<std::size_t> answers_{0};
  std::vector<std::thread> threads_;
};

TEST(PhpKill, AnHonestServerIsNeverRejectedWhoeverIsKilled) {
  std::random_device entropy;
  const char* wanted_seed = std::getenv("ASSAY_RANDOM_SEED");
  const std::uint64_t seed = wanted_seed != nullptr ? std::strtoull(wanted_seed, nullptr, 10) : entropy();
  std::mt19937_64 random(seed);
  int accepted = 0, undecided = 0;
  std::uint64_t cut = 0, requests = 0;
  for (int kills = 0; kills < kills_wanted(); kills += kKillsInARow) {
    Site site(4);
    Crowd crowd(site.address(), 6, random());
    for (int i = 0; i < kKillsInARow; ++i) {
      const std::size_t wanted = crowd.answers() + 5 + random() % 60;
      ASSERT_TRUE(assay::testing::eventually([&] { return crowd.answers() >= wanted; })) << "it goes on";
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
      const std::uint64_t which = random() % 4;
      if (which == 0) site.kill_collector();
      if (which > 0) site.kill_workers(which == 3 ? 4 : 1);
    }
    crowd.stop();
    const audit::Verdict verdict = site.close_and_audit();
    (verdict.decision == audit::Decision::accepted ? accepted : undecided) += 1;
    cut += verdict.not_whole;
    requests += verdict.requests;
    EXPECT_NE(verdict.decision, audit::Decision::rejected)
        << "seed " << seed << " after " << kills << " kills: " << told(verdict) << "\nexpected "
        << (verdict.finding ? verdict.finding->expected : "") << "\nfound "
        << (verdict.finding ? verdict.finding->found : "");
    if (verdict.decision == audit::Decision::undecided) std::cout << "undecided: " << told(verdict) << "\n";
  }
  std::cout << accepted << " accepted, " << undecided << " undecided; " << cut << " of " << requests
            << " requests cut off\n";
}

}  // namespace
}  // namespace assay::php::testing
