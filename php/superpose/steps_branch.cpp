// Where the program may go different ways: denied unless all lanes go the same. And isset, which looks into containers.
#include "superpose/step.hpp"

namespace assay::php {

namespace {

bool truth(const Step& step, zval* value) {
  return agreed(step, [&](unsigned lane) { return zend_is_true(in_lane(value, lane)); });
}

// isset or empty of a value that is there.
void answer_isset(const Step& step, const zval* value, zval* out) {
  if ((step.op->extended_value & ZEND_ISEMPTY) != 0) {
    ZVAL_BOOL(out, !zend_is_true(const_cast<zval*>(value)));
  } else {
    ZVAL_BOOL(out, Z_TYPE_P(value) > IS_NULL);
  }
}

void answer_isset_character(const Step& step, const zval* text, zend_long at, zval* out) {
  const auto size = static_cast<zend_long>(Z_STRLEN_P(text));
  if (at < 0) at += size;
  const bool there = at >= 0 && at < size;
  const bool asks_empty = (step.op->extended_value & ZEND_ISEMPTY) != 0;
  ZVAL_BOOL(out, asks_empty ? !there || Z_STRVAL_P(text)[at] == '0' : there);
}

LaneValues isset_of(const Step& step, zval* value) {
  return per_lane([&](unsigned lane, zval* out) { answer_isset(step, in_lane(value, lane), out); });
}

}  // namespace

const zend_op* step_jump(const Step& step) {
  const bool yes = truth(step, step.op1());
  step.free_op1();
  const zend_uchar opcode = step.op->opcode;
  if (opcode == ZEND_JMPZ_EX || opcode == ZEND_JMPNZ_EX) ZVAL_BOOL(step.result(), yes);
  const bool jumps_if = opcode == ZEND_JMPNZ || opcode == ZEND_JMPNZ_EX;
  return yes == jumps_if ? step.jump() : step.next();
}

// The value is the result of the jump, if it is taken.
const zend_op* jump_with(const Step& step, const zval* value, bool taken) {
  zval kept{};
  if (taken) ZVAL_COPY(&kept, value);
  step.free_op1();
  if (!taken) return step.next();
  ZVAL_COPY_VALUE(step.result(), &kept);
  return step.jump();
}

const zend_op* step_jump_set(const Step& step) {
  zval* value = step.op1();
  return jump_with(step, value, truth(step, value));
}

const zend_op* step_coalesce(const Step& step) {
  zval* value = step.op1();
  const bool is_there = agreed(step, [&](unsigned lane) { return Z_TYPE_P(in_lane(value, lane)) > IS_NULL; });
  return jump_with(step, value, is_there);
}

const zend_op* step_jump_null(const Step& step) {
  zval* value = step.op1();
  if (agreed(step, [&](unsigned lane) { return Z_TYPE_P(in_lane(value, lane)) <= IS_NULL; }))
    deny("a null-safe operator on a multivalue");
  return step.next();
}

// Behind the table stand the comparisons one by one.
const zend_op* step_switch(const Step& step) {
  return step.next();
}

const zend_op* step_match(const Step& step) {
  zval* value = step.op1();
  const HashTable* table = Z_ARRVAL_P(RT_CONSTANT(step.op, step.op->op2));
  const zend_op* target = agreed(step, [&](unsigned lane) -> const zend_op* {
    const zval* each = in_lane(value, lane);
    const zval* found = nullptr;
    if (Z_TYPE_P(each) == IS_LONG) {
      found = zend_hash_index_find(table, static_cast<zend_ulong>(Z_LVAL_P(each)));
    } else if (Z_TYPE_P(each) == IS_STRING) {
      found = zend_hash_find(table, Z_STR_P(each));
    }
    const auto offset = found != nullptr ? Z_LVAL_P(found) : static_cast<zend_long>(step.op->extended_value);
    return ZEND_OFFSET_TO_OPLINE(step.op, static_cast<std::int32_t>(offset));
  });
  return target;
}

const zend_op* step_isset_variable(const Step& step) {
  LaneValues values = isset_of(step, step.op1());
  zval merged;
  values.merge(&merged);
  step.store(&merged);
  return step.next();
}

const zend_op* step_isset_element(const Step& step) {
  zval* container = behind(step.target());
  if (step.op->op1_type == IS_CONST) container = step.op1();
  zval* key =
      step.op->op2_type == IS_CONST ? step.op2() : behind(ZEND_CALL_VAR(step.frame, step.op->op2.var));
  if (!is_multi(container) && !is_multi(key)) {
    if (Z_TYPE_P(container) != IS_ARRAY) {
      if (Z_TYPE_P(container) == IS_OBJECT &&
          Z_OBJ_HANDLER_P(container, has_dimension) != zend_std_has_dimension)
        deny("isset of an element of an object of PHP");
      return nullptr;
    }
    if (Z_TYPE_P(key) != IS_STRING && Z_TYPE_P(key) != IS_LONG) {
      if (holds_multi(container)) deny("isset under an odd key");
      return nullptr;
    }
    zval* element = find_element(Z_ARRVAL_P(container), key);
    if (element == nullptr || !is_multi(behind(element))) return nullptr;
    LaneValues values = isset_of(step, behind(element));
    return step.finish(values);
  }
  if (Z_TYPE_P(container) == IS_OBJECT && !is_multi(container)) deny("isset of an object with a multivalue");
  Operand containers(container), keys(key);
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    zval* each = containers.at(lane);
    if (Z_TYPE_P(each) == IS_STRING && Z_TYPE_P(keys.at(lane)) == IS_LONG) {
      answer_isset_character(step, each, Z_LVAL_P(keys.at(lane)), out);
      return;
    }
    if (Z_TYPE_P(each) != IS_ARRAY) deny("isset of an element of something else");
    const zval* element = find_element(Z_ARRVAL_P(each), keys.at(lane));
    if (element == nullptr) {
      ZVAL_BOOL(out, (step.op->extended_value & ZEND_ISEMPTY) != 0);
    } else {
      answer_isset(step, behind(const_cast<zval*>(element)), out);
    }
  });
  return step.finish(values);
}

// A property that holds a multivalue; where there is none PHP asks the program (__isset).
const zend_op* step_isset_property(const Step& step) {
  zval* container = step.op->op1_type == IS_UNUSED ? &step.frame->This : behind(step.target());
  zval* name =
      step.op->op2_type == IS_CONST ? step.op2() : behind(ZEND_CALL_VAR(step.frame, step.op->op2.var));
  if (is_multi(container) || is_multi(name)) deny("isset of a property with a multivalue");
  if (Z_TYPE_P(container) != IS_OBJECT || Z_TYPE_P(name) != IS_STRING) return nullptr;
  const zend_property_info* info = nullptr;
  zval* slot = property_slot(Z_OBJ_P(container), Z_STR_P(name), &info);
  if (slot == nullptr || !is_multi(behind(slot))) return nullptr;
  LaneValues values = isset_of(step, behind(slot));
  zval merged;
  values.merge(&merged);
  if (step.op->op1_type != IS_UNUSED) step.free_op1();
  step.free_op2();
  step.store(&merged);
  return step.next();
}

const zend_op* step_isset_static(const Step& step) {
  const Step& s = step;
  if (s.op->op1_type != IS_CONST) deny("isset of a static property by a computed name");
  zend_class_entry* ce = nullptr;
  if (s.op->op2_type == IS_CONST) {
    ce = zend_lookup_class_ex(Z_STR_P(RT_CONSTANT(s.op, s.op->op2)),
                              Z_STR_P(RT_CONSTANT(s.op, s.op->op2) + 1), ZEND_FETCH_CLASS_NO_AUTOLOAD);
    if (ce == nullptr) deny("isset of a static property of a class that is not loaded");
  } else if (s.op->op2_type == IS_UNUSED) {
    ce = zend_fetch_class(nullptr, s.op->op2.num);
  } else {
    ce = Z_CE_P(ZEND_CALL_VAR(s.frame, s.op->op2.var));
  }
  zval* found = ce != nullptr
                    ? zend_std_get_static_property(ce, Z_STR_P(RT_CONSTANT(s.op, s.op->op1)), BP_VAR_IS)
                    : nullptr;
  if (found == nullptr || !is_multi(behind(found))) return nullptr;
  LaneValues values = isset_of(s, behind(found));
  zval merged;
  values.merge(&merged);
  s.store(&merged);
  return s.next();
}

}  // namespace assay::php
