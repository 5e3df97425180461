// One instruction of PHP's machine, carried out for each lane. A step computes a value per lane, puts them together and says
// which instruction is next; null says that PHP's own handler is right after all.
#pragma once

#include "superpose/multivalue.hpp"

extern "C" {
#include <zend_vm_opcodes.h>
}

namespace assay::php {

struct Step {
  zend_execute_data* frame;
  const zend_op* op;

  zval* op1() const { return operand(op->op1_type, op->op1, op); }
  zval* op2() const { return operand(op->op2_type, op->op2, op); }
  zval* data() const { return operand(op[1].op1_type, op[1].op1, op + 1); }
  // The variable that an instruction changes.
  zval* target() const { return ZEND_CALL_VAR(frame, op->op1.var); }
  zval* result() const { return ZEND_CALL_VAR(frame, op->result.var); }
  bool wants_result() const { return op->result_type != IS_UNUSED; }

  void free_op1() const { free_operand(op->op1_type, op->op1); }
  void free_op2() const { free_operand(op->op2_type, op->op2); }
  void free_data() const { free_operand(op[1].op1_type, op[1].op1); }

  const zend_op* jump() const { return OP_JMP_ADDR(op, op->op2); }
  const zend_op* next() const { return op + 1; }

  // Frees both operands first: the result may lie where one of them did.
  const zend_op* finish(LaneValues& values) const {
    zval merged;
    values.merge(&merged);
    free_op1();
    free_op2();
    store(&merged);
    return next();
  }
  void store(zval* value) const {
    if (wants_result()) {
      ZVAL_COPY_VALUE(result(), value);
    } else {
      zval_ptr_dtor(value);
    }
  }

  std::string name() const { return zend_get_opcode_name(op->opcode); }

 private:
  zval* operand(zend_uchar type, znode_op node, const zend_op* owner) const {
    if (type == IS_UNUSED) return nullptr;
    if (type == IS_CONST) return RT_CONSTANT(owner, node);
    zval* value = behind(ZEND_CALL_VAR(frame, node.var));
    if (Z_TYPE_P(value) == IS_UNDEF) deny("a variable without a value beside a multivalue");
    return value;
  }
  void free_operand(zend_uchar type, znode_op node) const {
    if ((type & (IS_TMP_VAR | IS_VAR)) == 0) return;
    zval* value = ZEND_CALL_VAR(frame, node.var);
    if (Z_TYPE_P(value) != IS_INDIRECT) zval_ptr_dtor_nogc(value);
  }
};

using StepFunction = const zend_op* (*)(const Step& step);

// Computes a value for each lane; whatever PHP complains about meanwhile is denied (errors.cpp).
template <class Compute>
LaneValues per_lane(Compute compute) {
  LaneValues values;
  for (unsigned i = 0; i < lanes.count; ++i) {
    lanes.current = i;
    compute(i, &values[i]);
    lanes.current = kNoLane;
    if (EG(exception) != nullptr) deny("an exception in one lane");
  }
  return values;
}

// What all lanes decide alike.
template <class Decide>
auto agreed(const Step& step, Decide decide) -> decltype(decide(0U)) {
  using Decision = decltype(decide(0U));
  const Decision first = decide(0U);
  bool same = true;
  for (unsigned i = 1; i < lanes.count && same; ++i) same = decide(i) == first;
  if (!same && stands("divergence")) {
    std::vector<Decision> decisions;
    for (unsigned i = 0; i < lanes.count; ++i) decisions.push_back(decide(i));
    require_same_way(decisions, "the lanes go different ways: " + step.name());
  }
  return first;
}

// Puts a new value into a variable; the old one goes last, as its destructor may run.
inline void replace(zval* variable, zval* value) {
  zval old;
  ZVAL_COPY_VALUE(&old, variable);
  ZVAL_COPY_VALUE(variable, value);
  zval_ptr_dtor(&old);
}

// A reference to a typed property checks what is assigned to it.
inline void refuse_typed_reference(const zval* variable) {
  if (Z_TYPE_P(variable) == IS_INDIRECT) variable = Z_INDIRECT_P(variable);
  if (Z_TYPE_P(variable) == IS_REFERENCE && ZEND_REF_HAS_TYPE_SOURCES(Z_REF_P(variable)))
    deny("a typed reference gets a multivalue");
}

// steps_compute.cpp
const zend_op* step_binary(const Step& step);
const zend_op* step_case(const Step& step);
const zend_op* step_bw_not(const Step& step);
const zend_op* step_bool(const Step& step);
const zend_op* step_cast(const Step& step);
const zend_op* step_type_check(const Step& step);
const zend_op* step_strlen(const Step& step);
const zend_op* step_count(const Step& step);
const zend_op* step_get_type(const Step& step);
const zend_op* step_instanceof(const Step& step);
const zend_op* step_assign_op(const Step& step);
const zend_op* step_increment(const Step& step);

// steps_branch.cpp
const zend_op* step_jump(const Step& step);
const zend_op* step_jump_set(const Step& step);
const zend_op* step_coalesce(const Step& step);
const zend_op* step_jump_null(const Step& step);
const zend_op* step_switch(const Step& step);
const zend_op* step_match(const Step& step);
const zend_op* step_isset_variable(const Step& step);
const zend_op* step_isset_element(const Step& step);
const zend_op* step_isset_property(const Step& step);
const zend_op* step_isset_static(const Step& step);

// steps_array.cpp
const zend_op* step_fetch_element(const Step& step);
const zend_op* step_add_element(const Step& step);
const zend_op* step_assign_element(const Step& step);
const zend_op* step_assign_element_op(const Step& step);
const zend_op* step_assign_nested(const Step& step);
const zend_op* step_unset_element(const Step& step);
const zend_op* step_key_exists(const Step& step);
const zend_op* step_in_array(const Step& step);
// The element of an array under this key; null if there is none. Denied if PHP would say something about the key.
zval* find_element(zend_array* array, const zval* key);

// steps_loop.cpp
const zend_op* step_begin_loop(const Step& step);
const zend_op* step_loop(const Step& step);
void forget_loops();

// steps_object.cpp
const zend_op* step_assign_property(const Step& step);
const zend_op* step_assign_property_op(const Step& step);
const zend_op* step_increment_property(const Step& step);
const zend_op* step_receive(const Step& step);
const zend_op* step_receive_rest(const Step& step);
const zend_op* step_verify_return(const Step& step);
// Where a property of an object of the program lies, if it has one of this name; `info` if it was declared.
zval* property_slot(zend_object* object, zend_string* name, const zend_property_info** info);

// steps_text.cpp
const zend_op* step_echo(const Step& step);
const zend_op* step_rope_init(const Step& step);
const zend_op* step_rope_add(const Step& step);
const zend_op* step_rope_end(const Step& step);
void forget_ropes();
// Objects of the program whose text may be a multivalue.
bool has_own_text(const zval* value);
void text_of_object(zval* out, zval* object);

}  // namespace assay::php
