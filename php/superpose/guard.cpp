#include "superpose/guard.hpp"

#include <array>

#include "superpose/step.hpp"

extern "C" {
#include <zend_vm.h>
}

namespace assay::php {

namespace {

struct Rule {
  bool guarded = true;
  StepFunction step = nullptr;  // none: denied
  bool always = false;          // it looks into containers, so its operands do not say enough
  // What lies in an operand is a class, an iterator or a rope, and no value.
  bool first_is_value = true;
  bool second_is_value = true;
  bool result_is_value = false;  // it is added to
  bool has_data = false;         // a third operand, in the instruction behind it
};
std::array<Rule, 256> rules;

bool holds(zend_execute_data* frame, zend_uchar type, znode_op node) {
  return (type & (IS_TMP_VAR | IS_VAR | IS_CV)) != 0 && is_multi(behind(ZEND_CALL_VAR(frame, node.var)));
}

bool meets_multivalue(zend_execute_data* frame, const zend_op* op, const Rule& rule) {
  return (rule.first_is_value && holds(frame, op->op1_type, op->op1)) ||
         (rule.second_is_value && holds(frame, op->op2_type, op->op2)) ||
         (rule.has_data && holds(frame, op[1].op1_type, op[1].op1)) ||
         (rule.result_is_value && is_multi(behind(ZEND_CALL_VAR(frame, op->result.var))));
}

bool has_undefined(zend_execute_data* frame, const zend_op* op) {
  return (op->op1_type == IS_CV && Z_TYPE_P(ZEND_CALL_VAR(frame, op->op1.var)) == IS_UNDEF) ||
         (op->op2_type == IS_CV && Z_TYPE_P(ZEND_CALL_VAR(frame, op->op2.var)) == IS_UNDEF);
}

int before_instruction(zend_execute_data* frame) {
  if (!superposed()) return ZEND_USER_OPCODE_DISPATCH;
  if (lanes.denied) zend_bailout();
  if (lanes.current != kNoLane) deny("code of the program runs in one lane");
  const zend_op* op = frame->opline;
  const Rule& rule = rules[op->opcode];
  if (!meets_multivalue(frame, op, rule)) {
    // PHP complains of a variable without a value, the same in all lanes. The other pieces of a rope may differ, and the variable of
    // a loop only gets one.
    const bool looks_at_both =
        op->opcode != ZEND_ROPE_END && op->opcode != ZEND_FE_FETCH_R && op->opcode != ZEND_FE_FETCH_RW;
    if (!rule.always || (looks_at_both && has_undefined(frame, op))) return ZEND_USER_OPCODE_DISPATCH;
  }
  const Step step{frame, op};
  if (rule.step == nullptr) deny(step.name());
  const zend_op* next = rule.step(step);
  if (next == nullptr) return ZEND_USER_OPCODE_DISPATCH;
  frame->opline = next;
  return ZEND_USER_OPCODE_CONTINUE;
}

const zend_op* move(const Step&) {
  return nullptr;
}

const zend_op* move_to_variable(const Step& step) {
  refuse_typed_reference(step.target());
  return nullptr;
}

// A generator that gives keys and also counts them itself counts on from the largest.
const zend_op* move_with_key(const Step& step) {
  if (!holds(step.frame, step.op->op2_type, step.op->op2)) return nullptr;
  const zend_op_array& code = step.frame->func->op_array;
  for (const zend_op* op = code.opcodes; op != code.opcodes + code.last; ++op) {
    if (op->opcode == ZEND_YIELD && op->op2_type == IS_UNUSED) deny("a generator's key");
  }
  return nullptr;
}

const zend_op* move_to_static(const Step& step) {
  zval* value = step.data();
  if (!is_multi(value)) return nullptr;
  deny("a static property gets a multivalue");
}

void set(std::initializer_list<int> opcodes, StepFunction step) {
  for (const int opcode : opcodes) rules[static_cast<std::size_t>(opcode)].step = step;
}

// These never look at a value, or are the machine's own.
void leave_alone() {
  for (const int opcode : {ZEND_NOP,
                           ZEND_JMP,
                           ZEND_OP_DATA,
                           ZEND_HANDLE_EXCEPTION,
                           ZEND_USER_OPCODE,
                           ZEND_CALL_TRAMPOLINE,
                           ZEND_FAST_CALL,
                           ZEND_FAST_RET,
                           ZEND_DISCARD_EXCEPTION,
                           ZEND_CATCH,
                           ZEND_BEGIN_SILENCE,
                           ZEND_END_SILENCE,
                           ZEND_GENERATOR_CREATE,
                           ZEND_DECLARE_FUNCTION,
                           ZEND_DECLARE_LAMBDA_FUNCTION,
                           ZEND_DECLARE_CLASS,
                           ZEND_DECLARE_CLASS_DELAYED,
                           ZEND_DECLARE_ANON_CLASS,
                           ZEND_TICKS,
                           ZEND_EXT_STMT,
                           ZEND_EXT_FCALL_BEGIN,
                           ZEND_EXT_FCALL_END,
                           ZEND_EXT_NOP,
                           ZEND_FETCH_THIS,
                           ZEND_ISSET_ISEMPTY_THIS,
                           ZEND_FUNC_NUM_ARGS,
                           ZEND_GET_CALLED_CLASS,
                           ZEND_INIT_FCALL,
                           ZEND_INIT_FCALL_BY_NAME,
                           ZEND_INIT_NS_FCALL_BY_NAME,
                           ZEND_DO_FCALL,
                           ZEND_DO_UCALL,
                           ZEND_DO_ICALL,
                           ZEND_DO_FCALL_BY_NAME,
                           ZEND_CHECK_FUNC_ARG,
                           ZEND_CHECK_UNDEF_ARGS,
                           ZEND_FETCH_CONSTANT,
                           ZEND_VERIFY_NEVER_TYPE,
                           ZEND_ASSERT_CHECK,
                           ZEND_DEFINED,
                           ZEND_CALLABLE_CONVERT})
    rules[static_cast<std::size_t>(opcode)].guarded = false;
}

// Where an operand is no value.
void name_odd_operands() {
  for (const int opcode :
       {ZEND_NEW, ZEND_INIT_STATIC_METHOD_CALL, ZEND_FETCH_CLASS_CONSTANT, ZEND_ROPE_ADD, ZEND_ROPE_END})
    rules[static_cast<std::size_t>(opcode)].first_is_value = false;
  for (const int opcode :
       {ZEND_INSTANCEOF, ZEND_FETCH_STATIC_PROP_R, ZEND_FETCH_STATIC_PROP_W, ZEND_FETCH_STATIC_PROP_RW,
        ZEND_FETCH_STATIC_PROP_IS, ZEND_FETCH_STATIC_PROP_FUNC_ARG, ZEND_FETCH_STATIC_PROP_UNSET,
        ZEND_UNSET_STATIC_PROP, ZEND_ISSET_ISEMPTY_STATIC_PROP, ZEND_ASSIGN_STATIC_PROP,
        ZEND_ASSIGN_STATIC_PROP_REF, ZEND_ASSIGN_STATIC_PROP_OP, ZEND_PRE_INC_STATIC_PROP,
        ZEND_PRE_DEC_STATIC_PROP, ZEND_POST_INC_STATIC_PROP, ZEND_POST_DEC_STATIC_PROP})
    rules[static_cast<std::size_t>(opcode)].second_is_value = false;
  for (const int opcode : {ZEND_RECV, ZEND_RECV_INIT, ZEND_ADD_ARRAY_ELEMENT, ZEND_ADD_ARRAY_UNPACK})
    rules[static_cast<std::size_t>(opcode)].result_is_value = true;
  for (const int opcode :
       {ZEND_ASSIGN_DIM, ZEND_ASSIGN_OBJ, ZEND_ASSIGN_STATIC_PROP, ZEND_ASSIGN_DIM_OP, ZEND_ASSIGN_OBJ_OP,
        ZEND_ASSIGN_STATIC_PROP_OP, ZEND_ASSIGN_OBJ_REF, ZEND_ASSIGN_STATIC_PROP_REF})
    rules[static_cast<std::size_t>(opcode)].has_data = true;
}

void name_moves() {
  set({ZEND_QM_ASSIGN,     ZEND_SEND_VAL,    ZEND_SEND_VAL_EX,      ZEND_SEND_VAR,
       ZEND_SEND_VAR_EX,   ZEND_SEND_REF,    ZEND_SEND_VAR_NO_REF,  ZEND_SEND_VAR_NO_REF_EX,
       ZEND_SEND_FUNC_ARG, ZEND_SEND_USER,   ZEND_RETURN,           ZEND_RETURN_BY_REF,
       ZEND_FREE,          ZEND_FE_FREE,     ZEND_COPY_TMP,         ZEND_BIND_LEXICAL,
       ZEND_BIND_STATIC,   ZEND_BIND_GLOBAL, ZEND_ASSIGN_REF,       ZEND_MAKE_REF,
       ZEND_UNSET_CV,      ZEND_CHECK_VAR,   ZEND_GENERATOR_RETURN, ZEND_SEPARATE},
      move);
  set({ZEND_ASSIGN}, move_to_variable);
  set({ZEND_FE_FETCH_R, ZEND_FE_FETCH_RW}, step_loop);
  set({ZEND_YIELD}, move_with_key);
  set({ZEND_ASSIGN_STATIC_PROP}, move_to_static);
}

void name_steps() {
  set({ZEND_ADD,          ZEND_SUB,
       ZEND_MUL,          ZEND_DIV,
       ZEND_MOD,          ZEND_POW,
       ZEND_SL,           ZEND_SR,
       ZEND_BW_OR,        ZEND_BW_AND,
       ZEND_BW_XOR,       ZEND_BOOL_XOR,
       ZEND_CONCAT,       ZEND_FAST_CONCAT,
       ZEND_IS_EQUAL,     ZEND_IS_NOT_EQUAL,
       ZEND_IS_IDENTICAL, ZEND_IS_NOT_IDENTICAL,
       ZEND_IS_SMALLER,   ZEND_IS_SMALLER_OR_EQUAL,
       ZEND_SPACESHIP},
      step_binary);
  set({ZEND_CASE, ZEND_CASE_STRICT}, step_case);
  set({ZEND_BW_NOT}, step_bw_not);
  set({ZEND_BOOL, ZEND_BOOL_NOT}, step_bool);
  set({ZEND_CAST}, step_cast);
  set({ZEND_TYPE_CHECK}, step_type_check);
  set({ZEND_STRLEN}, step_strlen);
  set({ZEND_COUNT}, step_count);
  set({ZEND_GET_TYPE}, step_get_type);
  set({ZEND_INSTANCEOF}, step_instanceof);
  set({ZEND_ASSIGN_OP}, step_assign_op);
  set({ZEND_PRE_INC, ZEND_PRE_DEC, ZEND_POST_INC, ZEND_POST_DEC}, step_increment);
  set({ZEND_JMPZ, ZEND_JMPNZ, ZEND_JMPZ_EX, ZEND_JMPNZ_EX}, step_jump);
  set({ZEND_JMP_SET}, step_jump_set);
  set({ZEND_COALESCE}, step_coalesce);
  set({ZEND_JMP_NULL}, step_jump_null);
  set({ZEND_SWITCH_LONG, ZEND_SWITCH_STRING}, step_switch);
  set({ZEND_MATCH}, step_match);
  set({ZEND_ISSET_ISEMPTY_CV}, step_isset_variable);
  set({ZEND_ISSET_ISEMPTY_DIM_OBJ}, step_isset_element);
  set({ZEND_ISSET_ISEMPTY_PROP_OBJ}, step_isset_property);
  set({ZEND_ISSET_ISEMPTY_STATIC_PROP}, step_isset_static);
  set({ZEND_FETCH_DIM_R, ZEND_FETCH_DIM_IS, ZEND_FETCH_DIM_FUNC_ARG, ZEND_FETCH_LIST_R}, step_fetch_element);
  set({ZEND_INIT_ARRAY, ZEND_ADD_ARRAY_ELEMENT}, step_add_element);
  set({ZEND_ASSIGN_DIM}, step_assign_element);
  set({ZEND_ASSIGN_DIM_OP}, step_assign_element_op);
  set({ZEND_UNSET_DIM}, step_unset_element);
  set({ZEND_ARRAY_KEY_EXISTS}, step_key_exists);
  set({ZEND_IN_ARRAY}, step_in_array);
  set({ZEND_ASSIGN_OBJ}, step_assign_property);
  set({ZEND_ASSIGN_OBJ_OP}, step_assign_property_op);
  set({ZEND_PRE_INC_OBJ, ZEND_PRE_DEC_OBJ, ZEND_POST_INC_OBJ, ZEND_POST_DEC_OBJ}, step_increment_property);
  set({ZEND_FE_RESET_R}, step_begin_loop);
  set({ZEND_FETCH_DIM_W}, step_assign_nested);
  set({ZEND_RECV, ZEND_RECV_INIT}, step_receive);
  set({ZEND_RECV_VARIADIC}, step_receive_rest);
  set({ZEND_VERIFY_RETURN_TYPE}, step_verify_return);
  set({ZEND_ECHO}, step_echo);
  set({ZEND_ROPE_INIT}, step_rope_init);
  set({ZEND_ROPE_ADD}, step_rope_add);
  set({ZEND_ROPE_END}, step_rope_end);
}

// Instructions that look at more than their operands: into arrays and objects, at the text of objects, at what comes behind.
void name_lookers() {
  for (const int opcode : {ZEND_ISSET_ISEMPTY_DIM_OBJ,
                           ZEND_ISSET_ISEMPTY_PROP_OBJ,
                           ZEND_ISSET_ISEMPTY_STATIC_PROP,
                           ZEND_ISSET_ISEMPTY_VAR,
                           ZEND_IS_IDENTICAL,
                           ZEND_IS_NOT_IDENTICAL,
                           ZEND_CASE_STRICT,
                           ZEND_IS_EQUAL,
                           ZEND_IS_NOT_EQUAL,
                           ZEND_CASE,
                           ZEND_SPACESHIP,
                           ZEND_IS_SMALLER,
                           ZEND_IS_SMALLER_OR_EQUAL,
                           ZEND_CONCAT,
                           ZEND_FAST_CONCAT,
                           ZEND_CAST,
                           ZEND_ECHO,
                           ZEND_ROPE_INIT,
                           ZEND_ROPE_ADD,
                           ZEND_ROPE_END,
                           ZEND_ASSIGN_OP,
                           ZEND_ASSIGN_DIM_OP,
                           ZEND_ASSIGN_OBJ_OP,
                           ZEND_PRE_INC_OBJ,
                           ZEND_PRE_DEC_OBJ,
                           ZEND_POST_INC_OBJ,
                           ZEND_POST_DEC_OBJ,
                           ZEND_RECV_INIT,
                           ZEND_RECV_VARIADIC,
                           ZEND_FE_FETCH_R,
                           ZEND_FE_FETCH_RW})
    rules[static_cast<std::size_t>(opcode)].always = true;
}

}  // namespace

void raise_guard() {
  leave_alone();
  name_odd_operands();
  name_moves();
  name_steps();
  name_lookers();
  for (int opcode = 0; opcode <= ZEND_VM_LAST_OPCODE; ++opcode) {
    const char* name = zend_get_opcode_name(static_cast<zend_uchar>(opcode));
    if (name == nullptr || !rules[static_cast<std::size_t>(opcode)].guarded || !stands(name)) continue;
    zend_set_user_opcode_handler(static_cast<zend_uchar>(opcode), before_instruction);
  }
}

}  // namespace assay::php
