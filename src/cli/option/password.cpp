#include "cli/option/password.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "cli/command.hpp"
#include "system/descriptor.hpp"

namespace assay::cli {

namespace {

constexpr std::size_t kLongest = 4096;

// What is typed is not shown while this lives.
class Unseen {
 public:
  explicit Unseen(int terminal) : terminal_(terminal) {
    known_ = tcgetattr(terminal_, &before_) == 0;
    termios unseen = before_;
    unseen.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (known_) tcsetattr(terminal_, TCSAFLUSH, &unseen);
  }
  ~Unseen() {
    if (known_) tcsetattr(terminal_, TCSAFLUSH, &before_);
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

 private:
  int terminal_;
  bool known_ = false;
  termios before_{};
};

void show(const system::Descriptor& terminal, std::string_view text) {
  if (::write(terminal.get(), text.data(), text.size()) < 0)
    throw UsageError("cannot ask for a password at the terminal");
}

std::string typed() {
  const system::Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC));
  if (!terminal) throw UsageError("there is no terminal to ask for a password at");
  const Unseen unseen(terminal.get());
  show(terminal, "Password: ");
  std::string line;
  char c = 0;
  while (line.size() < kLongest && ::read(terminal.get(), &c, 1) == 1 && c != '\n') line += c;
  show(terminal, "\n");
  return line;
}

std::string first_line_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line(kLongest, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (file.bad() || !file.is_open()) throw UsageError(fmt::format("{} cannot be read", path));
  line.resize(static_cast<std::size_t>(file.gcount()));
  if (line.size() == kLongest) throw UsageError(fmt::format("{} is too long for a password", path));
  line.resize(std::min(line.find('\n'), line.size()));
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace

std::string password_from(const std::string& source) {
  if (source == "prompt") return typed();
  std::string password;
  if (source.starts_with("env:")) {
    const std::string name = source.substr(4);
    const char* const value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody writes it
    if (value == nullptr) throw UsageError(fmt::format("there is no environment variable {}", name));
    password = value;
  } else if (source.starts_with("file:")) {
    password = first_line_of(source.substr(5));
  } else {
    // Perhaps the password itself was given: it is not repeated.
    throw UsageError("a password comes from env:NAME, file:PATH or prompt");
  }
  if (password.empty()) throw UsageError(fmt::format("the password from {} is empty", source));
  return password;
}

std::string without_passwords(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t mark = text.find("://");
    if (mark == std::string_view::npos) break;
    const std::size_t begin = mark + 3;
    const std::size_t end = std::min(text.find_first_of(" \t\n'\"", begin), text.size());
    const std::string_view address = text.substr(begin, end - begin);
    const std::size_t colon = address.find(':');
    const std::size_t at = address.rfind('@');
    out += text.substr(0, begin);
    if (colon != std::string_view::npos && at != std::string_view::npos && colon < at) {
      out += address.substr(0, colon + 1);
      out += "…";
      out += address.substr(at);
    } else {
      out += address;
    }
    text.remove_prefix(end);
  }
  out += text;
  return out;
}

}  // namespace assay::cli
