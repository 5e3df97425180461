// The vectors of the standards: FIPS 180-4 (as NIST publishes its examples) and RFC 4231.
#include "memory/sha256.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

std::string hex(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotCareInWhichPiecesBytesCome) {
  const std::string bytes(300, 'x');
  for (const std::size_t size : {1U, 55U, 56U, 63U, 64U, 65U, 119U, 128U, 300U}) {
    for (const std::size_t piece : {1U, 7U, 64U, 100U}) {
      Sha256 in_pieces;
      for (std::size_t at = 0; at < size; at += piece)
        in_pieces.add(std::string_view(bytes).substr(at, std::min(piece, size - at)));
      EXPECT_EQ(in_pieces.digest(), sha256(std::string_view(bytes).substr(0, size))) << size << " " << piece;
    }
  }
}

TEST(HmacSha256, GivesTheCodesOfTheStandard) {
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\xaa'), std::string(50, '\xdd'))),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(
      hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(ConstantTime, ComparesAllBytes) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

}  // namespace
}  // namespace assay
