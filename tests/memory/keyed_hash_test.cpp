// Words and texts that somebody chose so that they collide under a hash that is known (the one that the tables once had)
// spread under secret keys, whatever the keys are; and different keys spread them differently.
#include "memory/keyed_hash.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay {
namespace {

constexpr int kBits = 14;
constexpr std::uint32_t kInputs = 1U << kBits;
// Keys as a process draws them; these are digits of pi.
constexpr std::array kHashes = {KeyedHash(0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0),
                                KeyedHash(0x082EFA98EC4E6C89, 0x452821E638D01377, 0xBE5466CF34E90C6C),
                                KeyedHash(0xC0AC29B7C97C50DD, 0x3F84D5B5B5470917, 0x9216D5D98979FB1B)};

// In how many of 2^14 places as many inputs fall. Random ones fall in 63 %.
template <class HashOf>
double share_of_places(HashOf hash_of) {
  std::vector<bool> taken(kInputs);
  for (std::uint32_t i = 0; i < kInputs; ++i) taken[hash_of(i) >> (64 - kBits)] = true;
  std::uint32_t places = 0;
  for (const bool place : taken) places += place;
  return static_cast<double>(places) / kInputs;
}

// The inverse of an odd number among the numbers of 64 bits, by Newton's iteration.
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
  return x;
}
// The word that the old table put at the place that the upper bits of `hash` name.
constexpr std::uint64_t word_at(std::uint64_t hash) {
  std::uint64_t h = hash * inverse(0xD6E8FEB86659FD93ULL);
  h ^= h >> 32;
  return h * inverse(0x9E3779B97F4A7C15ULL);
}
constexpr std::uint64_t old_hash(std::uint32_t scope, std::uint64_t word) {
  std::uint64_t h = (word ^ (std::uint64_t{scope} << 32 | scope)) * 0x9E3779B97F4A7C15ULL;
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93ULL;
  return h;
}

TEST(KeyedHash, SpreadsWordsThatCollidedUnderAKnownHash) {
  for (std::uint32_t i = 0; i < kInputs; ++i) ASSERT_EQ(old_hash(0, word_at(i)) >> (64 - kBits), 0U);
  for (const KeyedHash& hash : kHashes) {
    EXPECT_GT(share_of_places([&](std::uint32_t i) { return hash(0, word_at(i)); }), 0.6);
  }
}

TEST(KeyedHash, SpreadsPairsOfScopeAndWordThatCancelledEachOther) {
  const auto word = [](std::uint32_t scope) { return std::uint64_t{scope} << 32 | scope; };
  for (std::uint32_t i = 0; i < kInputs; ++i) ASSERT_EQ(old_hash(i, word(i)), 0U);
  for (const KeyedHash& hash : kHashes) {
    EXPECT_GT(share_of_places([&](std::uint32_t i) { return hash(i, word(i)); }), 0.6);
  }
}

TEST(KeyedHash, SpreadsConsecutiveAndStridedWords) {
  for (const KeyedHash& hash : {kHashes[1], KeyedHash()}) {
    for (const int stride : {0, 1, 8, 20, 32, 49}) {
      EXPECT_GT(share_of_places([&](std::uint32_t i) { return hash(0, std::uint64_t{i} << stride); }), 0.55)
          << stride;
    }
  }
}

TEST(KeyedHash, SpreadsTextsOfEveryLengthThatDifferAnywhere) {
  for (const std::size_t length : {6U, 8U, 11U, 16U, 17U, 24U, 33U, 100U}) {
    for (std::size_t at = 0; at + 5 <= length; at += 3) {
      const auto text = [&](std::uint32_t i) {
        std::string made(length, 'k');
        for (std::size_t digit = at + 5; digit-- > at; i /= 10) made[digit] = static_cast<char>('0' + i % 10);
        return made;
      };
      EXPECT_GT(share_of_places([&](std::uint32_t i) { return kHashes[1](text(i)); }), 0.55)
          << length << " " << at;
    }
  }
}

TEST(KeyedHash, TellsShortTextsAndLengthsApart) {
  std::vector<std::string> texts;
  for (const char* text :
       {"", "a", "b", "ab", "ba", "aa", "aaa", "aba", "aab", "aaaa", "aaaaaaaa", "aaaaaaaaaaaaaaaa"})
    texts.emplace_back(text);
  texts.emplace_back(1, '\0');
  texts.emplace_back(2, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NE(kHashes[1](texts[i]), kHashes[1](texts[j])) << i << " " << j;
  }
}

TEST(KeyedHash, HashesByTheKeys) {
  EXPECT_NE(kHashes[0](0, 7), kHashes[1](0, 7));
  EXPECT_NE(kHashes[0](std::string_view("seven")), kHashes[1](std::string_view("seven")));
  EXPECT_EQ(KeyedHash()(3, 7), KeyedHash()(3, 7));  // one process, one set of keys
}

}  // namespace
}  // namespace assay
