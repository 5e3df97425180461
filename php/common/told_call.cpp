#include "common/told_call.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/intercept.hpp"
#include "common/plain_value.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

using Warnings = std::vector<std::pair<int, std::string>>;

// Catches what the original has to complain about, instead of PHP and of the program's own handler.
Warnings* caught = nullptr;
decltype(zend_error_cb) real_callback = nullptr;

void note_error(int type, zend_string* file, const std::uint32_t line, zend_string* message) {
  if ((type & (E_WARNING | E_NOTICE | E_DEPRECATED)) == 0) return real_callback(type, file, line, message);
  caught->emplace_back(type, std::string(view(message)));
}

Warnings call_quietly(INTERNAL_FUNCTION_PARAMETERS) {
  Warnings warnings;
  zval handler;
  ZVAL_COPY_VALUE(&handler, &EG(user_error_handler));
  ZVAL_UNDEF(&EG(user_error_handler));
  caught = &warnings;
  real_callback = std::exchange(zend_error_cb, note_error);
  volatile bool left = false;  // by a fatal error
  zend_try {
    call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  }
  zend_catch {
    left = true;
  }
  zend_end_try();
  zend_error_cb = real_callback;
  ZVAL_COPY_VALUE(&EG(user_error_handler), &handler);
  if (left) zend_bailout();
  return warnings;
}

struct Call {
  zend_execute_data* execute_data;
  zval* return_value;
  bool opens;  // a stream
};

// What PHP's own functions throw, by number: that which a server tells cannot make any other object.
std::array<zend_class_entry*, 4> errors() {
  return {zend_ce_error, zend_ce_value_error, zend_ce_type_error, zend_ce_argument_count_error};
}

void put_thrown(std::string& out, zend_object* thrown) {
  const auto known = errors();
  const auto found = std::find(known.begin(), known.end(), thrown->ce);
  wire::put_byte(out, found == known.end() ? 0 : static_cast<std::uint8_t>(found - known.begin()));
  zval hold;
  zval* message = zend_read_property(zend_ce_error, thrown, ZEND_STRL("message"), true, &hold);
  wire::put_bytes(out, Z_TYPE_P(message) == IS_STRING ? view(Z_STR_P(message)) : "");
}

void throw_again(wire::Cursor& in) {
  const std::uint8_t number = in.byte();
  const std::string message(in.bytes());
  if (!in.finished() || number >= errors().size()) return world->refuse_told();
  zend_throw_error(errors().at(number), "%s", message.c_str());
}

// Byte 0 and an error; or byte 1, the warnings, and what it returned.
std::string happen(void* context) {
  const auto* call = static_cast<Call*>(context);
  const Warnings warnings = call_quietly(call->execute_data, call->return_value);
  std::string out;
  wire::put_byte(out, EG(exception) != nullptr ? 0 : 1);
  if (EG(exception) != nullptr) {
    put_thrown(out, EG(exception));
    return out;
  }
  wire::put_natural(out, warnings.size());
  for (const auto& [type, message] : warnings) {
    wire::put_natural(out, static_cast<std::uint64_t>(type));
    wire::put_bytes(out, message);
  }
  if (call->opens) {
    wire::put_byte(out, Z_TYPE_P(call->return_value) == IS_RESOURCE ? 1 : 0);
  } else {
    put_plain_value(out, call->return_value);
  }
  return out;
}

void warn_again(wire::Cursor& in) {
  for (std::size_t n = in.count(2); n > 0 && in.ok() && EG(exception) == nullptr; --n) {
    const auto type = static_cast<int>(in.natural());
    const std::string_view message = in.bytes();
    if (type != E_WARNING && type != E_NOTICE && type != E_DEPRECATED) in.refuse();
    if (!in.ok()) return;
    zend_string* text = new_string(message);
    zend_error_zstr(type, text);
    zend_string_release(text);
  }
}

// A function says what it may return; the server may not tell us anything else.
bool may_return(const zend_function* function, const zval* value) {
  if ((function->common.fn_flags & ZEND_ACC_HAS_RETURN_TYPE) == 0) return true;
  const zend_type type = function->internal_function.arg_info[-1].type;
  const std::uint32_t allowed = ZEND_TYPE_PURE_MASK(type);
  return (allowed & (MAY_BE_ANY | MAY_BE_VOID)) == MAY_BE_ANY || (allowed & (1U << Z_TYPE_P(value))) != 0 ||
         (allowed == MAY_BE_VOID && Z_TYPE_P(value) == IS_NULL);
}

// What the call came to, up to what it returned. False if it has thrown.
bool returned(wire::Cursor& in) {
  if (in.byte() == 0) {
    if (!world->live()) throw_again(in);
    return false;
  }
  warn_again(in);
  return EG(exception) == nullptr;
}

}  // namespace

void tell_call(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  Call call{execute_data, return_value, false};
  const std::string bytes = world->fact(happen, &call);
  if (bytes.empty()) return;  // the request has been ended, and this is a destructor
  wire::Cursor in(bytes);
  if (!returned(in) || world->live()) return;
  take_plain_value(in, return_value);
  if (!in.finished() || !may_return(EX(func), return_value)) world->refuse_told();
}

bool tell_opening(INTERNAL_FUNCTION_PARAMETERS) {
  Call call{execute_data, return_value, true};
  const std::string bytes = world->fact(happen, &call);
  if (bytes.empty()) return false;
  wire::Cursor in(bytes);
  if (!returned(in)) return false;
  const bool opened = in.byte() != 0;
  if (!in.finished()) world->refuse_told();
  return opened;
}

}  // namespace assay::php
