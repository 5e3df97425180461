// Arithmetic, comparison, casts, and what assigns their results.
#include "superpose/step.hpp"

namespace assay::php {

namespace {

zend_uchar operation_of(zend_uchar opcode) {
  switch (opcode) {
    case ZEND_FAST_CONCAT:
      return ZEND_CONCAT;
    case ZEND_CASE:
      return ZEND_IS_EQUAL;
    case ZEND_CASE_STRICT:
      return ZEND_IS_IDENTICAL;
    default:
      return opcode;
  }
}

// The text of an object of the program stands for it in a concatenation, and may differ between lanes.
class Text {
 public:
  Text(zval* value, bool wanted) : value_(value) {
    ZVAL_UNDEF(&made_);
    if (!wanted || !has_own_text(value)) return;
    text_of_object(&made_, value);
    value_ = &made_;
  }
  ~Text() { zval_ptr_dtor(&made_); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  zval* value() { return value_; }
  bool was_made() const { return Z_TYPE(made_) != IS_UNDEF; }

 private:
  zval* value_;
  zval made_;
};

LaneValues compute(zend_uchar operation, Operand& left, Operand& right) {
  const binary_op_type function = get_binary_op(operation);
  return per_lane([&](unsigned lane, zval* out) { function(out, left.at(lane), right.at(lane)); });
}

}  // namespace

const zend_op* step_binary(const Step& step) {
  const zend_uchar operation = operation_of(step.op->opcode);
  const bool texts = operation == ZEND_CONCAT;
  Text left(step.op1(), texts), right(step.op2(), texts);
  Operand a(left.value()), b(right.value());
  if (!a.differs() && !b.differs() && !left.was_made() && !right.was_made()) return nullptr;
  LaneValues values = compute(operation, a, b);
  return step.finish(values);
}

// The value that cases are compared with stays.
const zend_op* step_case(const Step& step) {
  Operand a(step.op1()), b(step.op2());
  if (!a.differs() && !b.differs()) return nullptr;
  LaneValues values = compute(operation_of(step.op->opcode), a, b);
  zval merged;
  values.merge(&merged);
  step.free_op2();
  step.store(&merged);
  return step.next();
}

const zend_op* step_bw_not(const Step& step) {
  Operand a(step.op1());
  LaneValues values = per_lane([&](unsigned lane, zval* out) { bitwise_not_function(out, a.at(lane)); });
  return step.finish(values);
}

const zend_op* step_bool(const Step& step) {
  Operand a(step.op1());
  const bool wanted = step.op->opcode == ZEND_BOOL;
  LaneValues values =
      per_lane([&](unsigned lane, zval* out) { ZVAL_BOOL(out, zend_is_true(a.at(lane)) == wanted); });
  return step.finish(values);
}

const zend_op* step_cast(const Step& step) {
  zval* value = step.op1();
  const auto type = step.op->extended_value;
  if (!is_multi(value)) {
    if (type != IS_STRING || !has_own_text(value)) return nullptr;
    zval text;
    ZVAL_UNDEF(&text);
    text_of_object(&text, value);
    step.free_op1();
    step.store(&text);
    return step.next();
  }
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    zval* each = in_lane(value, lane);
    switch (type) {
      case IS_LONG:
        ZVAL_LONG(out, zval_get_long(each));
        break;
      case IS_DOUBLE:
        ZVAL_DOUBLE(out, zval_get_double(each));
        break;
      case IS_STRING:
        ZVAL_STR(out, zval_get_string(each));
        break;
      case IS_ARRAY:
        ZVAL_COPY(out, each);
        if (Z_TYPE_P(out) != IS_ARRAY) convert_to_array(out);
        break;
      default:
        deny("a cast of a multivalue");
    }
  });
  return step.finish(values);
}

const zend_op* step_type_check(const Step& step) {
  Operand a(step.op1());
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    ZVAL_BOOL(out, (step.op->extended_value >> static_cast<std::uint32_t>(Z_TYPE_P(a.at(lane))) & 1) != 0);
  });
  return step.finish(values);
}

const zend_op* step_strlen(const Step& step) {
  zval* value = step.op1();
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    const zval* each = in_lane(value, lane);
    if (Z_TYPE_P(each) != IS_STRING) deny("strlen of something else");
    ZVAL_LONG(out, static_cast<zend_long>(Z_STRLEN_P(each)));
  });
  return step.finish(values);
}

const zend_op* step_count(const Step& step) {
  zval* value = step.op1();
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    const zval* each = in_lane(value, lane);
    if (Z_TYPE_P(each) != IS_ARRAY) deny("count of something else");
    ZVAL_LONG(out, zend_hash_num_elements(Z_ARRVAL_P(each)));
  });
  return step.finish(values);
}

const zend_op* step_get_type(const Step& step) {
  zval* value = step.op1();
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    ZVAL_INTERNED_STR(out, zend_zval_get_legacy_type(in_lane(value, lane)));
  });
  return step.finish(values);
}

// A multivalue holds plain values, and they are no objects.
const zend_op* step_instanceof(const Step& step) {
  step.free_op1();
  zval no{};
  ZVAL_FALSE(&no);
  step.store(&no);
  return step.next();
}

const zend_op* step_assign_op(const Step& step) {
  zval* variable = behind(step.target());
  if (Z_TYPE_P(variable) == IS_UNDEF) deny("a variable without a value beside a multivalue");
  const auto operation = static_cast<zend_uchar>(step.op->extended_value);
  const bool texts = operation == ZEND_CONCAT;
  Text left(variable, texts), right(step.op2(), texts);
  Operand a(left.value()), b(right.value());
  if (!a.differs() && !b.differs() && !left.was_made() && !right.was_made()) return nullptr;
  refuse_typed_reference(step.target());
  LaneValues values = compute(operation, a, b);
  zval merged;
  values.merge(&merged);
  if (step.wants_result()) ZVAL_COPY(step.result(), &merged);
  replace(variable, &merged);
  step.free_op2();
  step.free_op1();
  return step.next();
}

const zend_op* step_increment(const Step& step) {
  zval* variable = behind(step.target());
  refuse_typed_reference(step.target());
  const zend_uchar opcode = step.op->opcode;
  const bool up = opcode == ZEND_PRE_INC || opcode == ZEND_POST_INC;
  const bool after = opcode == ZEND_POST_INC || opcode == ZEND_POST_DEC;
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    ZVAL_COPY(out, in_lane(variable, lane));
    if (up) {
      increment_function(out);
    } else {
      decrement_function(out);
    }
  });
  zval merged;
  values.merge(&merged);
  if (step.wants_result()) ZVAL_COPY(step.result(), after ? variable : &merged);
  replace(variable, &merged);
  step.free_op1();
  return step.next();
}

}  // namespace assay::php
