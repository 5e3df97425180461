#include "record/branch_handlers.hpp"

#include <array>

extern "C" {
#include <zend_vm.h>
}

namespace assay::php {

namespace {

constexpr std::array<zend_uchar, 16> kBranches = {
    ZEND_JMPZ,     ZEND_JMPNZ,       ZEND_JMPZ_EX,       ZEND_JMPNZ_EX,   ZEND_JMP_SET,     ZEND_JMP_NULL,
    ZEND_COALESCE, ZEND_FE_RESET_R,  ZEND_FE_RESET_RW,   ZEND_FE_FETCH_R, ZEND_FE_FETCH_RW, ZEND_ASSERT_CHECK,
    ZEND_CATCH,    ZEND_SWITCH_LONG, ZEND_SWITCH_STRING, ZEND_MATCH};

std::uint64_t* number = nullptr;
std::uint32_t multiplier = 0;
std::array<user_opcode_handler_t, 256> others{};  // who asked before us

// Where a table of cases leads.
std::uint32_t target_in_table(const zend_op& op, const zval& value) {
  const HashTable* table = Z_ARRVAL_P(RT_CONSTANT(&op, op.op2));
  const zval* target = nullptr;
  if (Z_TYPE(value) == IS_LONG && op.opcode != ZEND_SWITCH_STRING) {
    target = zend_hash_index_find(table, static_cast<zend_ulong>(Z_LVAL(value)));
  } else if (Z_TYPE(value) == IS_STRING && op.opcode != ZEND_SWITCH_LONG) {
    target = zend_hash_find(table, Z_STR(value));
  }
  return target != nullptr ? static_cast<std::uint32_t>(Z_LVAL_P(target)) : op.extended_value;
}

// What the branch will do. A loop and a catch show by how often they are reached.
std::uint32_t direction(const zend_op& op, const zend_execute_data* frame) {
  constexpr std::uint32_t kReached = 2;
  switch (op.opcode) {
    case ZEND_FE_RESET_R:
    case ZEND_FE_RESET_RW:
    case ZEND_FE_FETCH_R:
    case ZEND_FE_FETCH_RW:
    case ZEND_ASSERT_CHECK:
    case ZEND_CATCH:
      return kReached;
    default:
      break;
  }
  zval* value = zend_get_zval_ptr(&op, op.op1_type, &op.op1, frame);
  if (value == nullptr) return kReached;
  ZVAL_DEREF(value);
  switch (op.opcode) {
    case ZEND_COALESCE:
    case ZEND_JMP_NULL:
      return Z_TYPE_P(value) <= IS_NULL ? 0 : 1;
    case ZEND_SWITCH_LONG:
    case ZEND_SWITCH_STRING:
    case ZEND_MATCH:
      return target_in_table(op, *value);
    default:
      return Z_TYPE_P(value) != IS_UNDEF && zend_is_true(value) != 0 ? 1 : 0;
  }
}

// The same in every process and after every restart.
std::uint32_t place(const zend_op& op, const zend_op_array& function) {
  zend_ulong id = function.line_start;
  if (function.filename != nullptr) id = id * 31 + zend_string_hash_val(function.filename);
  if (function.function_name != nullptr) id = id * 31 + zend_string_hash_val(function.function_name);
  id = id * 31 + static_cast<zend_ulong>(&op - function.opcodes);
  return static_cast<std::uint32_t>(id ^ (id >> 32));
}

int before_branch(zend_execute_data* execute_data) {
  const zend_op& op = *EX(opline);
  *number = (*number * multiplier) ^ (place(op, EX(func)->op_array) + direction(op, execute_data));
  const user_opcode_handler_t other = others[op.opcode];
  return other != nullptr ? other(execute_data) : ZEND_USER_OPCODE_DISPATCH;
}

}  // namespace

void start_branch_handlers(std::uint64_t& number_to_mix, std::uint32_t multiplier_of_mixing) {
  number = &number_to_mix;
  multiplier = multiplier_of_mixing;
  for (const zend_uchar opcode : kBranches) {
    others[opcode] = zend_get_user_opcode_handler(opcode);
    zend_set_user_opcode_handler(opcode, before_branch);
  }
}

void take_fused_branches_apart(zend_op_array& function) {
  constexpr int kFused = IS_SMART_BRANCH_JMPZ | IS_SMART_BRANCH_JMPNZ;
  for (std::uint32_t i = 0; i < function.last; ++i) {
    zend_op& op = function.opcodes[i];
    if (op.opcode == ZEND_OP_DATA || (op.result_type & kFused) == 0) continue;
    op.result_type = static_cast<zend_uchar>(op.result_type & ~kFused);
    zend_vm_set_opcode_handler(&op);
  }
}

}  // namespace assay::php
