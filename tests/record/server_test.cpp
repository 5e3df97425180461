#include "record/server/server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "support/program.hpp"

namespace assay::record {
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
  for (const char* kind : {"oracle", "", "galera:0", "galera:17", "galera:x", "redis:2"}) {
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

TEST(Server, DiesWithItsMaster) {
  if (const auto missing = missing_for_server("redis")) GTEST_SKIP() << *missing;
  const testing::TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t master = fork();
  if (master == 0) {
    setenv("TMPDIR", folder.file("").c_str(), 1);
    std::uint16_t port = 0;
    const auto server = start_server("redis");
    port = server->endpoints().front().port;
    if (write(ends[1], &port, sizeof port) != sizeof port) _exit(1);
    while (true) pause();
  }
  close(ends[1]);
  std::uint16_t port = 0;
  ASSERT_EQ(read(ends[0], &port, sizeof port), static_cast<ssize_t>(sizeof port));
  close(ends[0]);
  EXPECT_TRUE(somebody_listens(port));
  ::kill(master, SIGKILL);
  waitpid(master, nullptr, 0);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (somebody_listens(port)) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up) << "the server outlived its master";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace
}  // namespace assay::record
