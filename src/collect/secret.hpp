// A secret that a watcher and its collectors share, and how each proves to the other that it knows it without
// saying it: a keyed digest (HMAC-SHA-256) of random bytes that the other side has just chosen, so that what was
// overheard is of no use later. It guards who may speak; it does not hide what is said, and it does not guard a
// connection that somebody in between can write to.
#pragma once

#include <string>
#include <string_view>

namespace assay::collect {

class Secret {
 public:
  // All bytes of the file but a line end at its end; at least 16. Throws InputError.
  static Secret from_file(const std::string& path);
  // REQUIRES: at least one byte.
  explicit Secret(std::string bytes) : bytes_(std::move(bytes)) {}

  // The watcher chose `challenge`, the collector `answer`; each proves itself with both, the collector's name,
  // and, for the watcher, what its welcome says.
  std::string proof_of_collector(std::string_view challenge, std::string_view answer,
                                 std::string_view collector) const;
  std::string proof_of_watcher(std::string_view challenge, std::string_view answer,
                               std::string_view collector, std::string_view welcome) const;

 private:
  std::string bytes_;
};

inline constexpr std::size_t kNonce = 32, kProof = 32;

// kNonce bytes that nobody can guess. Throws std::runtime_error where the system has none.
std::string nonce();

}  // namespace assay::collect
