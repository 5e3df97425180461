#include "cli/option/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/option/password.hpp"
#include "report/printable.hpp"

namespace assay::cli {

namespace {

void fail_unless_reader_left() {
  if (errno == EPIPE) return;
  throw OutputError(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_unless_reader_left();
}

void flush_output() {
  if (std::fflush(stdout) != 0) fail_unless_reader_left();
}

void print_error(std::string_view message) {
  const std::string line = fmt::format("assay: error: {}\n", report::printable(without_passwords(message)));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void print_note(std::string_view message) {
  const std::string line = fmt::format("assay: note: {}\n", report::printable(without_passwords(message)));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void print_out_of_memory() noexcept {
  constexpr std::string_view kLine = "assay: error: undecided: out of memory\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
}

bool colour_on_output() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

bool errors_are_on_a_terminal() {
  return isatty(STDERR_FILENO) != 0;
}

}  // namespace assay::cli
