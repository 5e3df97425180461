#include "server.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/eventually.hpp"

namespace assay::php::testing {

namespace {

// Starts a program whose standard input and output are these files; it dies with the test.
pid_t start(const std::vector<std::string>& command, const Parameters& environment, int in, int out,
            int err) {
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<char*> pointers;
  for (const std::string& each : variables) pointers.push_back(const_cast<char*>(each.c_str()));
  pointers.push_back(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (in >= 0) dup2(in, 0);
  if (out >= 0) dup2(out, 1);
  if (err >= 0) dup2(err, 2);
  execvpe(arguments[0], arguments.data(), pointers.data());
  _exit(127);
}

int temporary_file(const std::string& content) {
  const int file = ::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  EXPECT_EQ(::write(file, content.data(), content.size()), static_cast<ssize_t>(content.size()));
  lseek(file, 0, SEEK_SET);
  return file;
}

std::string content_of(int file) {
  std::string content(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(file, content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
  return content;
}

std::string run(const std::vector<std::string>& command, const Parameters& environment,
                const std::string& input) {
  const int in = temporary_file(input);
  const int out = temporary_file("");
  const pid_t pid = start(command, environment, in, out, -1);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << command[0] << " was killed by signal " << WTERMSIG(status);
  std::string output = content_of(out);
  ::close(in);
  ::close(out);
  return output;
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "assay-php-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}
void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

PhpFolder::PhpFolder(Recorder recorder, const std::string& more_ini) {
  std::filesystem::create_directory(data());
  std::filesystem::create_directory(reports());
  std::string ini =
      "zend_extension=opcache\nopcache.enable=1\nopcache.jit=disable\nopcache.validate_timestamps=0\n"
      "opcache.file_update_protection=0\nextension=ctype\nextension=pdo\nextension=pdo_sqlite\nextension="
      "apcu\n"
      "file_uploads=0\ndisplay_errors=0\nlog_errors=1\ndate.timezone=UTC\nsession.gc_probability=0\n";
  ini += "error_log=" + (folder_ / "php.log") + "\nsession.save_path=" + data() + "\n";
  if (recorder != Recorder::absent) ini += "extension=" ASSAY_RECORD_SO "\n";
  if (recorder == Recorder::on) ini += "assay.reports=" + reports() + "\nsession.save_handler=assay\n";
  write_file(this->ini(), ini + more_ini);
}

void PhpFolder::make_forum() const {
  run_plain(ASSAY_SOURCE_DIR "/tests/apps/forum/setup.php", data());
}

std::string PhpFolder::run_plain(const std::string& script, const std::string& arguments) const {
  std::vector<std::string> command = {"php8.2", "-n"};
  for (const char* extension : {"ctype", "pdo", "pdo_sqlite"}) {
    command.insert(command.end(), {"-d", std::string("extension=") + extension});
  }
  command.insert(command.end(), {script, arguments});
  return run(command, {{"PATH", "/usr/bin:/bin"}}, "");
}

Response PhpFolder::once(const Parameters& parameters, const std::string& input) const {
  Parameters environment = parameters;
  environment.insert(environment.end(),
                     {{"PATH", "/usr/bin:/bin"}, {"PHP_INI_SCAN_DIR", ""}, {"REDIRECT_STATUS", "1"}});
  Response response = parse_cgi(run({"php-cgi8.2", "-c", ini()}, environment, input));
  response.complete = true;
  return response;
}

Fpm::Fpm(const PhpFolder& php, int workers, const Parameters& environment)
    : socket_(php.folder() / "fpm.sock") {
  const std::string configuration = php.folder() / "fpm.conf";
  write_file(configuration, "[global]\nerror_log = " + (php.folder() / "fpm.log") +
                                "\ndaemonize = no\nprocess_control_timeout = 10\n[www]\nlisten = " + socket_ +
                                "\npm = static\npm.max_children = " + std::to_string(workers) + "\n" +
                                (geteuid() == 0 ? "user = root\ngroup = root\n" : ""));
  Parameters variables = environment;
  variables.insert(variables.end(), {{"PATH", "/usr/sbin:/usr/bin:/bin"}, {"PHP_INI_SCAN_DIR", ""}});
  master_ = start({"php-fpm8.2", "-R", "-F", "-c", php.ini(), "-y", configuration}, variables, -1, -1, -1);
  const bool up = assay::testing::eventually(
      [&] { return std::filesystem::exists(socket_) && !this->workers().empty(); });
  if (!up) throw std::runtime_error("php-fpm does not start: " + read_file(php.folder() / "fpm.log"));
}

void Fpm::stop() {
  if (master_ <= 0) return;
  kill(master_, SIGQUIT);
  int status = 0;
  waitpid(master_, &status, 0);
  master_ = -1;
  std::filesystem::remove(socket_);
}

std::vector<pid_t> Fpm::workers() const {
  std::vector<pid_t> children;
  std::ifstream in("/proc/" + std::to_string(master_) + "/task/" + std::to_string(master_) + "/children");
  for (pid_t child = 0; in >> child;) children.push_back(child);
  return children;
}

Parameters parameters_for(const std::string& script, const std::string& method, const std::string& query,
                          const std::string& cookie, std::size_t input_size, std::uint64_t rid) {
  Parameters parameters = {{"SCRIPT_FILENAME", script},     {"REQUEST_METHOD", method},
                           {"QUERY_STRING", query},         {"REQUEST_URI", "/?" + query},
                           {"SERVER_PROTOCOL", "HTTP/1.1"}, {"GATEWAY_INTERFACE", "CGI/1.1"},
                           {"REMOTE_ADDR", "127.0.0.1"},    {"ASSAY_RID", std::to_string(rid)}};
  if (!cookie.empty()) parameters.emplace_back("HTTP_COOKIE", cookie);
  if (method == "POST") {
    parameters.emplace_back("CONTENT_TYPE", "application/x-www-form-urlencoded");
    parameters.emplace_back("CONTENT_LENGTH", std::to_string(input_size));
  }
  return parameters;
}

}  // namespace assay::php::testing
