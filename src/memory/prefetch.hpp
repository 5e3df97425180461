// Asks for the memory at an address before it is needed: the tables of a large history do not fit the cache,
// and what will be looked up in them is known long before.
#pragma once

namespace assay {

inline void prefetch(const void* address) {
  __builtin_prefetch(address);
  // g++ counts a function that does nothing but prefetch among those without effect and drops calls of it
  // before they are inlined. An assembler statement, even an empty one, is an effect.
  asm volatile("");
}

}  // namespace assay
