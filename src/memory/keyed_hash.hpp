// A hash under secret keys that every process draws anew. Keys, values and names come from files that anybody may have
// written: under a hash that is known, somebody can choose them so that they all fall into one place of a table, and
// reading them becomes quadratic. Without the keys nobody can. No result may depend on the keys: whatever is told is
// put in an order of its own, never in that of a table.
//
// What is hashed enters the two factors of a full product of 64-bit numbers, each masked by a key, and the halves of
// the product are folded (as in Wang Yi's wyhash); two inputs that collide under most keys are not known. The upper bits
// are the best ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace assay {

class KeyedHash {
 public:
  // The keys of this process.
  KeyedHash() : KeyedHash(of_this_process()) {}
  // Keys of one's own, for a test.
  constexpr KeyedHash(std::uint64_t first, std::uint64_t second, std::uint64_t third)
      : first_(first), second_(second), third_(third | 1) {}

  std::uint64_t operator()(std::uint32_t scope, std::uint64_t word) const {
    return fold(word ^ first_, scope ^ second_) * third_;
  }
  std::uint64_t operator()(std::uint64_t word) const { return (*this)(0, word); }

  std::uint64_t operator()(std::string_view text) const {
    const char* at = text.data();
    std::size_t left = text.size();
    std::uint64_t hash = second_ ^ left;
    for (; left > 16; at += 16, left -= 16) {
      hash = fold(load<std::uint64_t>(at) ^ first_, load<std::uint64_t>(at + 8) ^ hash);
    }
    // The rest as two words, which overlap where it is short of both.
    std::uint64_t front = 0, back = 0;
    if (left >= 8) {
      front = load<std::uint64_t>(at);
      back = load<std::uint64_t>(at + left - 8);
    } else if (left >= 4) {
      front = load<std::uint32_t>(at);
      back = load<std::uint32_t>(at + left - 4);
    } else if (left > 0) {
      front = load<std::uint8_t>(at) | std::uint64_t{load<std::uint8_t>(at + left / 2)} << 8 |
              std::uint64_t{load<std::uint8_t>(at + left - 1)} << 16;
    }
    return fold(front ^ first_, back ^ hash) * third_;
  }

 private:
  static const KeyedHash& of_this_process();

  static std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  template <class Word>
  static Word load(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
  }

  std::uint64_t first_, second_, third_;
};

// For the standard's containers.
struct KeyedTextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash_(text); }

 private:
  KeyedHash hash_;
};
struct KeyedWordHash {
  std::size_t operator()(std::uint64_t word) const { return hash_(word); }

 private:
  KeyedHash hash_;
};

}  // namespace assay
