// SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), for what an adversary must not be able to forge: that two
// sides know the same secret, and that two fragments have the same content. Written out here, after the
// standards and against their test vectors, since none of the libraries that Assay links offers them and a
// cryptographic one would be linked for these hundred lines alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

class Sha256 {
 public:
  static constexpr std::size_t kSize = 32;

  Sha256& add(std::string_view bytes);
  // kSize bytes. Nothing may be added afterwards.
  std::string digest();

 private:
  static constexpr std::size_t kBlock = 64;

  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, kBlock> rest_{};
  std::uint64_t length_ = 0;  // bytes so far; length_ % kBlock of them wait in rest_
};

std::string sha256(std::string_view bytes);
std::string hmac_sha256(std::string_view key, std::string_view message);

// In a time that does not tell how far they agree.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace assay
