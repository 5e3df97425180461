#include "superpose/errors.hpp"

#include "superpose/multivalue.hpp"

extern "C" {
#include <zend_gc.h>
#include <zend_interfaces.h>
#include <zend_observer.h>
}

namespace assay::php {

namespace {

constexpr int kFatal =
    E_ERROR | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_PARSE | E_RECOVERABLE_ERROR;

void on_error(int type, zend_string*, std::uint32_t, zend_string* message) {
  if (!superposed() || lanes.denied) return;
  const std::string text(view(message));
  if ((type & kFatal) != 0) deny("PHP gives up: " + text);
  if (lanes.current != kNoLane && stands("warnings")) deny("PHP complains in one lane: " + text);
  if (text.find(ZSTR_VAL(multivalue_class->name)) != std::string::npos) deny("PHP complains of a multivalue");
}

bool thrown_by_program() {
  const zend_execute_data* frame = EG(current_execute_data);
  return frame != nullptr && frame->func != nullptr && ZEND_USER_CODE(frame->func->type) &&
         frame->opline != nullptr && frame->opline->opcode == ZEND_THROW;
}

void (*other_throw_hook)(zend_object*) = nullptr;
void on_throw(zend_object* exception) {
  if (superposed() && exception != nullptr && !lanes.denied) {
    if (lanes.current != kNoLane) deny("an exception in one lane");
    if (instanceof_function(exception->ce, zend_ce_error) && !thrown_by_program() && stands("engine errors"))
      deny("PHP throws " + std::string(view(exception->ce->name)));
  }
  if (other_throw_hook != nullptr) other_throw_hook(exception);
}

// When garbage is found can be seen by a destructor, and by whoever looks at weak references.
bool somebody_sees_garbage_go() {
  if (zend_hash_num_elements(&EG(weakrefs)) != 0) return true;
  for (std::uint32_t i = 1; i < EG(objects_store).top; ++i) {
    const zend_object* object = EG(objects_store).object_buckets[i];
    if (!IS_OBJ_VALID(object) || object->ce == multivalue_class) continue;
    if (object->ce->destructor != nullptr) return true;
  }
  return false;
}

int (*plain_collect)() = nullptr;
int collect() {
  if (superposed() && !lanes.denied && somebody_sees_garbage_go()) deny("garbage is collected");
  return plain_collect();
}

}  // namespace

void watch_errors() {
  zend_observer_error_register(on_error);
  other_throw_hook = zend_throw_exception_hook;
  zend_throw_exception_hook = on_throw;
  plain_collect = gc_collect_cycles;
  gc_collect_cycles = collect;
}

}  // namespace assay::php
