// A real PHP that speaks FastCGI, with scripts of a test, in a temporary folder.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "support/program.hpp"
#include "system/process.hpp"

namespace assay::testing {

enum class PhpKind { cgi, fpm };

// Nothing if this machine has no such PHP.
std::optional<std::string> php_program(PhpKind kind);

class PhpServer {
 public:
  // REQUIRES: php_program(kind). Returns when it takes connections. Throws std::runtime_error if it does not
  // start.
  PhpServer(PhpKind kind, const std::string& root, int workers);

  // As FrontOptions::php wants it.
  std::string address() const { return "unix:" + socket_; }
  // Kills it with all of its workers, and starts it again at the same address.
  void kill();
  void start();

 private:
  PhpKind kind_;
  std::string root_;
  int workers_;
  TemporaryFolder folder_;
  std::string socket_;
  std::unique_ptr<system::Process> process_;
};

}  // namespace assay::testing
