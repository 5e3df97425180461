// The functions of APCu on a table of our own: APCu drops entries when it is full or their time is over, by
// its own clock, which nobody could repeat. Here the request's clock decides and nothing is dropped.
#include <array>
#include <cstring>

#include "common/intercept.hpp"
#include "common/serialize.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

// A PHP value on its way into the table; integers stay numbers, so that apcu_inc and apcu_cas work on them.
class Outgoing {
 public:
  explicit Outgoing(zval* value) {
    ZVAL_DEREF(value);
    value_.is_integer = Z_TYPE_P(value) == IS_LONG;
    if (value_.is_integer) {
      value_.integer = Z_LVAL_P(value);
    } else {
      good_ = serialize(value, bytes_);
      value_.bytes = bytes_;
    }
  }
  bool good() const { return good_; }
  const wire::KvValue& value() const { return value_; }

 private:
  std::string bytes_;
  wire::KvValue value_;
  bool good_ = true;
};

void to_php(const StoredValue& value, zval* out) {
  if (value.is_integer) {
    ZVAL_LONG(out, value.integer);
  } else {
    unserialize(value.bytes, out);
  }
}

std::uint64_t lifetime(zend_long ttl) {
  return ttl > 0 ? static_cast<std::uint64_t>(ttl) : 0;
}

void fetch(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  zval* key = nullptr;
  zval* success = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 2)
  Z_PARAM_ZVAL(key)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(success)
  ZEND_PARSE_PARAMETERS_END();
  bool found = false;
  ZVAL_FALSE(return_value);
  if (Z_TYPE_P(key) == IS_ARRAY) {
    array_init(return_value);
    found = true;
    zval* each = nullptr;
    ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(key), each) {
      ZVAL_DEREF(each);
      if (Z_TYPE_P(each) != IS_STRING) continue;
      if (const auto value = world->kv_fetch(view(Z_STR_P(each)))) {
        zval out;
        to_php(*value, &out);
        zend_symtable_update(Z_ARRVAL_P(return_value), Z_STR_P(each), &out);
      }
    }
    ZEND_HASH_FOREACH_END();
  } else if (zend_string* name = zval_get_string(key)) {
    if (const auto value = world->kv_fetch(view(name))) {
      to_php(*value, return_value);
      found = true;
    }
    zend_string_release(name);
  }
  if (success != nullptr) ZEND_TRY_ASSIGN_REF_BOOL(success, found);
}

// apcu_exists and apcu_delete look alike: of an array of keys, the one answers with those that are there, the
// other with those that were not.
template <bool (World::*Ask)(std::string_view), bool ListWhere>
void for_keys(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  zval* key = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_ZVAL(key)
  ZEND_PARSE_PARAMETERS_END();
  if (Z_TYPE_P(key) != IS_ARRAY) {
    zend_string* name = zval_get_string(key);
    const bool answer = (world->*Ask)(view(name));
    zend_string_release(name);
    RETURN_BOOL(answer);
  }
  array_init(return_value);
  zval* each = nullptr;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(key), each) {
    ZVAL_DEREF(each);
    if (Z_TYPE_P(each) != IS_STRING) continue;
    if ((world->*Ask)(view(Z_STR_P(each))) != ListWhere) continue;
    zval out;
    if (ListWhere) {
      ZVAL_TRUE(&out);
      zend_symtable_update(Z_ARRVAL_P(return_value), Z_STR_P(each), &out);
    } else {
      ZVAL_STR_COPY(&out, Z_STR_P(each));
      zend_hash_next_index_insert(Z_ARRVAL_P(return_value), &out);
    }
  }
  ZEND_HASH_FOREACH_END();
}

template <bool (World::*Put)(std::string_view, const wire::KvValue&, std::uint64_t)>
void store(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  zval* key = nullptr;
  zval* value = nullptr;
  zend_long ttl = 0;
  ZEND_PARSE_PARAMETERS_START(1, 3)
  Z_PARAM_ZVAL(key)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(value)
  Z_PARAM_LONG(ttl)
  ZEND_PARSE_PARAMETERS_END();
  if (Z_TYPE_P(key) == IS_ARRAY) {  // of an array, those that could not be stored, each with -1
    array_init(return_value);
    zend_string* name = nullptr;
    zend_ulong index = 0;
    zval* each = nullptr;
    ZEND_HASH_FOREACH_KEY_VAL(Z_ARRVAL_P(key), index, name, each) {
      zend_string* text =
          name != nullptr ? zend_string_copy(name) : zend_long_to_str(static_cast<zend_long>(index));
      const Outgoing outgoing(each);
      if (!outgoing.good() || !(world->*Put)(view(text), outgoing.value(), lifetime(ttl))) {
        zval failed;
        ZVAL_LONG(&failed, -1);
        zend_symtable_update(Z_ARRVAL_P(return_value), text, &failed);
      }
      zend_string_release(text);
    }
    ZEND_HASH_FOREACH_END();
    return;
  }
  if (Z_TYPE_P(key) != IS_STRING || value == nullptr) RETURN_FALSE;
  const Outgoing outgoing(value);
  RETURN_BOOL(outgoing.good() && (world->*Put)(view(Z_STR_P(key)), outgoing.value(), lifetime(ttl)));
}

template <int Sign>
void step(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  zend_string* key = nullptr;
  zend_long by = 1;
  zend_long ttl = 0;
  zval* success = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 4)
  Z_PARAM_STR(key)
  Z_PARAM_OPTIONAL
  Z_PARAM_LONG(by)
  Z_PARAM_ZVAL(success)
  Z_PARAM_LONG(ttl)
  ZEND_PARSE_PARAMETERS_END();
  // The lowest integer has no negative; counting down by it fails like any sum that does not fit.
  const bool fits = Sign > 0 || by != ZEND_LONG_MIN;
  const auto sum = fits ? world->kv_inc(view(key), Sign * by, lifetime(ttl)) : std::nullopt;
  if (success != nullptr) ZEND_TRY_ASSIGN_REF_BOOL(success, sum.has_value());
  if (!sum) RETURN_FALSE;
  RETURN_LONG(*sum);
}

void cas(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  zend_string* key = nullptr;
  zend_long expected = 0;
  zend_long desired = 0;
  ZEND_PARSE_PARAMETERS_START(3, 3)
  Z_PARAM_STR(key)
  Z_PARAM_LONG(expected)
  Z_PARAM_LONG(desired)
  ZEND_PARSE_PARAMETERS_END();
  RETURN_BOOL(world->kv_cas(view(key), expected, desired));
}

void clear(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  ZEND_PARSE_PARAMETERS_NONE();
  world->kv_clear();
  RETURN_TRUE;
}

// Fetches, or makes the value and stores it. Two requests may both make it, as with any cache.
void entry(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  zend_string* key = nullptr;
  zend_fcall_info make = empty_fcall_info;
  zend_fcall_info_cache cache = empty_fcall_info_cache;
  zend_long ttl = 0;
  ZEND_PARSE_PARAMETERS_START(2, 3)
  Z_PARAM_STR(key)
  Z_PARAM_FUNC(make, cache)
  Z_PARAM_OPTIONAL
  Z_PARAM_LONG(ttl)
  ZEND_PARSE_PARAMETERS_END();
  if (const auto value = world->kv_fetch(view(key))) return to_php(*value, return_value);
  zval argument;
  ZVAL_STR_COPY(&argument, key);
  make.retval = return_value;
  make.params = &argument;
  make.param_count = 1;
  zend_call_function(&make, &cache);
  zval_ptr_dtor(&argument);
  if (EG(exception) != nullptr) return;
  const Outgoing outgoing(return_value);
  if (outgoing.good()) world->kv_store(view(key), outgoing.value(), lifetime(ttl));
}

std::array table = {
    Interception{nullptr, "apcu_fetch", fetch},
    Interception{nullptr, "apcu_exists", for_keys<&World::kv_exists, true>},
    Interception{nullptr, "apcu_delete", for_keys<&World::kv_delete, false>},
    Interception{nullptr, "apcu_store", store<&World::kv_store>},
    Interception{nullptr, "apcu_add", store<&World::kv_add>},
    Interception{nullptr, "apcu_inc", step<1>},
    Interception{nullptr, "apcu_dec", step<-1>},
    Interception{nullptr, "apcu_cas", cas},
    Interception{nullptr, "apcu_clear_cache", clear},
    Interception{nullptr, "apcu_entry", entry},
};

}  // namespace

Rows key_value_rows() {
  return {table.data(), table.data() + table.size()};
}

}  // namespace assay::php
