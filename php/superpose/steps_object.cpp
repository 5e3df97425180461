// Properties, and the types that parameters, properties and results have. Objects are the same in all lanes; what they hold may
// differ.
#include "superpose/step.hpp"

namespace assay::php {

namespace {

// A value of each lane against a declared type, converted where PHP would convert it. Denied if it does not fit.
void fit_type(zval* value, const zend_type& type, bool strict) {
  if (!ZEND_TYPE_IS_SET(type)) return;
  bool exact = true;
  for (unsigned i = 0; i < lanes.count; ++i)
    exact = exact && ZEND_TYPE_CONTAINS_CODE(type, Z_TYPE_P(in_lane(value, i)));
  if (exact) return;
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    ZVAL_COPY(out, in_lane(value, lane));
    if (ZEND_TYPE_CONTAINS_CODE(type, Z_TYPE_P(out))) return;
    SEPARATE_ZVAL_NOREF(out);
    if (!zend_verify_scalar_type_hint(ZEND_TYPE_FULL_MASK(type), out, strict, false))
      deny("a type does not fit");
  });
  zval merged;
  values.merge(&merged);
  replace(value, &merged);
}

// A call is strict if the file of the caller says so; C code is not.
bool uses_strict_types(const zend_execute_data* caller) {
  return caller != nullptr && caller->func != nullptr && ZEND_CALL_USES_STRICT_TYPES(caller);
}

struct Target {
  zval* slot = nullptr;
  const zend_property_info* info = nullptr;
};

zval* object_of(const Step& step) {
  return step.op->op1_type == IS_UNUSED ? &step.frame->This : behind(step.target());
}
zval* name_of(const Step& step) {
  return step.op->op2_type == IS_CONST ? step.op2() : behind(ZEND_CALL_VAR(step.frame, step.op->op2.var));
}

// The property that an instruction changes, if it is there and PHP would ask nobody about it.
Target target_of(const Step& step) {
  zval* object = object_of(step);
  zval* name = name_of(step);
  Target target;
  if (is_multi(object) || is_multi(name)) deny("a property with a multivalue: " + step.name());
  if (Z_TYPE_P(object) != IS_OBJECT || Z_TYPE_P(name) != IS_STRING) return target;
  target.slot = property_slot(Z_OBJ_P(object), Z_STR_P(name), &target.info);
  return target;
}

// The new value of a property, computed per lane from the old one.
zval* put_property(const Step& step, const Target& target, LaneValues& values) {
  if (target.info != nullptr && (target.info->flags & ZEND_ACC_READONLY) != 0)
    deny("a property that is read only");
  refuse_typed_reference(target.slot);
  zval merged;
  values.merge(&merged);
  if (target.info != nullptr && is_multi(&merged)) {
    fit_type(&merged, target.info->type, ZEND_CALL_USES_STRICT_TYPES(step.frame));
  } else if (target.info != nullptr && ZEND_TYPE_IS_SET(target.info->type) &&
             !ZEND_TYPE_CONTAINS_CODE(target.info->type, Z_TYPE(merged))) {
    deny("a type does not fit");
  }
  zval* slot = behind(target.slot);
  replace(slot, &merged);
  return slot;
}

void free_object_and_name(const Step& step) {
  step.free_op2();
  if (step.op->op1_type != IS_UNUSED) step.free_op1();
}

}  // namespace

zval* property_slot(zend_object* object, zend_string* name, const zend_property_info** info) {
  *info = nullptr;
  if (object->handlers->read_property != zend_std_read_property ||
      object->handlers->get_property_ptr_ptr != zend_std_get_property_ptr_ptr)
    return nullptr;
  const zend_property_info* found = zend_get_property_info(object->ce, name, 1);
  if (found == ZEND_WRONG_PROPERTY_INFO) return nullptr;
  if (found != nullptr) {
    if ((found->flags & ZEND_ACC_STATIC) != 0) return nullptr;
    *info = found;
    zval* slot = OBJ_PROP(object, found->offset);
    return Z_TYPE_P(slot) == IS_UNDEF ? nullptr : slot;
  }
  if (object->properties == nullptr) return nullptr;
  zval* slot = zend_hash_find(object->properties, name);
  if (slot != nullptr && Z_TYPE_P(slot) == IS_INDIRECT) slot = Z_INDIRECT_P(slot);
  if (slot != nullptr && GC_REFCOUNT(object->properties) > 1) deny("properties that are shared");
  return slot;
}

// The value differs, or PHP's own handler is right.
const zend_op* step_assign_property(const Step& step) {
  zval* object = object_of(step);
  zval* name = name_of(step);
  if (is_multi(object) || is_multi(name)) deny("a property with a multivalue: " + step.name());
  if (Z_TYPE_P(object) != IS_OBJECT || Z_TYPE_P(name) != IS_STRING) deny("a property of something else");
  if (Z_OBJ_HANDLER_P(object, write_property) != zend_std_write_property)
    deny("a property of an object of PHP");
  const zend_property_info* info = zend_get_property_info(Z_OBJCE_P(object), Z_STR_P(name), 1);
  if (info == nullptr || info == ZEND_WRONG_PROPERTY_INFO || !ZEND_TYPE_IS_SET(info->type)) return nullptr;
  if ((info->flags & (ZEND_ACC_READONLY | ZEND_ACC_STATIC)) != 0) deny("a property that is read only");
  zval* slot = OBJ_PROP(Z_OBJ_P(object), info->offset);
  if (Z_TYPE_P(slot) == IS_UNDEF && (Z_PROP_FLAG_P(slot) & IS_PROP_UNINIT) == 0)
    deny("a property that was unset");
  if (Z_TYPE_P(slot) == IS_REFERENCE) deny("a typed property that is a reference");
  zval value;
  ZVAL_COPY(&value, step.data());
  fit_type(&value, info->type, ZEND_CALL_USES_STRICT_TYPES(step.frame));
  if (step.wants_result()) ZVAL_COPY(step.result(), &value);
  Z_PROP_FLAG_P(slot) = 0;
  replace(slot, &value);
  step.free_data();
  free_object_and_name(step);
  return step.op + 2;
}

const zend_op* step_assign_property_op(const Step& step) {
  const Target target = target_of(step);
  zval* data =
      behind(step.op[1].op1_type == IS_CONST ? step.data() : ZEND_CALL_VAR(step.frame, step.op[1].op1.var));
  if (target.slot == nullptr) {
    if (is_multi(data)) deny("a property that is missing is computed");
    return nullptr;
  }
  zval* old = behind(target.slot);
  if (!is_multi(old) && !is_multi(data)) return nullptr;
  if (Z_TYPE_P(old) == IS_OBJECT && !is_multi(old)) deny("an object is computed with");
  if (Z_TYPE_P(data) == IS_OBJECT && !is_multi(data)) deny("an object is computed with");
  Operand left(old), right(data);
  const binary_op_type function = get_binary_op(static_cast<int>(step.op->extended_value));
  LaneValues values =
      per_lane([&](unsigned lane, zval* out) { function(out, left.at(lane), right.at(lane)); });
  const zval* slot = put_property(step, target, values);
  if (step.wants_result()) ZVAL_COPY(step.result(), slot);
  step.free_data();
  free_object_and_name(step);
  return step.op + 2;
}

const zend_op* step_increment_property(const Step& step) {
  const Target target = target_of(step);
  if (target.slot == nullptr || !is_multi(behind(target.slot))) return nullptr;
  const zend_uchar opcode = step.op->opcode;
  const bool up = opcode == ZEND_PRE_INC_OBJ || opcode == ZEND_POST_INC_OBJ;
  const bool after = opcode == ZEND_POST_INC_OBJ || opcode == ZEND_POST_DEC_OBJ;
  zval before;
  ZVAL_COPY(&before, behind(target.slot));
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    ZVAL_COPY(out, in_lane(&before, lane));
    if (up) {
      increment_function(out);
    } else {
      decrement_function(out);
    }
  });
  const zval* slot = put_property(step, target, values);
  if (step.wants_result()) ZVAL_COPY(step.result(), after ? &before : slot);
  zval_ptr_dtor(&before);
  free_object_and_name(step);
  return step.next();
}

// PHP's handler of optional parameters goes on to the next one by itself, so one that is the same in all lanes must not hide
// one behind it that is not.
const zend_op* step_receive(const Step& step) {
  const std::uint32_t number = step.op->op1.num;
  const zend_function* function = step.frame->func;
  if (number > ZEND_CALL_NUM_ARGS(step.frame)) return nullptr;
  const zend_type& type = function->common.arg_info[number - 1].type;
  zval* value = behind(step.result());
  if (is_multi(value)) {
    // Of a parameter by reference the variable outside changes too; that is where `behind` leads.
    refuse_typed_reference(step.result());
    fit_type(value, type, uses_strict_types(step.frame->prev_execute_data));
    return step.next();
  }
  if (step.op->opcode != ZEND_RECV_INIT || step.op[1].opcode != ZEND_RECV_INIT) return nullptr;
  if (!ZEND_TYPE_IS_SET(type) || ZEND_TYPE_CONTAINS_CODE(type, Z_TYPE_P(value))) return step.next();
  for (const zend_op* later = step.op + 1; later->opcode == ZEND_RECV_INIT; ++later) {
    if (later->op1.num <= ZEND_CALL_NUM_ARGS(step.frame) &&
        is_multi(behind(ZEND_CALL_VAR(step.frame, later->result.var))))
      deny("a parameter that must be converted before a multivalue");
  }
  return nullptr;
}

// Further arguments of a declared type: PHP would look at each.
const zend_op* step_receive_rest(const Step& step) {
  const zend_function* function = step.frame->func;
  const zend_type& type = function->common.arg_info[function->common.num_args].type;
  if (!ZEND_TYPE_IS_SET(type)) return nullptr;
  if ((ZEND_CALL_INFO(step.frame) & ZEND_CALL_HAS_EXTRA_NAMED_PARAMS) != 0) deny("further arguments by name");
  const std::uint32_t first = step.op->op1.num, count = ZEND_CALL_NUM_ARGS(step.frame);
  zval* rest =
      ZEND_CALL_VAR_NUM(step.frame, static_cast<int>(function->op_array.last_var + function->op_array.T));
  bool differs = false;
  for (std::uint32_t n = first; n <= count; ++n) differs = differs || is_multi(behind(rest + (n - first)));
  if (!differs) return nullptr;
  zval all;
  array_init_size(&all, count - first + 1);
  for (std::uint32_t n = first; n <= count; ++n, ++rest) {
    if (Z_TYPE_P(rest) == IS_REFERENCE) deny("a multivalue among further arguments by reference");
    if (is_multi(rest)) {
      fit_type(rest, type, uses_strict_types(step.frame->prev_execute_data));
    } else if (!ZEND_TYPE_CONTAINS_CODE(type, Z_TYPE_P(rest))) {
      deny("a further argument that must be converted");
    }
    Z_TRY_ADDREF_P(rest);
    zend_hash_next_index_insert_new(Z_ARRVAL(all), rest);
  }
  ZVAL_COPY_VALUE(step.result(), &all);
  return step.next();
}

const zend_op* step_verify_return(const Step& step) {
  zval* value = behind(step.target());
  if ((step.frame->func->common.fn_flags & ZEND_ACC_RETURN_REFERENCE) != 0)
    deny("a multivalue is returned by reference");
  zval* place = step.target();
  if (Z_TYPE_P(place) == IS_INDIRECT) place = Z_INDIRECT_P(place);
  if (Z_TYPE_P(place) == IS_REFERENCE) {  // a conversion is not to be seen through the reference
    zval copy;
    ZVAL_COPY(&copy, value);
    zval_ptr_dtor(place);
    ZVAL_COPY_VALUE(place, &copy);
    value = place;
  }
  fit_type(value, step.frame->func->common.arg_info[-1].type, ZEND_CALL_USES_STRICT_TYPES(step.frame));
  return step.next();
}

}  // namespace assay::php
