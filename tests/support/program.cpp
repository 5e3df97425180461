#include "support/program.hpp"

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace assay::testing {

namespace {

std::string quoted(const std::string& argument) {
  std::string out = "'";
  for (const char c : argument) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

}  // namespace

std::string TemporaryFolder::file(const std::string& name, const std::string& content) const {
  std::ofstream(*this / name, std::ios::binary) << content;
  return file(name);
}

Ran run_shell(const std::string& line) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const std::string err = folder.file("err");
  const std::string whole =
      "ASSAY=" + quoted(ASSAY_BINARY) + "; { " + line + "\n} >" + quoted(out) + " 2>" + quoted(err);
  const int status = std::system(whole.c_str());
  Ran ran;
  if (WIFEXITED(status)) ran.exit_code = WEXITSTATUS(status);
  ran.out = content_of(out);
  ran.err = content_of(err);
  return ran;
}

Ran run_assay(const std::vector<std::string>& arguments) {
  std::string line = "\"$ASSAY\"";
  for (const std::string& argument : arguments) line += " " + quoted(argument);
  return run_shell(line);
}

}  // namespace assay::testing
