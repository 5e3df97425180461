// A file that gzip or zstd has compressed, unpacked before any format looks at it. That it is one is told by its content,
// as everything about a history is. What is damaged or cut off is refused, and so is a small file that unpacks to more
// than a machine can bear.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "system/input.hpp"

namespace assay::format {

bool is_compressed(std::string_view bytes);

// What a file unpacked to.
class Unpacked {
 public:
  std::string_view bytes() const { return {memory_.get(), size_}; }

 private:
  friend class Unpacking;
  struct Free {
    void operator()(char* memory) const { std::free(memory); }  // NOLINT(*-no-malloc): see Unpacking
  };
  std::unique_ptr<char, Free> memory_;
  std::size_t size_ = 0;
};

// Half of the machine's memory.
std::size_t most_to_unpack();

// Throws InputError, also where it would be more than `most` bytes. REQUIRES: is_compressed(file.bytes).
Unpacked unpack(const system::InputFile& file, std::size_t most);

}  // namespace assay::format
