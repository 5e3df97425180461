#include "collect/secret.hpp"

#include <sys/random.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "format/bytes.hpp"
#include "memory/sha256.hpp"
#include "system/input_error.hpp"

namespace assay::collect {

namespace {

constexpr std::size_t kShortest = 16, kLongest = 4096;

// Each part with its length before it, so that no two lists of parts have the same bytes.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) {
    format::append_little(out, std::uint64_t{part.size()});
    out += part;
  }
  return out;
}

}  // namespace

Secret Secret::from_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kLongest + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.is_open() || file.bad()) throw InputError(path, "", "the secret cannot be read");
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (bytes.ends_with('\n')) bytes.pop_back();
  if (bytes.ends_with('\r')) bytes.pop_back();
  if (bytes.size() < kShortest || bytes.size() > kLongest)
    throw InputError(path, "", fmt::format("a secret has {} to {} bytes", kShortest, kLongest));
  return Secret(std::move(bytes));
}

std::string Secret::proof_of_collector(std::string_view challenge, std::string_view answer,
                                       std::string_view collector) const {
  return hmac_sha256(bytes_, joined({"assay collector", challenge, answer, collector}));
}

std::string Secret::proof_of_watcher(std::string_view challenge, std::string_view answer,
                                     std::string_view collector, std::string_view welcome) const {
  return hmac_sha256(bytes_, joined({"assay watcher", challenge, answer, collector, welcome}));
}

std::string nonce() {
  std::string bytes(kNonce, '\0');
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("the system gives no random bytes");
  return bytes;
}

}  // namespace assay::collect
