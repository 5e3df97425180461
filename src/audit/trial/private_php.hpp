// A PHP of our own, with the recorder, on a socket in a folder of ours: php-fpm or php-cgi.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "system/process.hpp"
#include "system/temporary_folder.hpp"

namespace assay::audit {

enum class PhpKind : std::uint8_t { fpm, cgi };

// The settings that load the recorder and make PHP one that can be audited: lines of a php.ini.
struct RecorderSettings {
  std::filesystem::path extension;  // assay_record.so
  std::filesystem::path reports;    // a folder that PHP may write to
  std::filesystem::path code;       // the application; empty: to be filled in
  unsigned megabytes = 64;          // of shared memory for cached values and sessions
};
std::string recorder_ini(const RecorderSettings& settings);
// And of php-fpm's pool.
std::string recorder_pool(unsigned workers);

struct PrivatePhpOptions {
  PhpKind kind = PhpKind::fpm;
  unsigned workers = 8;
  std::filesystem::path ini;
  std::filesystem::path log;
};

class PrivatePhp {
 public:
  // Returns when it takes connections. Throws InputError if it is not installed or, with the end of its log,
  // does not start.
  explicit PrivatePhp(const PrivatePhpOptions& options);
  ~PrivatePhp();
  PrivatePhp(const PrivatePhp&) = delete;
  PrivatePhp& operator=(const PrivatePhp&) = delete;

  // As the collector takes it: "unix:PATH".
  std::string address() const { return "unix:" + socket_; }
  // Lets its workers end what they are at.
  void stop();

 private:
  system::TemporaryFolder folder_{"assay-php"};
  PhpKind kind_;
  std::string socket_;
  std::unique_ptr<system::Process> process_;
};

// Runs a script as a command, without the recorder. Throws as above.
void run_php_script(const std::filesystem::path& script, const std::vector<std::string>& arguments,
                    const std::vector<std::string>& extensions, const std::filesystem::path& log);

}  // namespace assay::audit
