// PHP's own headers, which are C, in one place.
#pragma once

// Before PHP redefines snprintf, which the standard library mentions.
#include <string>
#include <string_view>

extern "C" {
#include <SAPI.h>
#include <php.h>
#include <php_ini.h>
#include <zend_exceptions.h>
#include <zend_extensions.h>
#include <zend_smart_str.h>

#include <ext/pdo/php_pdo_driver.h>
#include <ext/random/php_random.h>
#include <ext/session/php_session.h>
#include <ext/spl/php_spl.h>
#include <ext/standard/basic_functions.h>
#include <ext/standard/file.h>
#include <ext/standard/flock_compat.h>
#include <ext/standard/php_var.h>
}

namespace assay::php {

inline std::string_view view(const zend_string* text) {
  return {ZSTR_VAL(text), ZSTR_LEN(text)};
}
inline zend_string* new_string(std::string_view text) {
  return zend_string_init(text.data(), text.size(), 0);
}

}  // namespace assay::php
