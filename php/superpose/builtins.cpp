#include "superpose/builtins.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "superpose/call.hpp"
#include "superpose/database.hpp"
#include "superpose/laned.hpp"
#include "superpose/output.hpp"
#include "superpose/replacer.hpp"
#include "superpose/sessions.hpp"
#include "superpose/tokens.hpp"

extern "C" {
#include <php_output.h>
}

namespace assay::php {

namespace {

std::unordered_map<const zend_function*, Builtin> known;
std::unordered_map<std::string, bool> evaluable;  // before the replaced functions lose that mark

void remember_evaluable() {
  zval* value = nullptr;
  ZEND_HASH_FOREACH_VAL(CG(function_table), value) {
    const zend_function* function = Z_FUNC_P(value);
    if (function->type == ZEND_INTERNAL_FUNCTION &&
        (function->common.fn_flags & ZEND_ACC_COMPILE_TIME_EVAL) != 0)
      evaluable[std::string(view(function->common.function_name))] = true;
  }
  ZEND_HASH_FOREACH_END();
}

// Functions of scripts come and go, those of PHP stay; a closure made of one is a copy of it.
Builtin builtin_of(const zend_function* function) {
  if ((function->common.fn_flags & ZEND_ACC_CLOSURE) != 0 ||
      (function->common.fn_flags & ZEND_ACC_CALL_VIA_TRAMPOLINE) != 0) {
    const std::string name = name_of(function);
    return find_builtin(name, evaluable.count(name) != 0);
  }
  const auto found = known.find(function);
  if (found != known.end()) return found->second;
  const std::string name = name_of(function);
  return known[function] = find_builtin(name, evaluable.count(name) != 0);
}

void call_printer(const Call& call, zval* result) {
  LaneValues texts;
  run_per_lane(call, result, [&](const std::string& name, zval* out) {
    if (php_output_start_default() != SUCCESS) deny("no buffer");
    run_handler(call, name, out);
    if (php_output_get_contents(&texts[lanes.current]) != SUCCESS) deny("no buffer");
    php_output_discard();
  });
  zval text;
  texts.merge(&text);
  print(&text);
  zval_ptr_dtor(&text);
}

// Where an exception keeps its message.
zval* message_of(zend_object* object) {
  auto* info =
      static_cast<zend_property_info*>(zend_hash_str_find_ptr(&object->ce->properties_info, "message", 7));
  if (info == nullptr || ZEND_TYPE_IS_SET(info->type)) deny("an exception of another shape");
  return behind(OBJ_PROP(object, info->offset));
}

// The message, and nothing else, may differ: it is put into the exception when PHP has made it.
void call_exception(const Call& call, zval* result) {
  if (call.count == 0 || !is_multi(behind(call.argument(0)))) deny("an exception with a multivalue");
  for (std::uint32_t i = 1; i < call.count; ++i) {
    if (holds_multi(call.argument(i))) deny("an exception with a multivalue");
  }
  zval* message = behind(call.argument(0));
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (Z_TYPE_P(in_lane(message, i)) != IS_STRING) deny("a message that is no text");
  }
  zval kept;
  ZVAL_COPY(&kept, message);
  zval_ptr_dtor(call.argument(0));
  ZVAL_STRING(call.argument(0), "x");
  plain_call(call.frame, result);
  if (EG(exception) != nullptr) deny("an exception about an exception");
  replace(message_of(Z_OBJ(call.frame->This)), &kept);
}

// A message that differs is one of strings; another one PHP may have to convert.
void call_message(const Call& call, zval* result) {
  zval* message = message_of(Z_OBJ(call.frame->This));
  if (!is_multi(message) || call.count != 0) return plain_call(call.frame, result);
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (Z_TYPE_P(in_lane(message, i)) != IS_STRING) deny("a message that is no text");
  }
  ZVAL_COPY(result, message);
}

// With a multivalue among its arguments.
void call_with_multi(const Call& call, const Builtin& builtin, zval* result) {
  switch (builtin.treatment) {
    case Treatment::pure:
      call_per_lane(call, result);
      return;
    case Treatment::mover: {
      const std::string name = name_of(call.function);
      const bool recursive = (name == "count" || name == "sizeof") && call.count > 1;
      const bool searching = name == "array_keys" && call.count > 1;
      if ((call.differing() & ~builtin.may_differ) == 0 && !recursive && !searching) {
        plain_call(call.frame, result);
      } else if (builtin.or_pure) {
        call_per_lane(call, result);
      } else {
        deny(name);
      }
      return;
    }
    case Treatment::printer:
      call_printer(call, result);
      return;
    case Treatment::replacer:
      call_replacer(call, result);
      return;
    case Treatment::exception:
      call_exception(call, result);
      return;
    default:
      deny(name_of(call.function) + " with a multivalue");
  }
}

void call_builtin(zend_execute_data* frame, zval* result) {
  if (!superposed()) return plain_call(frame, result);
  if (lanes.denied) zend_bailout();
  const Call call(frame);
  const Builtin builtin = builtin_of(call.function);
  if (lanes.current != kNoLane) {  // called by C code that works on one lane
    const std::string name = name_of(call.function);
    const bool harmless =
        builtin.treatment == Treatment::pure || name == "preg_last_error" || name == "json_last_error";
    if (!harmless) deny(name + " in one lane");
    return plain_call(frame, result);
  }
  if (builtin.treatment == Treatment::denied && stands("builtins")) deny(name_of(call.function));
  if (builtin.treatment == Treatment::told) return call_per_lane(call, result);
  if (builtin.treatment == Treatment::message) return call_message(call, result);
  if (builtin.treatment == Treatment::database) return call_database(call, result);
  if (builtin.treatment == Treatment::session) return call_session(call, result);
  if (builtin.treatment == Treatment::date) return call_date(call, result);
  const std::string name = builtin.treatment == Treatment::buffer ? name_of(call.function) : std::string();
  if (builtin.treatment == Treatment::buffer && work_on_buffer(name, frame, result)) return;
  if (builtin.treatment == Treatment::printer) {
    for (std::uint32_t i = 0; i < call.count; ++i) {
      if (name_of(call.function) == "var_dump" && holds_object(call.argument(i)))
        deny("var_dump of an object");
    }
  }
  if (call.any_holds_multi() && stands("arguments")) return call_with_multi(call, builtin, result);
  plain_call(frame, result);
}

}  // namespace

void watch_builtins() {
  remember_evaluable();
  begin_tokens();
  plain_call = zend_execute_internal != nullptr ? zend_execute_internal : execute_internal;
  zend_execute_internal = call_builtin;
}

}  // namespace assay::php
