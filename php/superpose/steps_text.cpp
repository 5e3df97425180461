// What is put together from pieces and printed. The pieces of a rope (a string with variables in it) lie in PHP's memory as
// strings; a multivalue among them is kept beside it.
#include <map>

#include "superpose/output.hpp"
#include "superpose/step.hpp"

namespace assay::php {

namespace {

// By the place of the piece. What is left over when a rope was abandoned goes when another one begins in its place.
std::map<zend_string**, zval> pieces;

void forget_pieces(zend_string** begin, zend_string** end) {
  for (auto at = pieces.lower_bound(begin); at != pieces.end() && at->first < end;) {
    zval_ptr_dtor(&at->second);
    at = pieces.erase(at);
  }
}

// As text in every lane.
void to_text(zval* out, zval* value) {
  if (has_own_text(value)) {
    text_of_object(out, value);
    return;
  }
  LaneValues texts =
      per_lane([&](unsigned lane, zval* each) { ZVAL_STR(each, zval_get_string(in_lane(value, lane))); });
  texts.merge(out);
}

bool differs(zval* value) {
  return is_multi(value) || has_own_text(value);
}

// The last operand of a rope's instruction; null if PHP's handler is right.
const zend_op* put_piece(const Step& step, zend_string** place) {
  zval* value =
      behind(step.op->op2_type == IS_CONST ? step.op2() : ZEND_CALL_VAR(step.frame, step.op->op2.var));
  if (!differs(value)) return nullptr;
  zval text;
  to_text(&text, value);
  step.free_op2();
  if (is_multi(&text)) {
    *place = ZSTR_EMPTY_ALLOC();
    pieces[place] = text;
  } else {
    *place = Z_STR(text);
  }
  return step.next();
}

zend_string** rope_at(const Step& step, std::uint32_t variable) {
  return reinterpret_cast<zend_string**>(ZEND_CALL_VAR(step.frame, variable));
}

}  // namespace

bool has_own_text(const zval* value) {
  return Z_TYPE_P(value) == IS_OBJECT && Z_OBJCE_P(value) != multivalue_class &&
         Z_OBJCE_P(value)->__tostring != nullptr &&
         Z_OBJCE_P(value)->__tostring->type == ZEND_USER_FUNCTION &&
         Z_OBJ_HANDLER_P(value, cast_object) == zend_std_cast_object_tostring;
}

void text_of_object(zval* out, zval* object) {
  ZVAL_UNDEF(out);
  zend_call_known_instance_method_with_0_params(Z_OBJCE_P(object)->__tostring, Z_OBJ_P(object), out);
  if (EG(exception) != nullptr) deny("an exception in __toString");
  if (Z_TYPE_P(out) != IS_STRING && !is_multi(out)) deny("__toString gives no text");
}

const zend_op* step_echo(const Step& step) {
  zval* value = step.op1();
  if (!differs(value)) return nullptr;
  zval text;
  to_text(&text, value);
  step.free_op1();
  print(&text);
  zval_ptr_dtor(&text);
  return step.next();
}

const zend_op* step_rope_init(const Step& step) {
  zend_string** rope = rope_at(step, step.op->result.var);
  if (!pieces.empty()) forget_pieces(rope, rope + step.op->extended_value);
  return put_piece(step, rope);
}

const zend_op* step_rope_add(const Step& step) {
  return put_piece(step, rope_at(step, step.op->op1.var) + step.op->extended_value);
}

const zend_op* step_rope_end(const Step& step) {
  zend_string** rope = rope_at(step, step.op->op1.var);
  const std::uint32_t last = step.op->extended_value;
  const auto first_piece = pieces.lower_bound(rope);
  const bool any = first_piece != pieces.end() && first_piece->first <= rope + last;
  zval* value =
      behind(step.op->op2_type == IS_CONST ? step.op2() : ZEND_CALL_VAR(step.frame, step.op->op2.var));
  if (!any && !differs(value)) return nullptr;
  if (Z_TYPE_P(value) == IS_UNDEF) deny("a variable without a value beside a multivalue");
  zval text;
  to_text(&text, value);
  step.free_op2();
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    smart_str all = {};
    for (std::uint32_t i = 0; i < last; ++i) {
      const auto piece = pieces.find(rope + i);
      smart_str_append(&all, piece != pieces.end() ? Z_STR_P(in_lane(&piece->second, lane)) : rope[i]);
    }
    smart_str_append(&all, Z_STR_P(in_lane(&text, lane)));
    ZVAL_STR(out, smart_str_extract(&all));
  });
  for (std::uint32_t i = 0; i < last; ++i) zend_string_release(rope[i]);
  forget_pieces(rope, rope + last + 1);
  zval_ptr_dtor(&text);
  zval merged;
  values.merge(&merged);
  step.store(&merged);
  return step.next();
}

void forget_ropes() {
  pieces.clear();
}

}  // namespace assay::php
