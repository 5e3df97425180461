#include "record/digest.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "record/branch_handlers.hpp"
#include "record/compile_watch.hpp"

extern "C" {
#include <zend_vm.h>
}

namespace assay::php {

namespace {

constexpr std::size_t kArea = std::size_t{64} << 20;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kStep = 32;  // bytes of one detour
constexpr std::uint32_t kMultiplier = 0x5bd1e995;

// The same memory twice: written here, run there, so that no page is both. Shared by all workers, as the
// instructions in opcache are; the page behind it, with the number itself, is each process's own.
struct Area {
  std::uint8_t* write = nullptr;
  const std::uint8_t* run = nullptr;
  std::atomic<std::uint64_t>* used = nullptr;  // in the first bytes of the area
  std::uint64_t* number = nullptr;
} area;

std::uint64_t number_without_area = 0;

struct Detour {
  std::uint32_t id;
  const void* onward;
  bool operator==(const Detour& other) const { return id == other.id && onward == other.onward; }
};
struct DetourHash {
  std::size_t operator()(const Detour& detour) const {
    return detour.id * std::size_t{0x9e3779b97f4a7c15} ^ reinterpret_cast<std::size_t>(detour.onward);
  }
};
// Code from eval is compiled in every request, to the same detours.
std::unordered_map<Detour, const std::uint8_t*, DetourHash> detours;

bool in_area(const void* handler) {
  const auto* at = static_cast<const std::uint8_t*>(handler);
  return at >= area.run && at < area.run + kArea;
}

// Where opcache's code is led through detours, kept only to undo and redo that.
struct Site {
  zend_op* op;
  const void* plain;
  const void* detour;
};
std::vector<Site> sites;
bool alternating = false;
bool resting = false;  // in this request nothing is led astray

// Writes as much in both directions, so that a request pays the same for either.
void lead(bool through_detours) {
  for (const Site& site : sites) site.op->handler = through_detours ? site.detour : site.plain;
  resting = !through_detours;
}

class Assembler {
 public:
  explicit Assembler(std::uint64_t offset) : write_(area.write + offset), run_(area.run + offset) {}
  void bytes(std::initializer_list<std::uint8_t> code) {
    for (const std::uint8_t byte : code) *write_++ = byte, ++run_;
  }
  void word(std::uint32_t value) {
    std::memcpy(write_, &value, 4);
    write_ += 4;
    run_ += 4;
  }
  // The distance from behind this word to an address, which REQUIRES it to be within 2 GB.
  void distance_to(const void* target) {
    word(static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(target) - (run_ + 4)));
  }

 private:
  std::uint8_t* write_;
  const std::uint8_t* run_;
};

// At an instruction's entry only r14 and r15 are in use.
const std::uint8_t* make_detour(std::uint32_t id, const void* onward) {
  const std::uint64_t offset = area.used->fetch_add(kStep);
  if (offset + kStep > kArea) return nullptr;
  Assembler code(offset);
  code.bytes({0x48, 0x8b, 0x05});  // mov rax, [number]
  code.distance_to(area.number);
  code.bytes({0x48, 0x69, 0xc0});  // imul rax, rax, multiplier
  code.word(kMultiplier);
  code.bytes({0x48, 0x35});  // xor rax, id
  code.word(id);
  code.bytes({0x48, 0x89, 0x05});  // mov [number], rax
  code.distance_to(area.number);
  code.bytes({0xe9});  // jmp onward
  code.distance_to(onward);
  return area.run + offset;
}

std::uint32_t hash(std::uint32_t start, const void* bytes, std::size_t size) {
  const auto* at = static_cast<const std::uint8_t*>(bytes);
  for (std::size_t i = 0; i < size; ++i) start = (start ^ at[i]) * 16777619U;
  return start;
}

// Of one function: its place in the sources is the same in every process and after every restart.
class Patcher {
 public:
  explicit Patcher(zend_op_array& function) : function_(&function), id_(2166136261U) {
    if (function.filename != nullptr)
      id_ = hash(id_, ZSTR_VAL(function.filename), ZSTR_LEN(function.filename));
    if (function.function_name != nullptr) {
      id_ = hash(id_, ZSTR_VAL(function.function_name), ZSTR_LEN(function.function_name));
    }
    id_ = hash(id_, &function.line_start, sizeof function.line_start);
  }

  void patch(std::uint32_t index) {
    zend_op& op = function_->opcodes[index];
    if (op.opcode == ZEND_OP_DATA || in_area(op.handler)) return;
    const Detour detour{hash(id_, &index, sizeof index), op.handler};
    // Only what is compiled anew each time is looked up; opcache's code is patched once for all processes.
    const bool again = is_zend_ptr(&op);
    const auto known = again ? detours.find(detour) : detours.end();
    const std::uint8_t* code = known != detours.end() ? known->second : make_detour(detour.id, detour.onward);
    if (code == nullptr) return;
    if (again && known == detours.end()) detours.emplace(detour, code);
    if (alternating && !again) sites.push_back({&op, op.handler, code});
    op.handler = code;
  }

  void patch_branches() {
    for (std::uint32_t i = 0; i < function_->last; ++i) {
      const zend_op& op = function_->opcodes[i];
      switch (op.opcode) {
        case ZEND_JMPZ:
        case ZEND_JMPNZ:
        case ZEND_JMPZ_EX:
        case ZEND_JMPNZ_EX:
        case ZEND_JMP_SET:
        case ZEND_JMP_NULL:
        case ZEND_COALESCE:
        case ZEND_FE_RESET_R:
        case ZEND_FE_RESET_RW:
        case ZEND_FE_FETCH_R:
        case ZEND_FE_FETCH_RW:
        case ZEND_ASSERT_CHECK:
          if (i + 1 < function_->last) patch(i + 1);  // a jump that is taken shows by what is missing
          break;
        case ZEND_CATCH:
          patch(i);
          break;
        case ZEND_SWITCH_LONG:
        case ZEND_SWITCH_STRING:
        case ZEND_MATCH:
          patch_targets(op);
          break;
        default:
          break;
      }
    }
  }

 private:
  void patch_targets(const zend_op& op) {
    zval* offset = nullptr;
    ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(RT_CONSTANT(&op, op.op2)), offset) {
      patch_target(ZEND_OFFSET_TO_OPLINE(&op, static_cast<std::int32_t>(Z_LVAL_P(offset))));
    }
    ZEND_HASH_FOREACH_END();
    patch_target(ZEND_OFFSET_TO_OPLINE(&op, static_cast<std::int32_t>(op.extended_value)));
  }
  void patch_target(const zend_op* target) { patch(static_cast<std::uint32_t>(target - function_->opcodes)); }

  zend_op_array* function_;
  std::uint32_t id_;
};

// The first instruction of a script is patched last and so tells that all of it is.
constexpr CompileWatcher kPatching = {
    [](const zend_op_array& script) { return resting || in_area(script.opcodes[0].handler); },
    [](zend_op_array& function) { Patcher(function).patch_branches(); },
    [](zend_op_array& script) { Patcher(script).patch(0); },
};

// The slower way. Code in opcache's memory stays where it is; other code may be gone, and something else in its place.
bool handlers = false;
std::unordered_set<const zend_op*> taken_apart;
const CompileWatcher kTakingApart = {
    [](const zend_op_array& script) { return taken_apart.count(script.opcodes) != 0; },
    take_fused_branches_apart,
    [](zend_op_array& script) {
      if (!is_zend_ptr(script.opcodes)) taken_apart.insert(script.opcodes);
    },
};

// The machine must keep its instruction pointer in r15 and jump through what it points to: seen in its
// simplest instruction, NOP, which is one of these two, depending on the compiler's mood.
bool machine_is_as_expected(const void*& handler) {
  if (zend_vm_kind() != ZEND_VM_KIND_HYBRID) return false;
  zend_op nop{};
  nop.opcode = ZEND_NOP;
  nop.op1_type = nop.op2_type = nop.result_type = IS_UNUSED;
  zend_vm_set_opcode_handler(&nop);
  handler = nop.handler;
  static constexpr std::array<std::uint8_t, 7> kAdd = {0x49, 0x83, 0xc7, 0x20,   // add r15, 32
                                                       0x41, 0xff, 0x27};        // jmp [r15]
  static constexpr std::array<std::uint8_t, 10> kLea = {0x4c, 0x89, 0xf8,        // mov rax, r15
                                                        0x4d, 0x8d, 0x7f, 0x20,  // lea r15, [r15 + 32]
                                                        0xff, 0x60, 0x20};       // jmp [rax + 32]
  return std::memcmp(handler, kAdd.data(), kAdd.size()) == 0 ||
         std::memcmp(handler, kLea.data(), kLea.size()) == 0;
}

// Within reach of a relative jump from the machine's code, wherever there is room.
const std::uint8_t* map_near(const void* code, int memory) {
  const std::uintptr_t centre = reinterpret_cast<std::uintptr_t>(code) & ~std::uintptr_t{0xffffff};
  for (std::uintptr_t away = std::uintptr_t{64} << 20; away < std::uintptr_t{1500} << 20;
       away += std::uintptr_t{16} << 20) {
    for (const std::uintptr_t address : {centre + away, centre - away}) {
      void* wish = reinterpret_cast<void*>(address);
      void* got =
          mmap(wish, kArea + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (got == MAP_FAILED) continue;
      if (got != wish ||
          mmap(wish, kArea, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, memory, 0) == MAP_FAILED ||
          mprotect(static_cast<char*>(wish) + kArea, kPage, PROT_READ | PROT_WRITE) != 0) {
        munmap(got, kArea + kPage);
        continue;
      }
      return static_cast<const std::uint8_t*>(wish);
    }
  }
  return nullptr;
}

std::string start_detours() {
  const void* handler = nullptr;
  if (!machine_is_as_expected(handler)) return "this PHP's virtual machine is not of the expected kind";
  const int memory = memfd_create("assay-digest", MFD_CLOEXEC);
  if (memory < 0 || ftruncate(memory, static_cast<off_t>(kArea)) != 0) return "no memory for the code area";
  void* write = mmap(nullptr, kArea, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  const std::uint8_t* run = write != MAP_FAILED ? map_near(handler, memory) : nullptr;
  ::close(memory);
  if (run == nullptr) return "no room for the code area near the virtual machine";
  area.write = static_cast<std::uint8_t*>(write);
  area.run = run;
  area.number = reinterpret_cast<std::uint64_t*>(const_cast<std::uint8_t*>(run) + kArea);
  area.used = new (write) std::atomic<std::uint64_t>(kStep);
  return {};
}

}  // namespace

std::string start_digest(DigestWay way) {
  if (way == DigestWay::operations) return {};
  std::string trouble;
  if (way != DigestWay::handlers) trouble = start_detours();
  alternating = way == DigestWay::alternate && trouble.empty();
  if (area.run != nullptr) return {};
  handlers = true;
  start_branch_handlers(number_without_area, kMultiplier);
  return trouble;
}

void watch_branches() {
  if (area.run != nullptr) watch_compiler(kPatching);
  if (handlers) watch_compiler(kTakingApart);
}

void begin_digest(std::uint64_t request) {
  if (alternating) lead(request % 2 == 0);
  (area.run != nullptr ? *area.number : number_without_area) = 1;
}

std::uint64_t digest() {
  return area.run != nullptr ? *area.number : number_without_area;
}

void digest_operation(std::uint64_t type) {
  if (area.run == nullptr && !handlers) number_without_area = (number_without_area * kMultiplier) ^ type;
}

}  // namespace assay::php
