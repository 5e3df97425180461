// Where a private server lives: a temporary folder that vanishes with the object, or, where Assay was killed,
// when the next server starts; and a password.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "system/process.hpp"
#include "system/swept_folder.hpp"

namespace assay::database {

class ServerFolder {
 public:
  // Owned by the account, if there is one. Throws std::runtime_error.
  explicit ServerFolder(const std::optional<system::Account>& account);

  const std::filesystem::path& path() const { return folder_.folder().path(); }
  std::filesystem::path operator/(const std::string& name) const { return folder_.folder() / name; }
  // Writes a file that only the account can read.
  std::filesystem::path write(const std::string& name, const std::string& content) const;

 private:
  system::SweptFolder folder_{"assay-server"};
  std::optional<system::Account> account_;
};

std::string random_password();

}  // namespace assay::database
