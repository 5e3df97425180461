#include "audit/trial/private_php.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "audit/front/php_address.hpp"
#include "system/input_error.hpp"

namespace assay::audit {

namespace fs = std::filesystem;

namespace {

constexpr auto kToStart = std::chrono::seconds(20), kToEnd = std::chrono::seconds(20);

std::string program(const char* name, const char* package) {
  std::string found =
      system::find_program({name, fmt::format("/usr/sbin/{}", name), fmt::format("/usr/bin/{}", name)});
  if (found.empty())
    throw InputError(name, "", fmt::format("is not installed; Debian has it in the package {}", package));
  return found;
}

// PHP sees none of our environment: the worker that runs its requests again has none either.
std::vector<std::string> without_environment(std::vector<std::string> more) {
  std::vector<std::string> command = {"/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/bin",
                                      "PHP_INI_SCAN_DIR="};
  command.insert(command.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return command;
}

std::string fpm_configuration(const PrivatePhpOptions& options, const std::string& socket) {
  std::string text = fmt::format("[global]\nerror_log = {}\ndaemonize = no\n", options.log.string());
  const std::string pool = recorder_pool(options.workers);
  const std::size_t section = pool.find("[www]\n");
  text += pool.substr(0, section);
  text += fmt::format("[www]\nlisten = {}\n", socket);
  if (geteuid() == 0) text += "user = root\ngroup = root\n";
  return text + pool.substr(section + 6);
}

bool takes_connections(const std::string& address) {
  const front::Connected connected = front::begin_connecting(front::php_address_of(address));
  return connected.state == front::Connecting::done || connected.state == front::Connecting::busy;
}

}  // namespace

std::string recorder_ini(const RecorderSettings& settings) {
  return fmt::format(
      "extension = {}\n"
      "assay.reports = {}\n"
      "assay.code = {}\n"
      "assay.memory = {}\n"
      "session.save_handler = assay\n"
      "opcache.jit = disable\n"
      "opcache.validate_timestamps = 0\n"
      "disable_functions = "
      "exec,shell_exec,system,passthru,proc_open,popen,mail,fsockopen,stream_socket_client,putenv\n",
      settings.extension.string(), settings.reports.string(), settings.code.string(), settings.megabytes);
}

std::string recorder_pool(unsigned workers) {
  return fmt::format(
      "process_control_timeout = 10\n"
      "[www]\n"
      "pm = static\n"
      "pm.max_children = {}\n",
      workers);
}

PrivatePhp::PrivatePhp(const PrivatePhpOptions& options)
    : kind_(options.kind), socket_(folder_.file("php.sock")) {
  system::Launch launch;
  if (options.kind == PhpKind::fpm) {
    const std::string configuration = folder_.file("fpm.conf");
    std::ofstream(configuration) << fpm_configuration(options, socket_);
    launch.command = without_environment(
        {program("php-fpm8.2", "php8.2-fpm"), "-R", "-F", "-c", options.ini.string(), "-y", configuration});
  } else {
    const std::string cgi = program("php-cgi8.2", "php8.2-cgi");
    launch.command =
        without_environment({fmt::format("PHP_FCGI_CHILDREN={}", options.workers), "PHP_FCGI_MAX_REQUESTS=0",
                             cgi, "-b", socket_, "-c", options.ini.string()});
  }
  launch.log = options.log;
  launch.signal_at_our_death = SIGTERM;  // its workers are ended by it
  process_ = std::make_unique<system::Process>(std::move(launch));
  const auto deadline = std::chrono::steady_clock::now() + kToStart;
  while (!takes_connections(address())) {
    if (!process_->running() || std::chrono::steady_clock::now() > deadline)
      throw InputError(options.log.string(), "", "PHP does not start: " + system::end_of_file(options.log));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

PrivatePhp::~PrivatePhp() {
  stop();
}

void PrivatePhp::stop() {
  if (!process_) return;
  process_->signal(kind_ == PhpKind::fpm ? SIGQUIT : SIGTERM);
  // Workers of php-cgi may outlive it for a moment, in which they write their reports.
  if (process_->wait(kToEnd)) process_->wait_for_group(kToEnd);
  process_.reset();
}

void run_php_script(const fs::path& script, const std::vector<std::string>& arguments,
                    const std::vector<std::string>& extensions, const fs::path& log) {
  std::vector<std::string> command = {program("php8.2", "php8.2-cli"), "-n"};
  for (const std::string& extension : extensions)
    command.insert(command.end(), {"-d", "extension=" + extension});
  command.push_back(script.string());
  command.insert(command.end(), arguments.begin(), arguments.end());
  system::Launch launch;
  launch.command = without_environment(std::move(command));
  launch.log = log;
  try {
    system::run_to_end(std::move(launch), std::chrono::minutes(2));
  } catch (const std::runtime_error& error) {
    throw InputError(script.string(), "", error.what());
  }
}

}  // namespace assay::audit
