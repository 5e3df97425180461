// What is shown on a terminal while the work goes on: one line, however narrow the terminal is.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "support/increments.hpp"
#include "support/program.hpp"

namespace assay::testing {
namespace {

// What the program writes to a terminal of so many columns, until it has shown two lines of progress.
std::string on_terminal(unsigned short columns, const std::string& file) {
  winsize size{};
  size.ws_col = columns;
  size.ws_row = 24;
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) {
    setenv("LC_ALL", "C", 1);
    execl(ASSAY_BINARY, "assay", "watch", file.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string out;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (out.find(" 2 s") == std::string::npos && std::chrono::steady_clock::now() < deadline) {
    pollfd ready{terminal, POLLIN, 0};
    if (poll(&ready, 1, 100) <= 0) continue;
    char part[4096];
    const ssize_t n = read(terminal, part, sizeof part);
    if (n <= 0) break;
    out.append(part, static_cast<std::size_t>(n));
  }
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  close(terminal);
  return out;
}

TEST(Progress, FitsTheTerminal) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.jsonl", kSerial);
  constexpr std::size_t kColumns = 40;
  const std::string out = on_terminal(kColumns, file);
  const std::string wipe = "\r\x1b[K";
  std::size_t lines = 0;
  for (std::size_t at = out.find(wipe); at != std::string::npos; at = out.find(wipe, at + 1)) {
    const std::size_t begin = at + wipe.size();
    const std::string line = out.substr(begin, out.find_first_of("\r\n", begin) - begin);
    if (line.empty()) continue;
    ++lines;
    EXPECT_LT(line.size(), kColumns) << line;
    EXPECT_TRUE(line.starts_with("assay: serializable: ")) << line;
    EXPECT_TRUE(line.ends_with(" s")) << "the time is never cut: " << line;
  }
  EXPECT_GE(lines, 1U) << out;
}

}  // namespace
}  // namespace assay::testing
