#include "common/plain_value.hpp"

#include <cstring>

namespace assay::php {

namespace {

constexpr int kDeepest = 8;  // an array in an array ...

void put(std::string& out, const zval* value, int depth) {
  ZVAL_DEREF(value);
  const std::uint8_t type = Z_TYPE_P(value);
  wire::put_byte(out, type <= IS_ARRAY ? type : IS_NULL);
  if (type == IS_LONG) wire::put_integer(out, Z_LVAL_P(value));
  if (type == IS_DOUBLE) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &Z_DVAL_P(value), sizeof bits);
    wire::put_u64(out, bits);
  }
  if (type == IS_STRING) wire::put_bytes(out, view(Z_STR_P(value)));
  if (type != IS_ARRAY) return;
  HashTable* table = Z_ARRVAL_P(value);
  wire::put_natural(out, depth < kDeepest ? zend_hash_num_elements(table) : 0);
  if (depth == kDeepest) return;
  zend_ulong index = 0;
  zend_string* key = nullptr;
  zval* each = nullptr;
  ZEND_HASH_FOREACH_KEY_VAL(table, index, key, each) {
    wire::put_byte(out, key != nullptr ? 1 : 0);
    if (key != nullptr) {
      wire::put_bytes(out, view(key));
    } else {
      wire::put_integer(out, static_cast<zend_long>(index));
    }
    put(out, each, depth + 1);
  }
  ZEND_HASH_FOREACH_END();
}

void take(wire::Cursor& in, zval* out, int depth) {
  ZVAL_NULL(out);
  switch (in.byte()) {
    case IS_NULL:
      return;
    case IS_FALSE:
      ZVAL_FALSE(out);
      return;
    case IS_TRUE:
      ZVAL_TRUE(out);
      return;
    case IS_LONG:
      ZVAL_LONG(out, in.integer());
      return;
    case IS_DOUBLE: {
      const std::uint64_t bits = in.u64();
      double number = 0;
      std::memcpy(&number, &bits, sizeof number);
      ZVAL_DOUBLE(out, number);
      return;
    }
    case IS_STRING:
      ZVAL_STR(out, new_string(in.bytes()));
      return;
    case IS_ARRAY:
      break;
    default:
      in.refuse();
      return;
  }
  const std::size_t size = in.count(3, std::size_t{1} << 20);
  if (depth == kDeepest && size > 0) in.refuse();
  array_init(out);
  for (std::size_t i = 0; i < size && in.ok(); ++i) {
    const bool named = in.byte() != 0;
    zend_string* key = named ? new_string(in.bytes()) : nullptr;
    const zend_long index = named ? 0 : static_cast<zend_long>(in.integer());
    zval each;
    take(in, &each, depth + 1);
    if (named) {
      zend_hash_update(Z_ARRVAL_P(out), key, &each);
      zend_string_release(key);
    } else {
      zend_hash_index_update(Z_ARRVAL_P(out), static_cast<zend_ulong>(index), &each);
    }
  }
}

}  // namespace

void put_plain_value(std::string& out, const zval* value) {
  put(out, value, 0);
}

void take_plain_value(wire::Cursor& in, zval* out) {
  take(in, out, 0);
  if (in.ok()) return;
  zval_ptr_dtor(out);
  ZVAL_NULL(out);
}

}  // namespace assay::php
