// The fence around a worker, by itself: what is asked of the system behind it.
#include "rerun/fence.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server.hpp"

namespace assay::php::testing {
namespace {

// In a process of its own, which the fence encloses for ever: did `attempt` succeed there?
template <class Attempt>
bool succeeds_behind_the_fence(const std::string& readable, const Attempt& attempt) {
  const pid_t child = fork();
  if (child == 0) {
    if (!raise_fence({readable}, {}).empty()) _exit(2);
    _exit(attempt() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << status;
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

TEST(PhpFence, TheProgramsFilesCanBeReadAndNothingElseCanBeDone) {
  const Folder folder;
  const std::string file = folder / "inside";
  write_file(file, "text");
  const auto tried = [&](const auto& attempt) { return succeeds_behind_the_fence(folder.path(), attempt); };
  EXPECT_TRUE(tried([&] { return ::open(file.c_str(), O_RDONLY) >= 0; }));
  EXPECT_FALSE(tried([&] { return ::open(file.c_str(), O_WRONLY) >= 0; }));
  EXPECT_FALSE(tried([&] { return ::open((folder / "new").c_str(), O_WRONLY | O_CREAT, 0600) >= 0; }));
  EXPECT_FALSE(tried([&] { return ::unlink(file.c_str()) == 0; }));
  EXPECT_FALSE(tried([] { return ::open("/etc/passwd", O_RDONLY) >= 0; }));
  EXPECT_FALSE(tried([] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }));
  EXPECT_FALSE(tried([] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }));
  EXPECT_FALSE(tried([] { return ::fork() >= 0; }));
  EXPECT_FALSE(tried([] { return ::execl("/bin/true", "true", nullptr) == 0; }));
}

}  // namespace
}  // namespace assay::php::testing
