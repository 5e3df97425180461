#include "common/system_calls.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <ctime>

#include "common/world.hpp"

namespace assay::php {

namespace {

std::time_t our_time(std::time_t* out) {
  if (world == nullptr) return ::time(out);
  const auto now = static_cast<std::time_t>(world->clock_standing() / 1000000000);
  if (out != nullptr) *out = now;
  return now;
}

int our_gettimeofday(timeval* out, void* zone) {
  if (out == nullptr) return 0;
  if (world == nullptr) return ::gettimeofday(out, static_cast<struct timezone*>(zone));
  const std::uint64_t now = world->clock_standing();
  out->tv_sec = static_cast<std::time_t>(now / 1000000000);
  out->tv_usec = static_cast<suseconds_t>(now % 1000000000 / 1000);
  return 0;
}

// Other clocks measure durations for the server itself (php-fpm's timeouts); hrtime() is replaced above.
int our_clock_gettime(clockid_t clock, timespec* out) {
  if (world == nullptr || clock != CLOCK_REALTIME) return ::clock_gettime(clock, out);
  const std::uint64_t now = world->clock_standing();
  out->tv_sec = static_cast<std::time_t>(now / 1000000000);
  out->tv_nsec = static_cast<long>(now % 1000000000);
  return 0;
}

long our_syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (world == nullptr || number != SYS_getrandom) return ::syscall(number, a, b, c, d, e, f);
  world->random_bytes(reinterpret_cast<void*>(a), static_cast<std::size_t>(b));
  return b;
}

ssize_t our_getrandom(void* out, std::size_t size, unsigned flags) {
  if (world == nullptr) return ::syscall(SYS_getrandom, out, size, flags);
  world->random_bytes(out, size);
  return static_cast<ssize_t>(size);
}

struct Redirection {
  const char* name;
  void* target;
};
const std::array redirections = {
    Redirection{"time", reinterpret_cast<void*>(our_time)},
    Redirection{"gettimeofday", reinterpret_cast<void*>(our_gettimeofday)},
    Redirection{"clock_gettime", reinterpret_cast<void*>(our_clock_gettime)},
    Redirection{"syscall", reinterpret_cast<void*>(our_syscall)},
    Redirection{"getrandom", reinterpret_cast<void*>(our_getrandom)},
};

// The parts of an object's dynamic section that say which imports it has and where their addresses are kept.
struct Imports {
  ElfW(Addr) base = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::array<const ElfW(Rela)*, 2> relocations{};
  std::array<std::size_t, 2> counts{};
  ElfW(Addr) sealed_begin = 0;  // what the dynamic linker has made read-only
  ElfW(Addr) sealed_end = 0;
};

bool belongs(const dl_phdr_info& object, ElfW(Addr) address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    const ElfW(Addr) begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address >= begin && address < begin + part.p_memsz) return true;
  }
  return false;
}

int find_imports(dl_phdr_info* object, std::size_t, void* out) {
  if (!belongs(*object, reinterpret_cast<ElfW(Addr)>(&php_mt_srand))) return 0;
  auto* imports = static_cast<Imports*>(out);
  imports->base = object->dlpi_addr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type == PT_GNU_RELRO) {
      imports->sealed_begin = object->dlpi_addr + part.p_vaddr;
      imports->sealed_end = imports->sealed_begin + part.p_memsz;
    }
    if (part.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + part.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const ElfW(Addr) value = entry->d_un.d_ptr;  // glibc has made the addresses absolute
      if (entry->d_tag == DT_SYMTAB) imports->symbols = reinterpret_cast<const ElfW(Sym)*>(value);
      if (entry->d_tag == DT_STRTAB) imports->names = reinterpret_cast<const char*>(value);
      if (entry->d_tag == DT_RELA) imports->relocations[0] = reinterpret_cast<const ElfW(Rela)*>(value);
      if (entry->d_tag == DT_RELASZ) imports->counts[0] = value / sizeof(ElfW(Rela));
      if (entry->d_tag == DT_JMPREL) imports->relocations[1] = reinterpret_cast<const ElfW(Rela)*>(value);
      if (entry->d_tag == DT_PLTRELSZ) imports->counts[1] = value / sizeof(ElfW(Rela));
    }
  }
  return 1;
}

// Where the table is sealed its page is opened and closed again.
bool set_import(const Imports& imports, void** place, void* target) {
  const auto address = reinterpret_cast<ElfW(Addr)>(place);
  if (address < imports.sealed_begin || address >= imports.sealed_end) {
    *place = target;
    return true;
  }
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(place) & ~(page_size - 1));
  if (mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return false;
  *place = target;
  return mprotect(page, page_size, PROT_READ) == 0;
}

}  // namespace

bool redirect_system_calls() {
  Imports imports;
  dl_iterate_phdr(find_imports, &imports);
  if (imports.symbols == nullptr || imports.names == nullptr) return false;
  bool clock_found = false;
  for (std::size_t table = 0; table < 2; ++table) {
    for (std::size_t i = 0; i < imports.counts[table]; ++i) {
      const ElfW(Rela)& relocation = imports.relocations[table][i];
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const char* name = imports.names + imports.symbols[ELF64_R_SYM(relocation.r_info)].st_name;
      for (const Redirection& redirection : redirections) {
        if (std::strcmp(name, redirection.name) != 0) continue;
        auto* place = reinterpret_cast<void**>(imports.base + relocation.r_offset);
        if (!set_import(imports, place, redirection.target)) return false;
        clock_found = clock_found || std::strcmp(name, "gettimeofday") == 0;
      }
    }
  }
  return clock_found;
}

}  // namespace assay::php
