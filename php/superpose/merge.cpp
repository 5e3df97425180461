// What the values of the lanes are together: one that is common, a container with what differs inside, or a multivalue.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "superpose/multivalue.hpp"

namespace assay::php {

namespace {

bool is_plain(const zval* value) {
  switch (Z_TYPE_P(value)) {
    case IS_NULL:
    case IS_FALSE:
    case IS_TRUE:
    case IS_LONG:
    case IS_STRING:
      return true;
    case IS_DOUBLE:
      return !std::isnan(Z_DVAL_P(value));
    case IS_ARRAY: {
      zval* element = nullptr;
      ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), element) {
        if (!is_plain(element)) return false;
      }
      ZEND_HASH_FOREACH_END();
      return true;
    }
    default:
      return false;
  }
}

// Zero and minus zero are different.
std::uint64_t bits(double number) {
  std::uint64_t all = 0;
  std::memcpy(&all, &number, sizeof all);
  return all;
}

bool same(const zval* a, const zval* b) {
  if (Z_TYPE_P(a) != Z_TYPE_P(b)) return false;
  switch (Z_TYPE_P(a)) {
    case IS_NULL:
    case IS_FALSE:
    case IS_TRUE:
      return true;
    case IS_LONG:
      return Z_LVAL_P(a) == Z_LVAL_P(b);
    case IS_DOUBLE:
      return bits(Z_DVAL_P(a)) == bits(Z_DVAL_P(b));
    case IS_STRING:
      return zend_string_equals(Z_STR_P(a), Z_STR_P(b));
    default:
      return Z_COUNTED_P(a) == Z_COUNTED_P(b);
  }
}

bool all_same(const zval* values) {
  for (unsigned i = 1; i < lanes.count; ++i) {
    if (!same(&values[0], &values[i])) return false;
  }
  return true;
}

bool same_keys(zend_array* a, zend_array* b) {
  if (a->nNumOfElements != b->nNumOfElements || a->nNextFreeElement != b->nNextFreeElement ||
      a->nInternalPointer != 0 || b->nInternalPointer != 0)
    return false;
  HashPosition at_a = 0, at_b = 0;
  zend_hash_internal_pointer_reset_ex(a, &at_a);
  zend_hash_internal_pointer_reset_ex(b, &at_b);
  for (std::uint32_t n = a->nNumOfElements; n > 0; --n) {
    zend_string *key_a = nullptr, *key_b = nullptr;
    zend_ulong index_a = 0, index_b = 0;
    const int kind = zend_hash_get_current_key_ex(a, &key_a, &index_a, &at_a);
    if (kind != zend_hash_get_current_key_ex(b, &key_b, &index_b, &at_b)) return false;
    if (kind == HASH_KEY_IS_STRING ? !zend_string_equals(key_a, key_b) : index_a != index_b) return false;
    zend_hash_move_forward_ex(a, &at_a);
    zend_hash_move_forward_ex(b, &at_b);
  }
  return true;
}

bool has_reference(zend_array* array) {
  zval* element = nullptr;
  ZEND_HASH_FOREACH_VAL(array, element) {
    if (Z_TYPE_P(element) == IS_REFERENCE || Z_TYPE_P(element) == IS_INDIRECT) return true;
  }
  ZEND_HASH_FOREACH_END();
  return false;
}

bool arrays_alike(zval* values) {
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (Z_TYPE(values[i]) != IS_ARRAY || has_reference(Z_ARRVAL(values[i])) ||
        (i > 0 && !same_keys(Z_ARRVAL(values[0]), Z_ARRVAL(values[i]))))
      return false;
  }
  return true;
}

void merge_values(zval* out, zval* values);

// Takes an element out of an array that nobody else has; copies it otherwise.
void take_element(zval* out, zval* element, bool own) {
  if (!own) {
    ZVAL_COPY(out, element);
    return;
  }
  ZVAL_COPY_VALUE(out, element);
  ZVAL_NULL(element);
}

// REQUIRES: arrays_alike. The array of the first lane becomes that of all.
void merge_arrays(zval* out, zval* values) {
  const auto own = [&](unsigned i) { return Z_REFCOUNTED(values[i]) && Z_REFCOUNT(values[i]) == 1; };
  if (!own(0)) {
    zend_array* copy = zend_array_dup(Z_ARRVAL(values[0]));
    zval_ptr_dtor(&values[0]);
    ZVAL_ARR(&values[0], copy);
  }
  auto* positions = static_cast<HashPosition*>(safe_emalloc(lanes.count, sizeof(HashPosition), 0));
  auto* cells = static_cast<zval*>(safe_emalloc(lanes.count, sizeof(zval), 0));
  for (unsigned i = 1; i < lanes.count; ++i)
    zend_hash_internal_pointer_reset_ex(Z_ARRVAL(values[i]), &positions[i]);
  zval* element = nullptr;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL(values[0]), element) {
    ZVAL_COPY_VALUE(&cells[0], element);
    for (unsigned i = 1; i < lanes.count; ++i) {
      take_element(&cells[i], zend_hash_get_current_data_ex(Z_ARRVAL(values[i]), &positions[i]), own(i));
      zend_hash_move_forward_ex(Z_ARRVAL(values[i]), &positions[i]);
    }
    ZVAL_NULL(element);
    merge_values(element, cells);
  }
  ZEND_HASH_FOREACH_END();
  efree(cells);
  efree(positions);
  for (unsigned i = 1; i < lanes.count; ++i) zval_ptr_dtor(&values[i]);
  ZVAL_COPY_VALUE(out, &values[0]);
}

// Objects that were just made, one in each lane, of the same class: nobody else knows them. Made of the program's own classes or of none,
// so that all there is to them are their properties.
bool fresh(const zval* value) {
  if (Z_TYPE_P(value) != IS_OBJECT || GC_REFCOUNT(Z_OBJ_P(value)) != 1) return false;
  const zend_object* object = Z_OBJ_P(value);
  return object->handlers == zend_get_std_object_handlers() && object->ce->destructor == nullptr &&
         (object->ce->type == ZEND_USER_CLASS || object->ce == zend_standard_class_def) &&
         (object->ce->ce_flags & ZEND_ACC_ENUM) == 0 && (GC_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED) == 0;
}
bool objects_alike(const zval* values) {
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (!fresh(&values[i]) || Z_OBJCE(values[i]) != Z_OBJCE(values[0])) return false;
    const zend_object* object = Z_OBJ(values[i]);
    const zend_object* first = Z_OBJ(values[0]);
    if ((object->properties == nullptr) != (first->properties == nullptr)) return false;
    if (object->properties != nullptr &&
        (GC_REFCOUNT(object->properties) != 1 || !same_keys(object->properties, first->properties)))
      return false;
    for (int n = 0; n < object->ce->default_properties_count; ++n) {
      const zval& mine = object->properties_table[n];
      const zval& others = first->properties_table[n];
      if ((Z_TYPE(mine) == IS_UNDEF) != (Z_TYPE(others) == IS_UNDEF) || Z_TYPE(mine) == IS_REFERENCE ||
          Z_PROP_FLAG_P(&mine) != Z_PROP_FLAG_P(&others))
        return false;
    }
  }
  return true;
}

// Objects whose place was taken by that of the first lane, until the merge is over; and the numbers that were free before them.
std::vector<zend_object*> superfluous;
std::vector<std::uint32_t> free_numbers;
unsigned merges_under_way = 0;

// The places of an object's properties: those that were declared, then the others.
template <class Use>
void for_each_property(zend_object* object, Use use) {
  for (int n = 0; n < object->ce->default_properties_count; ++n) use(&object->properties_table[n]);
  if (object->properties == nullptr) return;
  zval* element = nullptr;
  ZEND_HASH_FOREACH_VAL(object->properties, element) {
    if (Z_TYPE_P(element) == IS_REFERENCE) deny("a property of a new object is a reference");
    if (Z_TYPE_P(element) != IS_INDIRECT) use(element);
  }
  ZEND_HASH_FOREACH_END();
}

// REQUIRES: objects_alike. That of the first lane stands for all.
void merge_objects(zval* out, zval* values) {
  std::vector<std::vector<zval*>> places(lanes.count);
  for (unsigned i = 0; i < lanes.count; ++i)
    for_each_property(Z_OBJ(values[i]), [&](zval* place) { places[i].push_back(place); });
  for (std::size_t n = 0; n < places[0].size(); ++n) {
    if (Z_TYPE_P(places[0][n]) == IS_UNDEF) continue;
    LaneValues cells;
    for (unsigned i = 0; i < lanes.count; ++i) ZVAL_COPY_VALUE(&cells[i], places[i][n]);
    for (unsigned i = 0; i < lanes.count; ++i) ZVAL_NULL(places[i][n]);
    zval merged;
    cells.merge(&merged);
    ZVAL_COPY_VALUE(places[0][n], &merged);
  }
  for (unsigned i = 1; i < lanes.count; ++i) superfluous.push_back(Z_OBJ(values[i]));
  ZVAL_COPY_VALUE(out, &values[0]);
}

// The last one gives its number back first, so that later objects get the numbers that they would get without the others.
void free_superfluous() {
  const auto turn = [](const zend_object* object) {
    const auto found = std::find(free_numbers.begin(), free_numbers.end(), object->handle);
    return std::make_pair(found - free_numbers.begin(), object->handle);
  };
  std::sort(superfluous.begin(), superfluous.end(),
            [&](const zend_object* a, const zend_object* b) { return turn(a) > turn(b); });
  for (zend_object* object : superfluous) OBJ_RELEASE(object);
  superfluous.clear();
}

// Takes the values over.
void merge_values(zval* out, zval* values) {
  if (all_same(values)) {
    ZVAL_COPY_VALUE(out, &values[0]);
    for (unsigned i = 1; i < lanes.count; ++i) zval_ptr_dtor(&values[i]);
    return;
  }
  if (arrays_alike(values)) {
    merge_arrays(out, values);
    return;
  }
  if (merge_laned(out, values)) return;
  if (objects_alike(values)) {
    merge_objects(out, values);
    return;
  }
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (!is_plain(&values[i])) deny("a value that differs is not plain");
  }
  make_multi(out, values);
}

}  // namespace

void note_free_numbers() {
  free_numbers.clear();
  const zend_objects_store& store = EG(objects_store);
  for (int at = store.free_list_head; at != -1;
       at = static_cast<int>(GET_OBJ_BUCKET_NUMBER(store.object_buckets[at])))
    free_numbers.push_back(static_cast<std::uint32_t>(at));
}

void forget_merges() {
  superfluous.clear();
  free_numbers.clear();
  merges_under_way = 0;
}

void LaneValues::merge(zval* out) {
  ++merges_under_way;
  merge_values(out, values_);
  if (--merges_under_way == 0 && !superfluous.empty()) free_superfluous();
  for (unsigned i = 0; i < lanes.count; ++i) ZVAL_UNDEF(&values_[i]);
}

void LaneValues::keep_apart(zval* out) {
  make_multi(out, values_);
  for (unsigned i = 0; i < lanes.count; ++i) ZVAL_UNDEF(&values_[i]);
}

}  // namespace assay::php
