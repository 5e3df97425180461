// foreach over arrays whose keys differ between lanes: the n-th elements of all lanes are one step of the loop.
#include <unordered_set>

#include "superpose/step.hpp"

namespace assay::php {

namespace {

// Lists of keys and values that stand for such arrays in loops. Each is kept until the request is over, so that no other array is taken for it.
std::unordered_set<const zend_array*> lists;

struct Entry {
  zval key;  // owned by nobody
  zval* value;
};
std::vector<Entry> entries_of(zval* array) {
  std::vector<Entry> entries;
  zend_string* name = nullptr;
  zend_ulong index = 0;
  zval* value = nullptr;
  ZEND_HASH_FOREACH_KEY_VAL(Z_ARRVAL_P(array), index, name, value) {
    Entry entry{};
    if (name != nullptr) {
      ZVAL_STR(&entry.key, name);
    } else {
      ZVAL_LONG(&entry.key, static_cast<zend_long>(index));
    }
    entry.value = value;
    entries.push_back(entry);
  }
  ZEND_HASH_FOREACH_END();
  return entries;
}

void add_copy(zend_array* list, LaneValues& values) {
  zval merged;
  values.merge(&merged);
  zend_hash_next_index_insert_new(list, &merged);
}

}  // namespace

const zend_op* step_begin_loop(const Step& step) {
  zval* value = step.op1();
  std::vector<std::vector<Entry>> entries;
  std::vector<std::size_t> counts;
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (Z_TYPE_P(in_lane(value, i)) != IS_ARRAY) deny("a loop over something else");
    entries.push_back(entries_of(in_lane(value, i)));
    counts.push_back(entries.back().size());
  }
  require_same_way(counts, "the lanes go different ways: " + step.name());
  zend_array* list = zend_new_array(static_cast<std::uint32_t>(2 * counts[0]));
  for (std::size_t n = 0; n < counts[0]; ++n) {
    LaneValues keys, values;
    for (unsigned i = 0; i < lanes.count; ++i) {
      ZVAL_COPY(&keys[i], &entries[i][n].key);
      ZVAL_COPY(&values[i], entries[i][n].value);
    }
    add_copy(list, keys);
    add_copy(list, values);
  }
  GC_ADDREF(list);
  lists.insert(list);
  step.free_op1();
  ZVAL_ARR(step.result(), list);
  Z_FE_POS_P(step.result()) = 0;
  return step.next();
}

const zend_op* step_loop(const Step& step) {
  if (step.op->op2_type == IS_CV) refuse_typed_reference(ZEND_CALL_VAR(step.frame, step.op->op2.var));
  if (lists.empty() || step.op->opcode != ZEND_FE_FETCH_R) return nullptr;
  zval* list = step.target();
  if (Z_TYPE_P(list) != IS_ARRAY || lists.count(Z_ARR_P(list)) == 0) return nullptr;
  const zend_ulong at = 2 * static_cast<zend_ulong>(Z_FE_POS_P(list));
  if (at >= zend_hash_num_elements(Z_ARR_P(list)))
    return ZEND_OFFSET_TO_OPLINE(step.op, static_cast<std::int32_t>(step.op->extended_value));
  ++Z_FE_POS_P(list);
  zval value;
  ZVAL_COPY(&value, zend_hash_index_find(Z_ARR_P(list), at + 1));
  zval* variable = ZEND_CALL_VAR(step.frame, step.op->op2.var);
  if (step.op->op2_type == IS_CV) {
    replace(behind(variable), &value);
  } else {
    ZVAL_COPY_VALUE(variable, &value);
  }
  if (step.wants_result()) ZVAL_COPY(step.result(), zend_hash_index_find(Z_ARR_P(list), at));
  return step.next();
}

void forget_loops() {
  lists.clear();
}

}  // namespace assay::php
