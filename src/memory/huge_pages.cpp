#include "memory/huge_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

namespace assay {

namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;

std::size_t mapped_size(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

void* allocate_zeroed(std::size_t bytes) {
  if (bytes < kHuge) {
    void* const begin = std::calloc(bytes, 1);
    if (begin == nullptr) throw std::bad_alloc();
    return begin;
  }
  // A mapping starts anywhere; a huge page only at a multiple of its size. Map one more and give the ends
  // back. What is left beyond the last whole huge page stays on small ones, so that nothing is wasted.
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
  const std::size_t size = mapped_size(bytes);
  void* const raw = ::mmap(nullptr, size + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  char* const start = static_cast<char*>(raw);
  const std::size_t before = (kHuge - reinterpret_cast<std::uintptr_t>(start) % kHuge) % kHuge;
  if (before > 0) ::munmap(start, before);
  ::munmap(start + before + size, kHuge - before);
  ::madvise(start + before, size / kHuge * kHuge, MADV_HUGEPAGE);  // a wish; a refusal is no error
  return start + before;
}

void free_zeroed(void* begin, std::size_t bytes) {
  if (bytes < kHuge) {
    std::free(begin);
  } else {
    ::munmap(begin, mapped_size(bytes));
  }
}

void forget_front(void* begin, std::size_t bytes, std::size_t done) {
  if (bytes >= kHuge) ::madvise(begin, done / kHuge * kHuge, MADV_DONTNEED);
}

}  // namespace assay
