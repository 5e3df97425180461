// Elements of arrays: a container, a key or both differ between lanes. A container whose keys differ becomes one array per lane.
#include "superpose/step.hpp"

namespace assay::php {

namespace {

// Of an array that is about to be changed. Adds the element if it is not there.
zval* element_to_write(zend_array* array, const zval* key) {
  if (key == nullptr) {
    zval empty;
    ZVAL_NULL(&empty);
    zval* added = zend_hash_next_index_insert(array, &empty);
    if (added == nullptr) deny("no room for another element");
    return added;
  }
  if (zval* found = find_element(array, key)) {
    if (Z_TYPE_P(found) == IS_REFERENCE || Z_TYPE_P(found) == IS_INDIRECT) deny("an element is a reference");
    return found;
  }
  zval empty;
  ZVAL_NULL(&empty);
  if (Z_TYPE_P(key) == IS_STRING) return zend_symtable_update(array, Z_STR_P(key), &empty);
  if (Z_TYPE_P(key) == IS_LONG)
    return zend_hash_index_update(array, static_cast<zend_ulong>(Z_LVAL_P(key)), &empty);
  deny("an odd key");
}

// The arrays of all lanes, each its own and ready to be changed. If nobody else holds the multivalue in `container` they are
// taken out of it, so that a loop that fills them does not copy them each time.
LaneValues arrays_to_write(zval* container) {
  const bool take =
      is_multi(container) && GC_REFCOUNT(Z_OBJ_P(container)) == 2;  // the pool's and the variable's
  LaneValues arrays;
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (take) {
      zval* held = in_lane(container, i);
      ZVAL_COPY_VALUE(&arrays[i], held);
      ZVAL_NULL(held);
    } else {
      project(&arrays[i], container, i);
    }
    if (Z_TYPE(arrays[i]) == IS_NULL) array_init(&arrays[i]);
    if (Z_TYPE(arrays[i]) != IS_ARRAY) deny("an element of something else is written");
    SEPARATE_ARRAY(&arrays[i]);
  }
  return arrays;
}

void read_element(const Step& step, zval* container, const zval* key, zval* out) {
  if (Z_TYPE_P(container) == IS_STRING && Z_TYPE_P(key) == IS_LONG) {
    zend_long at = Z_LVAL_P(key);
    const auto size = static_cast<zend_long>(Z_STRLEN_P(container));
    if (at < 0) at += size;
    if (at < 0 || at >= size) deny("a character behind the end");
    ZVAL_CHAR(out, Z_STRVAL_P(container)[at]);
    return;
  }
  if (Z_TYPE_P(container) == IS_NULL && step.op->opcode == ZEND_FETCH_DIM_IS) {
    ZVAL_NULL(out);
    return;
  }
  if (Z_TYPE_P(container) != IS_ARRAY) deny("an element of something else");
  zval* found = find_element(Z_ARRVAL_P(container), key);
  if (found != nullptr) {
    ZVAL_COPY(out, behind(found));
  } else if (step.op->opcode == ZEND_FETCH_DIM_IS) {
    ZVAL_NULL(out);
  } else {
    deny("an element that is missing in a lane");
  }
}

}  // namespace

zval* find_element(zend_array* array, const zval* key) {
  switch (Z_TYPE_P(key)) {
    case IS_STRING:
      return zend_symtable_find(array, Z_STR_P(key));
    case IS_LONG:
      return zend_hash_index_find(array, static_cast<zend_ulong>(Z_LVAL_P(key)));
    default:
      deny("an odd key");
  }
}

const zend_op* step_fetch_element(const Step& step) {
  const zend_uchar opcode = step.op->opcode;
  if (opcode == ZEND_FETCH_DIM_FUNC_ARG &&
      (ZEND_CALL_INFO(step.frame->call) & ZEND_CALL_SEND_ARG_BY_REF) != 0)
    deny("an element with a multivalue is passed by reference");
  if (step.op->op2_type == IS_UNUSED) deny("an element without a key is read");
  zval* container = step.op1();
  zval* key = step.op2();
  if (Z_TYPE_P(container) == IS_OBJECT && !is_multi(container)) {
    if (Z_OBJ_HANDLER_P(container, read_dimension) != zend_std_read_dimension)
      deny("an object of PHP gets a multivalue for a key");
    return nullptr;  // the program's own offsetGet
  }
  Operand keys(key);
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    zval* each = in_lane(container, lane);
    zval found;
    read_element(step, each, keys.at(lane), &found);
    // In a container that is the same for all, the element may differ.
    project(out, &found, lane);
    zval_ptr_dtor(&found);
  });
  if (opcode != ZEND_FETCH_LIST_R) return step.finish(values);
  zval merged;
  values.merge(&merged);
  step.free_op2();
  step.store(&merged);
  return step.next();
}

// Array literals. The array under way is the result.
const zend_op* step_add_element(const Step& step) {
  const bool begins = step.op->opcode == ZEND_INIT_ARRAY;
  if (step.op->op1_type == IS_UNUSED) return nullptr;  // []
  zval* key = step.op->op2_type == IS_UNUSED ? nullptr : behind(step.op2());
  const bool differs = (key != nullptr && is_multi(key)) || (!begins && is_multi(step.result()));
  if (!differs) return nullptr;
  if ((step.op->extended_value & ZEND_ARRAY_ELEMENT_REF) != 0) deny("a reference in an array that differs");
  if (begins) array_init(step.result());
  Operand value(step.op1());
  LaneValues arrays = arrays_to_write(step.result());
  for (unsigned i = 0; i < lanes.count; ++i) {
    zval* element = element_to_write(Z_ARRVAL(arrays[i]), key != nullptr ? in_lane(key, i) : nullptr);
    zval each;
    ZVAL_COPY(&each, value.at(i));
    replace(element, &each);
  }
  zval merged;
  arrays.merge(&merged);
  replace(step.result(), &merged);
  step.free_op1();
  step.free_op2();
  return step.next();
}

const zend_op* step_assign_element(const Step& step) {
  zval* container = behind(step.target());
  zval* key = step.op->op2_type == IS_UNUSED ? nullptr : step.op2();
  if (!is_multi(container) && (key == nullptr || !is_multi(key))) {  // the value differs
    if (Z_TYPE_P(container) == IS_ARRAY || Z_TYPE_P(container) <= IS_FALSE) return nullptr;
    if (Z_TYPE_P(container) == IS_OBJECT &&
        Z_OBJ_HANDLER_P(container, write_dimension) == zend_std_write_dimension)
      return nullptr;
    deny("a multivalue becomes an element of something else");
  }
  if (!is_multi(container) && Z_TYPE_P(container) != IS_ARRAY && Z_TYPE_P(container) != IS_NULL &&
      Z_TYPE_P(container) != IS_UNDEF)
    deny("an element of something else under a multivalue");
  refuse_typed_reference(step.target());
  if (Z_TYPE_P(container) == IS_UNDEF) ZVAL_NULL(container);
  zval* value_given = step.data();
  zval kept;  // the value may lie in the container
  ZVAL_COPY(&kept, value_given);
  Operand value(&kept);
  LaneValues arrays = arrays_to_write(container);
  for (unsigned i = 0; i < lanes.count; ++i) {
    zval* element = element_to_write(Z_ARRVAL(arrays[i]), key != nullptr ? in_lane(key, i) : nullptr);
    zval each;
    ZVAL_COPY(&each, value.at(i));
    replace(element, &each);
  }
  zval merged;
  arrays.merge(&merged);
  replace(container, &merged);
  if (step.wants_result()) ZVAL_COPY(step.result(), &kept);
  zval_ptr_dtor(&kept);
  step.free_data();
  step.free_op2();
  step.free_op1();
  return step.op + 2;
}

namespace {

// $array[key] op= value, where the array or the key differs.
const zend_op* compute_elements(const Step& step, zval* container, zval* key) {
  if (!is_multi(container) && Z_TYPE_P(container) != IS_ARRAY)
    deny("an element of something else is computed");
  refuse_typed_reference(step.target());
  zval kept;  // the value may lie in the container
  ZVAL_COPY(&kept, step.data());
  Operand right(&kept);
  const binary_op_type function = get_binary_op(static_cast<int>(step.op->extended_value));
  LaneValues arrays = arrays_to_write(container);
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    zval* element = find_element(Z_ARRVAL(arrays[lane]), in_lane(key, lane));
    if (element == nullptr || Z_TYPE_P(element) >= IS_OBJECT) deny("an element that is missing is computed");
    function(out, element, right.at(lane));
    zval copy;
    ZVAL_COPY(&copy, out);
    replace(element, &copy);
  });
  zval merged;
  arrays.merge(&merged);
  replace(container, &merged);
  if (step.wants_result()) values.merge(step.result());
  zval_ptr_dtor(&kept);
  step.free_data();
  step.free_op2();
  step.free_op1();
  return step.op + 2;
}

// The instructions that lead from a container to an element deep in it, and the assignment at their end.
struct Path {
  std::vector<Step> steps;  // the last one assigns

  explicit Path(const Step& first) {
    const zend_op* op = first.op;
    for (; op->opcode == ZEND_FETCH_DIM_W; ++op) {
      steps.push_back({first.frame, op});
      const bool leads_on = op[1].op1_type == IS_VAR && op[1].op1.var == op->result.var &&
                            (op[1].opcode == ZEND_FETCH_DIM_W || op[1].opcode == ZEND_ASSIGN_DIM);
      if (!leads_on) deny("an element under a multivalue is pointed to");
    }
    steps.push_back({first.frame, op});
  }
};

}  // namespace

// $array[key][another] = value, where the array or one of the keys differs. PHP would go on with pointers to elements; a lane has its own.
const zend_op* step_assign_nested(const Step& step) {
  zval* container = behind(step.target());
  const Path path(step);
  const Step& last = path.steps.back();
  if (!is_multi(container) && Z_TYPE_P(container) != IS_ARRAY && Z_TYPE_P(container) != IS_NULL)
    deny("an element of something else under a multivalue");
  refuse_typed_reference(step.target());
  zval kept;
  ZVAL_COPY(&kept, last.data());
  Operand value(&kept);
  LaneValues arrays = arrays_to_write(container);
  for (unsigned i = 0; i < lanes.count; ++i) {
    zval* at = &arrays[i];
    for (const Step& each : path.steps) {
      if (Z_TYPE_P(at) == IS_NULL) array_init(at);
      if (Z_TYPE_P(at) != IS_ARRAY) deny("an element of something else is written");
      SEPARATE_ARRAY(at);
      at =
          element_to_write(Z_ARRVAL_P(at), each.op->op2_type == IS_UNUSED ? nullptr : in_lane(each.op2(), i));
    }
    zval own;
    ZVAL_COPY(&own, value.at(i));
    replace(at, &own);
  }
  zval merged;
  arrays.merge(&merged);
  replace(container, &merged);
  if (last.wants_result()) ZVAL_COPY(last.result(), &kept);
  zval_ptr_dtor(&kept);
  last.free_data();
  for (const Step& each : path.steps) each.free_op2();
  step.free_op1();
  return last.op + 2;
}

// $array[key] op= value, where the element or the value differs.
const zend_op* step_assign_element_op(const Step& step) {
  zval* container = behind(step.target());
  if (step.op->op2_type != IS_UNUSED) {
    zval* key =
        behind(step.op->op2_type == IS_CONST ? step.op2() : ZEND_CALL_VAR(step.frame, step.op->op2.var));
    if (is_multi(container) || is_multi(key)) return compute_elements(step, container, key);
  }
  if (is_multi(container) || Z_TYPE_P(container) != IS_ARRAY || step.op->op2_type == IS_UNUSED) {
    if (is_multi(container)) deny("an element of a multivalue is computed");
    if (step.op->op2_type == IS_UNUSED || !is_multi(step.data())) return nullptr;
    deny("an element of something else is computed");
  }
  zval* key =
      behind(step.op->op2_type == IS_CONST ? step.op2() : ZEND_CALL_VAR(step.frame, step.op->op2.var));
  if (Z_TYPE_P(key) != IS_STRING && Z_TYPE_P(key) != IS_LONG) {
    if (holds_multi(container)) deny("an odd key");
    return nullptr;
  }
  zval* element = find_element(Z_ARRVAL_P(container), key);
  zval* data =
      behind(step.op[1].op1_type == IS_CONST ? step.data() : ZEND_CALL_VAR(step.frame, step.op[1].op1.var));
  const bool value_differs = is_multi(data);
  if (element == nullptr) {
    if (value_differs) deny("an element that is missing is computed");
    return nullptr;
  }
  if (!value_differs && !is_multi(behind(element))) return nullptr;
  SEPARATE_ARRAY(container);
  element = find_element(Z_ARRVAL_P(container), key);
  refuse_typed_reference(element);
  element = behind(element);
  if (Z_TYPE_P(element) == IS_OBJECT && !is_multi(element)) deny("an object is computed with");
  Operand left(element), right(data);
  const binary_op_type function = get_binary_op(static_cast<int>(step.op->extended_value));
  LaneValues values =
      per_lane([&](unsigned lane, zval* out) { function(out, left.at(lane), right.at(lane)); });
  zval merged;
  values.merge(&merged);
  if (step.wants_result()) ZVAL_COPY(step.result(), &merged);
  replace(element, &merged);
  step.free_data();
  step.free_op2();
  step.free_op1();
  return step.op + 2;
}

const zend_op* step_unset_element(const Step& step) {
  zval* container = behind(step.target());
  zval* key = step.op2();
  if (Z_TYPE_P(container) == IS_OBJECT && !is_multi(container)) {
    if (Z_OBJ_HANDLER_P(container, unset_dimension) != zend_std_unset_dimension)
      deny("unset of an object of PHP");
    return nullptr;
  }
  if (!is_multi(container) && Z_TYPE_P(container) != IS_ARRAY) deny("unset of something else");
  refuse_typed_reference(step.target());
  LaneValues arrays = arrays_to_write(container);
  for (unsigned i = 0; i < lanes.count; ++i) {
    const zval* each = in_lane(key, i);
    if (Z_TYPE_P(each) == IS_STRING) {
      zend_symtable_del(Z_ARRVAL(arrays[i]), Z_STR_P(each));
    } else if (Z_TYPE_P(each) == IS_LONG) {
      zend_hash_index_del(Z_ARRVAL(arrays[i]), static_cast<zend_ulong>(Z_LVAL_P(each)));
    } else {
      deny("an odd key");
    }
  }
  zval merged;
  arrays.merge(&merged);
  replace(container, &merged);
  step.free_op2();
  step.free_op1();
  return step.next();
}

const zend_op* step_key_exists(const Step& step) {
  zval* key = step.op1();
  zval* container = step.op2();
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    const zval* each = in_lane(container, lane);
    if (Z_TYPE_P(each) != IS_ARRAY) deny("a key of something else");
    ZVAL_BOOL(out, find_element(Z_ARRVAL_P(each), in_lane(key, lane)) != nullptr);
  });
  return step.finish(values);
}

// Of a literal list of words or numbers.
const zend_op* step_in_array(const Step& step) {
  zval* value = step.op1();
  const HashTable* list = Z_ARRVAL_P(RT_CONSTANT(step.op, step.op->op2));
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    const zval* each = in_lane(value, lane);
    if (Z_TYPE_P(each) == IS_STRING) {
      ZVAL_BOOL(out, zend_hash_find(list, Z_STR_P(each)) != nullptr);
    } else if (Z_TYPE_P(each) == IS_LONG && step.op->extended_value != 0) {
      ZVAL_BOOL(out, zend_hash_index_find(list, static_cast<zend_ulong>(Z_LVAL_P(each))) != nullptr);
    } else {
      deny("in_array of something else");
    }
  });
  return step.finish(values);
}

}  // namespace assay::php
