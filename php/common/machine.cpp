// What a program can learn of the machine and the process it runs in: told where it may matter, the same
// number always where it cannot, and nothing leaves before the request has done all its work.
#include <array>
#include <unordered_map>

#include "common/intercept.hpp"
#include "common/told_call.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

void process_id(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(static_cast<zend_long>(world->process_id()));
}

void host_name(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_STR(new_string(world->host_name()));
}

void memory_in_use(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  RETURN_LONG(2 << 20);
}

void load_average(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  array_init(return_value);
  for (int i = 0; i < 3; ++i) add_next_index_double(return_value, 0.0);
}

void resource_usage(INTERNAL_FUNCTION_PARAMETERS) {
  call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  if (world == nullptr || Z_TYPE_P(return_value) != IS_ARRAY) return;
  zval* value = nullptr;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(return_value), value) ZVAL_LONG(value, 0);
  ZEND_HASH_FOREACH_END();
}

// Objects are numbered when a program first asks for their number, so that the number does not depend on what
// the engine created in between.
std::unordered_map<std::uint32_t, zend_long> object_numbers;
zend_long object_number(const zend_object* object) {
  const auto next = static_cast<zend_long>(object_numbers.size() + 1);
  return object_numbers.try_emplace(object->handle, next).first->second;
}
void object_id(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  zend_object* object = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_OBJ(object)
  ZEND_PARSE_PARAMETERS_END();
  RETURN_LONG(object_number(object));
}
void object_hash(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  zend_object* object = nullptr;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_OBJ(object)
  ZEND_PARSE_PARAMETERS_END();
  RETURN_STR(strpprintf(32, "%016zx%016zx", static_cast<std::size_t>(object_number(object)), std::size_t{0}));
}

// The operations of a request end before its response does: a response that left early would let the next
// request begin while this one still changes things.
void no_flush(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}
void no_finish(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  RETURN_TRUE;
}
void still_connected(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  RETURN_LONG(0);
}

// A program goes on to its end when nobody listens any more, as the worker's does: where it notices would depend on how
// full a buffer is.
zend_long claimed_to_ignore = 0;
void ignore_abort(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  bool enable = false, is_null = true;
  ZEND_PARSE_PARAMETERS_START(0, 1)
  Z_PARAM_OPTIONAL
  Z_PARAM_BOOL_OR_NULL(enable, is_null)
  ZEND_PARSE_PARAMETERS_END();
  const zend_long before = claimed_to_ignore;
  if (!is_null) claimed_to_ignore = enable ? 1 : 0;
  RETURN_LONG(before);
}

std::array table = {
    Interception{nullptr, "getmypid", process_id},
    Interception{nullptr, "posix_getpid", process_id},
    Interception{nullptr, "gethostname", host_name},
    Interception{nullptr, "php_uname", tell_call},
    Interception{nullptr, "posix_getppid", tell_call},
    Interception{nullptr, "posix_getuid", tell_call},
    Interception{nullptr, "posix_geteuid", tell_call},
    Interception{nullptr, "posix_getgid", tell_call},
    Interception{nullptr, "posix_getegid", tell_call},
    Interception{nullptr, "posix_getgroups", tell_call},
    Interception{nullptr, "posix_getlogin", tell_call},
    Interception{nullptr, "posix_getpwuid", tell_call},
    Interception{nullptr, "posix_getpwnam", tell_call},
    Interception{nullptr, "posix_getgrgid", tell_call},
    Interception{nullptr, "posix_getgrnam", tell_call},
    Interception{nullptr, "posix_uname", tell_call},
    Interception{nullptr, "posix_times", tell_call},
    Interception{nullptr, "memory_get_usage", memory_in_use},
    Interception{nullptr, "memory_get_peak_usage", memory_in_use},
    Interception{nullptr, "getrusage", resource_usage},
    Interception{nullptr, "sys_getloadavg", load_average},
    Interception{nullptr, "spl_object_id", object_id},
    Interception{nullptr, "spl_object_hash", object_hash},
    Interception{nullptr, "flush", no_flush},
    Interception{nullptr, "fastcgi_finish_request", no_finish},
    Interception{nullptr, "connection_aborted", still_connected},
    Interception{nullptr, "connection_status", still_connected},
    Interception{nullptr, "ignore_user_abort", ignore_abort},
};

}  // namespace

void begin_machine() {
  object_numbers.clear();
  constexpr std::string_view kSetting = "ignore_user_abort";
  claimed_to_ignore = zend_ini_long(kSetting.data(), kSetting.size(), 0) != 0 ? 1 : 0;
  PG(ignore_user_abort) = true;
}

Rows machine_rows() {
  return {table.data(), table.data() + table.size()};
}

}  // namespace assay::php
