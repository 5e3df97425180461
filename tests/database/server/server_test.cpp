#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "database/server/start.hpp"
#include "support/program.hpp"

namespace assay::database {
namespace {

bool somebody_listens(std::uint16_t port) {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected = connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(file);
  return connected;
}

TEST(Server, UnknownKindsAreNamed) {
  for (const char* kind : {"oracle", "", "galera:0", "galera:17", "galera:x", "postgres:0", "redis:2"}) {
    EXPECT_THROW(start_server(kind), std::runtime_error) << kind;
  }
}

TEST(Server, LeavesNothingBehind) {
  if (const auto missing = missing_for_server("redis")) GTEST_SKIP() << *missing;
  const testing::TemporaryFolder folder;
  // This test is a process of its own.
  setenv("TMPDIR", folder.file("").c_str(), 1);
  {
    const auto server = start_server("redis");
    const std::uint16_t port = server->endpoints().front().port;
    EXPECT_TRUE(somebody_listens(port));
    EXPECT_FALSE(std::filesystem::is_empty(folder.file("")));
    server->kill(0);
    EXPECT_FALSE(somebody_listens(port));
    server->restart(0);
    EXPECT_TRUE(somebody_listens(port));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("")));
  unsetenv("TMPDIR");
}

// Starts a server, tells its port in a file, and waits to be killed.
[[noreturn]] void be_master(const std::string& tell) {
  const auto server = start_server("redis");
  std::ofstream(tell + ".unfinished") << server->endpoints().front().port;
  std::filesystem::rename(tell + ".unfinished", tell);
  alarm(120);
  while (true) pause();
}

TEST(Server, DiesWithItsMaster) {
  if (const auto missing = missing_for_server("redis")) GTEST_SKIP() << *missing;
  // The master is this test in another process.
  if (const char* const tell = getenv("ASSAY_TEST_TELL")) be_master(tell);
  const testing::TemporaryFolder folder;
  const std::string told = folder.file("port");
  const std::string temporary = "TMPDIR=" + folder.file("");
  const std::string tell = "ASSAY_TEST_TELL=" + told;
  const std::string path = std::string("PATH=") + getenv("PATH");
  const char* const arguments[] = {"assay_tests", "--gtest_filter=Server.DiesWithItsMaster", nullptr};
  const char* const environment[] = {temporary.c_str(), tell.c_str(), path.c_str(), nullptr};
  pid_t master = 0;
  ASSERT_EQ(posix_spawn(&master, "/proc/self/exe", nullptr, nullptr, const_cast<char* const*>(arguments),
                        const_cast<char* const*>(environment)),
            0);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto wait_until = [&](const auto& condition) {
    while (!condition() && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return condition();
  };
  const bool started = wait_until([&] { return std::filesystem::exists(told); });
  std::uint16_t port = 0;
  std::ifstream(told) >> port;
  const bool listened = started && somebody_listens(port);
  ::kill(master, SIGKILL);
  waitpid(master, nullptr, 0);
  ASSERT_TRUE(listened);
  EXPECT_TRUE(wait_until([&] { return !somebody_listens(port); })) << "the server outlived its master";
}

}  // namespace
}  // namespace assay::database
