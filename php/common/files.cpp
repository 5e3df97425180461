// Files. The program's own tree is an input of the audit and is read as it is. What a call on a path outside
// of it came to (is the database there? a lock file is removed) is told; so is what differs between two copies
// of the tree, owners and inodes. What stands in a file outside is not: rerun/outer_files.hpp.
#include <array>
#include <cstring>

#include "common/blind_stream.hpp"
#include "common/code_tree.hpp"
#include "common/intercept.hpp"
#include "common/told_call.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

// An object that can be text is a path too, unless the calling file is strict about types.
bool is_outside(zend_execute_data* execute_data, std::uint32_t number) {
  if (ZEND_NUM_ARGS() < number) return false;
  zval* path = ZEND_CALL_ARG(execute_data, number);
  if (Z_TYPE_P(path) == IS_OBJECT && !ZEND_ARG_USES_STRICT_TYPES()) {
    zend_string* text = zval_try_get_string_func(path);
    if (text == nullptr) return false;
    zval_ptr_dtor(path);
    ZVAL_STR(path, text);
  }
  return Z_TYPE_P(path) == IS_STRING && !in_code_tree(view(Z_STR_P(path)));
}

void about_path(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr || !is_outside(execute_data, 1))
    return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  tell_call(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void about_two_paths(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr || (!is_outside(execute_data, 1) && !is_outside(execute_data, 2)))
    return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  tell_call(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

// A stream on the server. When the request is run again, where opening worked: memory, if the file began empty,
// and otherwise one that can be locked and written, but not read.
void open_file(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr || ZEND_NUM_ARGS() < 2 || !is_outside(execute_data, 1))
    return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  const zval* path = ZEND_CALL_ARG(execute_data, 1);
  const zval* mode = ZEND_CALL_ARG(execute_data, 2);
  const char how = Z_TYPE_P(mode) == IS_STRING ? *Z_STRVAL_P(mode) : 'r';
  const bool opened = tell_opening(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  if (world->live()) return;
  if (!opened) RETURN_FALSE;
  php_stream* stream = how == 'w' || how == 'x' ? php_stream_memory_create(TEMP_STREAM_DEFAULT)
                                                : blind_stream(Z_STRVAL_P(mode));
  stream->orig_path = estrdup(Z_STRVAL_P(path));
  php_stream_to_zval(stream, return_value);
}

void open_temporary(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  const bool opened = tell_opening(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  if (world->live()) return;
  if (!opened) RETURN_FALSE;
  php_stream_to_zval(php_stream_memory_create(TEMP_STREAM_DEFAULT), return_value);
}

std::array table = {
    Interception{nullptr, "fopen", open_file},
    Interception{nullptr, "tmpfile", open_temporary},
    // Calls that change something, of which only the answer is told.
    Interception{nullptr, "unlink", about_path},
    Interception{nullptr, "mkdir", about_path},
    Interception{nullptr, "rmdir", about_path},
    Interception{nullptr, "touch", about_path},
    Interception{nullptr, "chmod", about_path},
    Interception{nullptr, "chown", about_path},
    Interception{nullptr, "chgrp", about_path},
    Interception{nullptr, "lchown", about_path},
    Interception{nullptr, "lchgrp", about_path},
    Interception{nullptr, "file_put_contents", about_path},
    Interception{nullptr, "rename", about_two_paths},
    Interception{nullptr, "copy", about_two_paths},
    Interception{nullptr, "link", about_two_paths},
    Interception{nullptr, "symlink", about_two_paths},
    Interception{nullptr, "tempnam", tell_call},
    // Questions.
    Interception{nullptr, "is_file", about_path},
    Interception{nullptr, "is_dir", about_path},
    Interception{nullptr, "is_link", about_path},
    Interception{nullptr, "is_readable", about_path},
    Interception{nullptr, "is_writable", about_path},
    Interception{nullptr, "is_writeable", about_path},
    Interception{nullptr, "is_executable", about_path},
    Interception{nullptr, "file_exists", about_path},
    Interception{nullptr, "filesize", about_path},
    Interception{nullptr, "filemtime", about_path},
    Interception{nullptr, "filetype", about_path},
    Interception{nullptr, "readlink", about_path},
    Interception{nullptr, "realpath", about_path},
    Interception{nullptr, "scandir", about_path},
    Interception{nullptr, "glob", about_path},
    Interception{nullptr, "sys_get_temp_dir", tell_call},
    // Not the same for a copy of the tree.
    Interception{nullptr, "stat", tell_call},
    Interception{nullptr, "lstat", tell_call},
    Interception{nullptr, "fileatime", tell_call},
    Interception{nullptr, "filectime", tell_call},
    Interception{nullptr, "fileinode", tell_call},
    Interception{nullptr, "fileowner", tell_call},
    Interception{nullptr, "filegroup", tell_call},
    Interception{nullptr, "fileperms", tell_call},
    Interception{nullptr, "disk_free_space", tell_call},
    Interception{nullptr, "diskfreespace", tell_call},
    Interception{nullptr, "disk_total_space", tell_call},
    Interception{nullptr, "getmyinode", tell_call},
    Interception{nullptr, "getmyuid", tell_call},
    Interception{nullptr, "getmygid", tell_call},
    Interception{nullptr, "get_current_user", tell_call},
};

}  // namespace

Rows file_rows() {
  return {table.data(), table.data() + table.size()};
}

}  // namespace assay::php
