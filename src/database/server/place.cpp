#include "database/server/place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "system/descriptor.hpp"

namespace assay::database {

ServerFolder::ServerFolder(const std::optional<system::Account>& account) : account_(account) {
  if (account_ && chown(path().c_str(), account_->user, account_->group) != 0)
    throw std::runtime_error("cannot give away the folder " + path().string());
}

std::filesystem::path ServerFolder::write(const std::string& name, const std::string& content) const {
  std::filesystem::path path = folder_.folder() / name;
  const system::Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) throw std::runtime_error("cannot write " + path.string());
  const bool given = !account_ || fchown(file.get(), account_->user, account_->group) == 0;
  const bool written =
      ::write(file.get(), content.data(), content.size()) == static_cast<ssize_t>(content.size());
  if (!given || !written) throw std::runtime_error("cannot write " + path.string());
  return path;
}

std::string random_password() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("the system gives no random bytes");
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace assay::database
