// PHP values as bytes and back, by PHP's own serialize(), for values that outlive a request.
#pragma once

#include <string>

#include "common/php.hpp"

namespace assay::php {

// Nothing if it threw: some objects cannot be serialized, and the exception is the program's.
inline bool serialize(zval* value, std::string& out) {
  smart_str text = {};
  php_serialize_data_t data;
  PHP_VAR_SERIALIZE_INIT(data);
  php_var_serialize(&text, value, &data);
  PHP_VAR_SERIALIZE_DESTROY(data);
  if (text.s != nullptr) out.assign(ZSTR_VAL(text.s), ZSTR_LEN(text.s));
  smart_str_free(&text);
  return EG(exception) == nullptr;
}

// False, and `out` false, if these bytes are no value.
inline bool unserialize(std::string_view bytes, zval* out) {
  php_unserialize_data_t data;
  PHP_VAR_UNSERIALIZE_INIT(data);
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  // Into a value of its own, since the reader keeps pointers into what it builds until DESTROY.
  zval* value = var_tmp_var(&data);
  const bool good = php_var_unserialize(value, &at, at + bytes.size(), &data) != 0;
  if (good) {
    ZVAL_COPY(out, value);
  } else {
    ZVAL_FALSE(out);
  }
  PHP_VAR_UNSERIALIZE_DESTROY(data);
  return good;
}

}  // namespace assay::php
