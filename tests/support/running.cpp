#include "support/running.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace assay::testing {

namespace {

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

RunningAssay::RunningAssay(const std::vector<std::string>& arguments, std::vector<std::string> environment) {
  std::vector<std::string> words{ASSAY_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string out = folder_.file("out", ""), err = folder_.file("err", "");
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) {
    const int null = ::open("/dev/null", O_RDONLY), to = ::open(out.c_str(), O_WRONLY | O_APPEND),
              errors = ::open(err.c_str(), O_WRONLY | O_APPEND);
    ::dup2(null, 0);
    ::dup2(to, 1);
    ::dup2(errors, 2);
    for (std::string& setting : environment) ::putenv(setting.data());
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
}

RunningAssay::~RunningAssay() {
  if (ended()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void RunningAssay::signal(int number) const {
  if (!reaped_) ::kill(pid_, number);
}

bool RunningAssay::ended() {
  if (!reaped_ && ::waitpid(pid_, &status_, WNOHANG) == pid_) reaped_ = true;
  return reaped_;
}

int RunningAssay::wait() {
  if (!eventually([this] { return ended(); })) return -2;
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
}

std::string RunningAssay::out() const {
  return content_of(folder_.file("out"));
}
std::string RunningAssay::err() const {
  return content_of(folder_.file("err"));
}

bool RunningAssay::says(const std::string& text) {
  bool last = false;  // what it said right before it ended counts too
  return eventually([&] {
           if ((out() + err()).find(text) != std::string::npos) return true;
           if (last) return true;
           last = ended();
           return false;
         }) &&
         (out() + err()).find(text) != std::string::npos;
}

std::string RunningAssay::address(const std::string& what) {
  if (!says(what + " at ")) return "";
  std::string text;
  // The line may be there in part only.
  eventually([&] {
    text = out();
    text = text.substr(text.find(what + " at ") + what.size() + 4);
    return text.find('\n') != std::string::npos;
  });
  return text.substr(0, text.find('\n'));
}

}  // namespace assay::testing
