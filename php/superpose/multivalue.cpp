#include "superpose/multivalue.hpp"

#include <cstring>
#include <vector>

namespace assay::php {

zend_class_entry* multivalue_class = nullptr;

namespace {

zend_object_handlers handlers;

// All multivalues of this request, each kept by one reference of ours. PHP's list of objects must not see them go: the
// numbers that they leave would go to objects of the program, which would then have others than without us.
std::vector<zend_object*> made;
std::size_t next_used_again = 0;

void drop_values(Multivalue& multi) {
  for (unsigned i = 0; multi.values != nullptr && i < lanes.count; ++i) {
    zval_ptr_dtor(&multi.values[i]);
    ZVAL_UNDEF(&multi.values[i]);
  }
}

// One that nobody else holds any more.
zend_object* idle() {
  while (next_used_again < made.size()) {
    zend_object* candidate = made[next_used_again++];
    if (GC_REFCOUNT(candidate) == 1) {
      drop_values(*multivalue_of(candidate));
      return candidate;
    }
  }
  return nullptr;
}

// A look through all of them is paid for by as many new ones.
std::size_t look_again_at = 1024;

zend_object* create(zend_class_entry* ce) {
  auto* multi = static_cast<Multivalue*>(emalloc(sizeof(Multivalue)));
  const int reusable = EG(objects_store).free_list_head;
  EG(objects_store).free_list_head = -1;  // a new number, none that an object of the program had
  zend_object_std_init(&multi->object, ce);
  EG(objects_store).free_list_head = reusable;
  multi->object.handlers = &handlers;
  GC_ADD_FLAGS(&multi->object, GC_NOT_COLLECTABLE | IS_OBJ_DESTRUCTOR_CALLED);
  multi->values = static_cast<zval*>(safe_emalloc(lanes.count, sizeof(zval), 0));
  for (unsigned i = 0; i < lanes.count; ++i) ZVAL_UNDEF(&multi->values[i]);
  made.push_back(&multi->object);
  return &multi->object;
}

void free_object(zend_object* object) {
  Multivalue* multi = multivalue_of(object);
  drop_values(*multi);
  if (multi->values != nullptr) efree(multi->values);
  multi->values = nullptr;
  zend_object_std_dtor(object);
}

}  // namespace

void make_multi(zval* out, zval* values) {
  if (made.size() >= look_again_at && next_used_again >= made.size()) {
    next_used_again = 0;
    look_again_at = made.size() * 2;
  }
  zend_object* object = next_used_again < made.size() ? idle() : nullptr;
  if (object == nullptr) object = create(multivalue_class);
  std::memcpy(multivalue_of(object)->values, values, lanes.count * sizeof(zval));
  GC_ADDREF(object);
  ZVAL_OBJ(out, object);
}

namespace {

// ---- What C code may do to a multivalue: nothing

zval* read_property(zend_object*, zend_string*, int, void**, zval*) {
  deny("a property of a multivalue is read");
}
zval* write_property(zend_object*, zend_string*, zval*, void**) {
  deny("a property of a multivalue is written");
}
zval* read_dimension(zend_object*, zval*, int, zval*) {
  deny("an element of a multivalue is read");
}
void write_dimension(zend_object*, zval*, zval*) {
  deny("an element of a multivalue is written");
}
zval* property_pointer(zend_object*, zend_string*, int, void**) {
  deny("a property of a multivalue is pointed to");
}
int has_property(zend_object*, zend_string*, int, void**) {
  deny("a property of a multivalue is asked for");
}
void unset_property(zend_object*, zend_string*, void**) {
  deny("a property of a multivalue is removed");
}
int has_dimension(zend_object*, zval*, int) {
  deny("an element of a multivalue is asked for");
}
void unset_dimension(zend_object*, zval*) {
  deny("an element of a multivalue is removed");
}
HashTable* properties(zend_object*) {
  deny("the properties of a multivalue are listed");
}
zend_function* method(zend_object**, zend_string*, const zval*) {
  deny("a method of a multivalue is called");
}
zend_string* class_name(const zend_object*) {
  deny("the class of a multivalue is named");
}
int compare(zval*, zval*) {
  deny("a multivalue is compared");
}
zend_result count_elements(zend_object*, zend_long*) {
  deny("the elements of a multivalue are counted");
}
HashTable* debug_info(zend_object*, int*) {
  deny("a multivalue is shown");
}
zend_result closure(zend_object*, zend_class_entry**, zend_function**, zend_object**, bool) {
  deny("a multivalue is called");
}
HashTable* properties_for(zend_object*, zend_prop_purpose) {
  deny("the properties of a multivalue are used");
}
zend_result operate(zend_uchar, zval*, zval*, zval*) {
  deny("C code computes with a multivalue");
}
HashTable* collectable(zend_object*, zval** table, int* size) {
  *table = nullptr;  // plain values are in no ring
  *size = 0;
  return nullptr;
}

// A callback has compared two elements, and a sort asks which comes first.
bool inside_sort() {
  const zend_execute_data* frame = EG(current_execute_data);
  if (frame == nullptr || frame->func == nullptr || frame->func->type != ZEND_INTERNAL_FUNCTION) return false;
  const std::string_view name = view(frame->func->common.function_name);
  return frame->func->common.scope == nullptr && (name == "usort" || name == "uasort" || name == "uksort");
}
void agreed_order(const zval* values, zval* out) {
  const auto sign = [](const zval& value) {
    if (Z_TYPE(value) != IS_LONG) deny("a comparison that is no number");
    return Z_LVAL(value) < 0 ? -1 : Z_LVAL(value) > 0 ? 1 : 0;
  };
  std::vector<int> signs;
  for (unsigned i = 0; i < lanes.count; ++i) signs.push_back(sign(values[i]));
  require_same_way(signs, "the lanes sort differently");
  ZVAL_LONG(out, sign(values[0]));
}

// What all lanes agree on is known without splitting them: a callback that says yes or no, or how two things compare.
zend_result cast(zend_object* object, zval* out, int type) {
  zval* values = multivalue_of(object)->values;
  if (type == _IS_BOOL) {
    std::vector<int> truths;
    for (unsigned i = 0; i < lanes.count; ++i) truths.push_back(zend_is_true(&values[i]));
    require_same_way(truths, "the lanes go different ways in C code");
    ZVAL_BOOL(out, truths[0] != 0);
    return SUCCESS;
  }
  if (type == IS_LONG && inside_sort()) {
    agreed_order(values, out);
    return SUCCESS;
  }
  deny("C code casts a multivalue");
}

void set_traps() {
  handlers.offset = XtOffsetOf(Multivalue, object);
  handlers.free_obj = free_object;
  handlers.clone_obj = nullptr;
  handlers.read_property = read_property;
  handlers.write_property = write_property;
  handlers.read_dimension = read_dimension;
  handlers.write_dimension = write_dimension;
  handlers.get_property_ptr_ptr = property_pointer;
  handlers.has_property = has_property;
  handlers.unset_property = unset_property;
  handlers.has_dimension = has_dimension;
  handlers.unset_dimension = unset_dimension;
  handlers.get_properties = properties;
  handlers.get_method = method;
  handlers.get_class_name = class_name;
  handlers.cast_object = cast;
  handlers.count_elements = count_elements;
  handlers.get_debug_info = debug_info;
  handlers.get_closure = closure;
  handlers.get_gc = collectable;
  handlers.do_operation = operate;
  handlers.compare = compare;
  handlers.get_properties_for = properties_for;
}

}  // namespace

void register_multivalue() {
  // In no table of classes: a program cannot find it.
  constexpr std::string_view kName = "Assay\\Multivalue";
  static zend_class_entry entry;
  entry.type = ZEND_INTERNAL_CLASS;
  entry.name = zend_string_init(kName.data(), kName.size(), 1);
  zend_initialize_class_data(&entry, 1);
  entry.ce_flags |= ZEND_ACC_FINAL | ZEND_ACC_NO_DYNAMIC_PROPERTIES | ZEND_ACC_LINKED |
                    ZEND_ACC_RESOLVED_PARENT | ZEND_ACC_CONSTANTS_UPDATED;
  entry.create_object = create;
  multivalue_class = &entry;
  handlers = *zend_get_std_object_handlers();
  set_traps();
}

void forget_multivalues() {
  made.clear();
  next_used_again = 0;
  look_again_at = 1024;
}

bool holds_multi(zval* value) {
  value = behind(value);
  if (Z_TYPE_P(value) == IS_OBJECT) return Z_OBJCE_P(value) == multivalue_class || is_laned(value);
  if (Z_TYPE_P(value) != IS_ARRAY || (GC_FLAGS(Z_ARR_P(value)) & GC_IMMUTABLE) != 0) return false;
  if (GC_IS_RECURSIVE(Z_ARR_P(value))) return false;
  GC_PROTECT_RECURSION(Z_ARR_P(value));
  bool found = false;
  zval* element = nullptr;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), element) {
    if (Z_TYPE_P(element) >= IS_ARRAY && holds_multi(element)) {
      found = true;
      break;
    }
  }
  ZEND_HASH_FOREACH_END();
  GC_UNPROTECT_RECURSION(Z_ARR_P(value));
  return found;
}

bool holds_object(zval* value) {
  value = behind(value);
  if (Z_TYPE_P(value) == IS_OBJECT) return !is_multi(value);
  if (Z_TYPE_P(value) != IS_ARRAY) return false;
  if (GC_IS_RECURSIVE(Z_ARR_P(value))) return false;
  zval* element = nullptr;
  bool found = false;
  GC_TRY_PROTECT_RECURSION(Z_ARR_P(value));
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), element) {
    if (holds_object(element)) {
      found = true;
      break;
    }
  }
  ZEND_HASH_FOREACH_END();
  GC_TRY_UNPROTECT_RECURSION(Z_ARR_P(value));
  return found;
}

void project(zval* out, zval* value, unsigned lane) {
  value = behind(value);
  if (is_multi(value)) {
    ZVAL_COPY(out, &multivalue_of(Z_OBJ_P(value))->values[lane]);
    return;
  }
  if (Z_TYPE_P(value) == IS_OBJECT && is_laned(value)) {
    ZVAL_OBJ_COPY(out, laned_object(value, lane));
    return;
  }
  if (Z_TYPE_P(value) != IS_ARRAY || !holds_multi(value)) {
    ZVAL_COPY(out, value);
    return;
  }
  zend_array* copy = zend_array_dup(Z_ARR_P(value));
  zval* element = nullptr;
  ZEND_HASH_FOREACH_VAL(copy, element) {
    if (Z_TYPE_P(element) < IS_ARRAY || !holds_multi(element)) continue;
    zval projected;
    project(&projected, element, lane);
    zval_ptr_dtor(element);
    ZVAL_COPY_VALUE(element, &projected);
  }
  ZEND_HASH_FOREACH_END();
  ZVAL_ARR(out, copy);
}

}  // namespace assay::php
