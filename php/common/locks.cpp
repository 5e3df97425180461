// flock. A lock is known by the path of its file. While one is held its stream is kept open, so that the
// moment of release is one that we see: an unlock, fclose, or the end of the request.
#include <sys/file.h>

#include <array>
#include <map>

#include "common/intercept.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

struct Held {
  std::string path;
  std::uint64_t handle = 0;
};
std::map<zend_resource*, Held> held;
std::map<zend_long, std::uint64_t> handles;  // by the number of the resource

struct Attempt {
  php_stream* stream;
  int mode;
};
bool take(void* context) {
  const auto* attempt = static_cast<Attempt*>(context);
  return php_stream_lock(attempt->stream, attempt->mode) == 0;
}

void let_go(std::map<zend_resource*, Held>::iterator lock) {
  zend_resource* resource = lock->first;
  world->lock_release(lock->second.path, lock->second.handle);
  if (world->live() && resource->ptr != nullptr)
    php_stream_lock(static_cast<php_stream*>(resource->ptr), LOCK_UN);
  held.erase(lock);
  zend_list_delete(resource);
}

// A lock whose stream nobody but us refers to any more was let go by the program. It would stand in its own
// way when it locks the same file again.
void let_go_of_the_forgotten(const std::string& path) {
  for (auto lock = held.begin(); lock != held.end();) {
    const auto next = std::next(lock);
    if (GC_REFCOUNT(lock->first) == 1 && lock->second.path == path) let_go(lock);
    lock = next;
  }
}

void flock_file(INTERNAL_FUNCTION_PARAMETERS) {
  zval* resource = nullptr;
  zend_long operation = 0;
  zval* would_block = nullptr;
  ZEND_PARSE_PARAMETERS_START(2, 3)
  Z_PARAM_RESOURCE(resource)
  Z_PARAM_LONG(operation)
  Z_PARAM_OPTIONAL
  Z_PARAM_ZVAL(would_block)
  ZEND_PARSE_PARAMETERS_END();
  auto* stream = static_cast<php_stream*>(
      zend_fetch_resource2(Z_RES_P(resource), nullptr, php_file_le_stream(), php_file_le_pstream()));
  // PHP's own numbers: 1 shared, 2 exclusive, 3 unlock, and 4 for "do not wait".
  const zend_long act = operation & 3;
  if (world == nullptr || stream == nullptr || stream->orig_path == nullptr || act == 0) {
    return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  }
  const std::string path = stream->orig_path;
  const auto known = held.find(Z_RES_P(resource));
  if (act == 3) {
    if (known != held.end()) let_go(known);
    RETURN_TRUE;
  }
  let_go_of_the_forgotten(path);
  const bool wait = (operation & PHP_LOCK_NB) == 0;
  const std::uint64_t handle =
      handles.try_emplace(Z_RES_HANDLE_P(resource), handles.size() + 1).first->second;
  Attempt attempt{stream, (act == 1 ? LOCK_SH : LOCK_EX) | (wait ? 0 : LOCK_NB)};
  const auto mode = act == 1 ? wire::LockMode::shared : wire::LockMode::exclusive;
  const bool granted = world->lock_acquire(path, handle, mode, wait, take, &attempt);
  if (granted && known == held.end()) {
    GC_ADDREF(Z_RES_P(resource));
    held.emplace(Z_RES_P(resource), Held{path, handle});
  }
  if (would_block != nullptr) ZEND_TRY_ASSIGN_REF_LONG(would_block, granted ? 0 : 1);
  RETURN_BOOL(granted);
}

void close_file(INTERNAL_FUNCTION_PARAMETERS) {
  const zval* resource = ZEND_NUM_ARGS() > 0 ? ZEND_CALL_ARG(execute_data, 1) : nullptr;
  if (world != nullptr && resource != nullptr && Z_TYPE_P(resource) == IS_RESOURCE) {
    const auto known = held.find(Z_RES_P(resource));
    if (known != held.end()) let_go(known);
  }
  call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

std::array table = {Interception{nullptr, "flock", flock_file}, Interception{nullptr, "fclose", close_file}};

}  // namespace

void begin_locks() {
  held.clear();
  handles.clear();
}

void release_locks() {
  while (world != nullptr && !held.empty()) let_go(held.begin());
}

Rows lock_rows() {
  return {table.data(), table.data() + table.size()};
}

}  // namespace assay::php
