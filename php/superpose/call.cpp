#include "superpose/call.hpp"

#include "superpose/output.hpp"

extern "C" {
#include <php_output.h>
}

namespace assay::php {

void (*plain_call)(zend_execute_data*, zval*) = nullptr;

std::string name_of(const zend_function* function) {
  zend_string* lower = zend_string_tolower(function->common.function_name);
  std::string name(view(lower));
  zend_string_release(lower);
  if (function->common.scope == nullptr) return name;
  lower = zend_string_tolower(function->common.scope->name);
  name = std::string(view(lower)) + "::" + name;
  zend_string_release(lower);
  return name;
}

namespace {

// The last error of some kinds is hidden state, asked for by another function.
void check_last_error(const std::string& name, const char* kind) {
  if (name.compare(0, 5, kind, 5) != 0) return;
  const std::string asking = std::string(kind, 4) + "_last_error";
  auto* function =
      static_cast<zend_function*>(zend_hash_str_find_ptr(CG(function_table), asking.data(), asking.size()));
  if (function == nullptr) return;
  zval code;
  zend_call_known_function(function, nullptr, nullptr, &code, 0, nullptr, nullptr);
  if (Z_TYPE(code) != IS_LONG || Z_LVAL(code) != 0) deny(asking + " in one lane");
}

std::size_t bytes_printed() {
  return (output_globals.active != nullptr ? output_globals.active->buffer.used : 0) + output_size();
}

}  // namespace

void run_handler(const Call& call, const std::string& name, zval* out) {
  ZVAL_NULL(out);
  call.function->internal_function.handler(call.frame, out);
  if (EG(exception) != nullptr) deny("an exception in one lane: " + name);
  check_last_error(name, "preg_");
  check_last_error(name, "json_");
}

void call_per_lane(const Call& call, zval* result) {
  const std::size_t before = bytes_printed();
  run_per_lane(call, result, [&](const std::string& name, zval* out) { run_handler(call, name, out); });
  if (bytes_printed() != before) deny("output in one lane: " + name_of(call.function));
}

}  // namespace assay::php
