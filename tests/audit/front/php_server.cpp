#include "audit/front/php_server.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "support/eventually.hpp"
#include "system/descriptor.hpp"

namespace assay::testing {

namespace {

// Whatever this machine's PHP is set up to load is not part of a test.
constexpr const char* kNoOtherSettings = "PHP_INI_SCAN_DIR=";

bool takes_connections(const std::string& path) {
  const system::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  std::strncpy(place.sun_path, path.c_str(), sizeof place.sun_path - 1);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
}

}  // namespace

std::optional<std::string> php_program(PhpKind kind) {
  const std::string found =
      kind == PhpKind::cgi ? system::find_program({"/usr/bin/php-cgi8.*", "/usr/bin/php-cgi", "php-cgi"})
                           : system::find_program({"/usr/sbin/php-fpm8.*", "/usr/sbin/php-fpm", "php-fpm"});
  if (found.empty()) return std::nullopt;
  return found;
}

PhpServer::PhpServer(PhpKind kind, const std::string& root, int workers)
    : kind_(kind), root_(root), workers_(workers), socket_(folder_.file("php.sock")) {
  start();
}

void PhpServer::kill() {
  process_.reset();
}

void PhpServer::start() {
  ::unlink(socket_.c_str());
  const std::string workers = std::to_string(workers_);
  const std::string ini =
      folder_.file("php.ini",
                   "post_max_size=40M\nupload_max_filesize=40M\nfile_uploads=1\ndisplay_errors=0\n"
                   "log_errors=0\nmemory_limit=256M\nexpose_php=1\n");
  system::Launch launch;
  launch.log = folder_ / "log";
  if (kind_ == PhpKind::cgi) {
    // Each worker serves many requests, as under php-fpm.
    launch.command = {"/usr/bin/env",
                      kNoOtherSettings,
                      "PHP_FCGI_CHILDREN=" + workers,
                      "PHP_FCGI_MAX_REQUESTS=100000",
                      *php_program(kind_),
                      "-c",
                      ini,
                      "-b",
                      socket_};
  } else {
    const std::string user = ::geteuid() == 0 ? "user=root\ngroup=root\n" : "";
    const std::string conf = folder_.file(
        "fpm.conf", "[global]\nerror_log=" + folder_.file("fpm.log") + "\ndaemonize=no\n[www]\n" + user +
                        "listen=" + socket_ + "\npm=static\npm.max_children=" + workers + "\n");
    launch.command = {
        "/usr/bin/env", kNoOtherSettings, *php_program(kind_), "-F", "-R", "-c", ini, "-y", conf};
  }
  process_ = std::make_unique<system::Process>(launch);
  if (!eventually([&] { return takes_connections(socket_) || !process_->running(); }) ||
      !process_->running()) {
    throw std::runtime_error("PHP does not start: " + system::end_of_file(launch.log));
  }
}

}  // namespace assay::testing
