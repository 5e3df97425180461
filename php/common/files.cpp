// Files. The program's own tree is an input of the audit and is read as it is. What a program asks about a
// path outside of it (is the database there?) is a fact that is told.
#include <array>
#include <cstring>

#include "common/code_tree.hpp"
#include "common/intercept.hpp"
#include "common/serialize.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

struct Call {
  zend_execute_data* execute_data;
  zval* return_value;
};
std::string original_as_bytes(void* context) {
  const auto* call = static_cast<Call*>(context);
  call_original(call->execute_data, call->return_value);
  std::string bytes;
  serialize(call->return_value, bytes);
  return bytes;
}

void about_path(INTERNAL_FUNCTION_PARAMETERS) {
  const zval* path = ZEND_NUM_ARGS() > 0 ? ZEND_CALL_ARG(execute_data, 1) : nullptr;
  if (world == nullptr || path == nullptr || Z_TYPE_P(path) != IS_STRING ||
      in_code_tree(view(Z_STR_P(path)))) {
    return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  }
  Call call{execute_data, return_value};
  const std::string bytes = world->fact(original_as_bytes, &call);
  zval_ptr_dtor(return_value);
  unserialize(bytes, return_value);
}

// Opening a file outside of the tree gives a stream on the server and, where it worked there, an empty one
// when the request is run again: enough for a lock file. A program that reads such a file gets something else
// then, and the audit says so.
std::string opens(void* context) {
  const auto* call = static_cast<Call*>(context);
  call_original(call->execute_data, call->return_value);
  return Z_TYPE_P(call->return_value) == IS_RESOURCE ? "1" : "0";
}
void open_file(INTERNAL_FUNCTION_PARAMETERS) {
  const zval* path = ZEND_NUM_ARGS() > 0 ? ZEND_CALL_ARG(execute_data, 1) : nullptr;
  if (world == nullptr || path == nullptr || Z_TYPE_P(path) != IS_STRING ||
      in_code_tree(view(Z_STR_P(path)))) {
    return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  }
  Call call{execute_data, return_value};
  const std::string opened = world->fact(opens, &call);
  if (world->live()) return;
  if (opened != "1") RETURN_FALSE;
  php_stream* stream = php_stream_memory_create(TEMP_STREAM_DEFAULT);
  stream->orig_path = estrdup(Z_STRVAL_P(path));
  php_stream_to_zval(stream, return_value);
}

std::array table = {
    Interception{nullptr, "fopen", open_file},         Interception{nullptr, "unlink", about_path},
    Interception{nullptr, "mkdir", about_path},        Interception{nullptr, "rmdir", about_path},
    Interception{nullptr, "touch", about_path},        Interception{nullptr, "chmod", about_path},
    Interception{nullptr, "is_file", about_path},      Interception{nullptr, "is_dir", about_path},
    Interception{nullptr, "is_link", about_path},      Interception{nullptr, "file_exists", about_path},
    Interception{nullptr, "is_readable", about_path},  Interception{nullptr, "is_writable", about_path},
    Interception{nullptr, "is_writeable", about_path}, Interception{nullptr, "filesize", about_path},
    Interception{nullptr, "filemtime", about_path},    Interception{nullptr, "stat", about_path},
};

}  // namespace

Rows file_rows() {
  return {table.data(), table.data() + table.size()};
}

}  // namespace assay::php
