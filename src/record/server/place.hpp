// Where a private server lives: a temporary folder that vanishes with the object, free ports, a password.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "record/server/process.hpp"

namespace assay::record {

class ServerFolder {
 public:
  // Owned by the account, if there is one. Throws std::runtime_error.
  explicit ServerFolder(const std::optional<Account>& account);
  ~ServerFolder();
  ServerFolder(const ServerFolder&) = delete;
  ServerFolder& operator=(const ServerFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  // Writes a file that only the account can read.
  std::filesystem::path write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path path_;
  std::optional<Account> account_;
};

// Different ports of 127.0.0.1 on which nobody listens. Somebody else may take one before it is used: whoever
// starts a server on it must be ready to try again.
std::vector<std::uint16_t> free_ports(std::size_t count);

std::string random_password();

}  // namespace assay::record
