// A private PHP in a temporary folder: php-fpm with some workers, or php-cgi run once per request; with the
// recorder or without.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "fastcgi.hpp"

namespace assay::php::testing {

class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

enum class Recorder { absent, loaded_but_off, on };

// A folder with a php.ini; the recorder's reports are in reports/, the forum's data in data/.
class PhpFolder {
 public:
  explicit PhpFolder(Recorder recorder, const std::string& more_ini = "");
  const Folder& folder() const { return folder_; }
  std::string data() const { return folder_ / "data"; }
  std::string reports() const { return folder_ / "reports"; }
  std::string ini() const { return folder_ / "php.ini"; }
  void make_forum() const;  // the forum's first state, in data()
  // Runs a script as a command, without the recorder.
  std::string run_plain(const std::string& script, const std::string& arguments) const;
  // One request by php-cgi as a CGI program.
  Response once(const Parameters& parameters, const std::string& input) const;

 private:
  Folder folder_;
};

class Fpm {
 public:
  Fpm(const PhpFolder& php, int workers, const Parameters& environment = {});
  Fpm(const Fpm&) = delete;
  Fpm& operator=(const Fpm&) = delete;
  ~Fpm() { stop(); }
  void stop();
  const std::string& socket() const { return socket_; }
  // The process ids of the workers.
  std::vector<pid_t> workers() const;

 private:
  std::string socket_;
  pid_t master_ = -1;
};

// The FastCGI parameters of a request to a script.
Parameters parameters_for(const std::string& script, const std::string& method, const std::string& query,
                          const std::string& cookie, std::size_t input_size, std::uint64_t rid);

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& content);

}  // namespace assay::php::testing
