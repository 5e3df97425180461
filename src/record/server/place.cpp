#include "record/server/place.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace assay::record {

ServerFolder::ServerFolder(const std::optional<Account>& account) : account_(account) {
  std::string name = (std::filesystem::temp_directory_path() / "assay-server-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make the folder " + name);
  path_ = name;
  if (account_ && chown(name.c_str(), account_->user, account_->group) != 0) {
    throw std::runtime_error("cannot give away the folder " + name);
  }
}

ServerFolder::~ServerFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ServerFolder::write(const std::string& name, const std::string& content) const {
  std::filesystem::path path = path_ / name;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) throw std::runtime_error("cannot write " + path.string());
  const bool given = !account_ || fchown(file, account_->user, account_->group) == 0;
  const bool written = ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  close(file);
  if (!given || !written) throw std::runtime_error("cannot write " + path.string());
  return path;
}

std::vector<std::uint16_t> free_ports(std::size_t count) {
  std::vector<std::uint16_t> ports;
  std::vector<int> sockets;  // all open until all are found, so that they differ
  bool failed = false;
  for (std::size_t i = 0; i < count && !failed; ++i) {
    const int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    failed = one < 0 || bind(one, general, size) != 0 || getsockname(one, general, &size) != 0;
    if (one >= 0) sockets.push_back(one);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int one : sockets) close(one);
  if (failed) throw std::runtime_error("cannot find a free port on 127.0.0.1");
  return ports;
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

}  // namespace assay::record
