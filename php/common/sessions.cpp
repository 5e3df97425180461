// PHP's sessions as registers, one per session id: read when a session starts, written when it ends, so two
// requests of one session that overlap see no more of each other than that. To use it, set
// session.save_handler = assay.
#include "common/intercept.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

zend_result open(PS_OPEN_ARGS) {
  (void)save_path;
  (void)session_name;
  *mod_data = world;  // PHP takes null for "not open"
  return world != nullptr ? SUCCESS : FAILURE;
}

zend_result close(PS_CLOSE_ARGS) {
  *mod_data = nullptr;
  return SUCCESS;
}

zend_result read(PS_READ_ARGS) {
  (void)mod_data;
  (void)maxlifetime;
  if (world == nullptr) return FAILURE;
  const auto value = world->session_read(view(key));
  *val = value ? new_string(*value) : ZSTR_EMPTY_ALLOC();
  return SUCCESS;
}

zend_result write(PS_WRITE_ARGS) {
  (void)mod_data;
  (void)maxlifetime;
  if (world == nullptr) return FAILURE;
  if (!world->session_write(view(key), view(val)))
    zend_error(E_WARNING, "assay: the shared memory is full, the session was not saved; raise assay.memory");
  return SUCCESS;
}

zend_result destroy(PS_DESTROY_ARGS) {
  (void)mod_data;
  if (world == nullptr) return FAILURE;
  world->session_delete(view(key));
  return SUCCESS;
}

// Which sessions are old is not known to a register; the owner of the server removes them between audits.
zend_long collect(PS_GC_ARGS) {
  (void)mod_data;
  (void)maxlifetime;
  *nrdels = 0;
  return 0;
}

// For session.use_strict_mode: is this id one that we gave out?
zend_result validate(PS_VALIDATE_SID_ARGS) {
  (void)mod_data;
  return world != nullptr && world->session_read(view(key)) ? SUCCESS : FAILURE;
}

zend_result touch(PS_UPDATE_TIMESTAMP_ARGS) {
  (void)mod_data;
  (void)key;
  (void)val;
  (void)maxlifetime;
  return SUCCESS;
}

const ps_module module = {"assay",  open, close, read, write, destroy, collect, php_session_create_id,
                          validate, touch};

}  // namespace

void register_sessions() {
  php_session_register_module(&module);
}

}  // namespace assay::php
