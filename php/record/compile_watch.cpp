#include "record/compile_watch.hpp"

namespace assay::php {

namespace {

using CompileFile = zend_op_array* (*)(zend_file_handle*, int);
using CompileString = zend_op_array* (*)(zend_string*, const char*, zend_compile_position);
CompileFile compile_file = nullptr;
CompileString compile_string = nullptr;
CompileWatcher watcher;

void show_function(zend_op_array& function) {
  if (function.type != ZEND_USER_FUNCTION || function.opcodes == nullptr) return;
  watcher.function(function);
  for (std::uint32_t i = 0; i < function.num_dynamic_func_defs; ++i)
    show_function(*function.dynamic_func_defs[i]);
}

void show_class(zend_class_entry& ce) {
  if (ce.type != ZEND_USER_CLASS) return;
  zval* method = nullptr;
  ZEND_HASH_FOREACH_VAL(&ce.function_table, method) {
    show_function(Z_FUNC_P(method)->op_array);
  }
  ZEND_HASH_FOREACH_END();
}

// How far the tables of classes and functions went before something was compiled: what is behind is new.
struct Mark {
  std::uint32_t classes = EG(class_table)->nNumUsed;
  std::uint32_t functions = EG(function_table)->nNumUsed;
};

zend_op_array* show(zend_op_array* script, const Mark& before) {
  if (script == nullptr || script->opcodes == nullptr || watcher.is_known(*script)) return script;
  for (std::uint32_t i = before.classes; i < EG(class_table)->nNumUsed; ++i) {
    const zval& value = EG(class_table)->arData[i].val;
    if (Z_TYPE(value) == IS_PTR) show_class(*static_cast<zend_class_entry*>(Z_PTR(value)));
  }
  for (std::uint32_t i = before.functions; i < EG(function_table)->nNumUsed; ++i) {
    const zval& value = EG(function_table)->arData[i].val;
    if (Z_TYPE(value) == IS_PTR) show_function(Z_FUNC(value)->op_array);
  }
  show_function(*script);
  watcher.is_done(*script);
  return script;
}

zend_op_array* compile_file_and_show(zend_file_handle* file, int type) {
  const Mark before;
  return show(compile_file(file, type), before);
}
zend_op_array* compile_string_and_show(zend_string* source, const char* name,
                                       zend_compile_position position) {
  const Mark before;
  return show(compile_string(source, name, position), before);
}

}  // namespace

void watch_compiler(const CompileWatcher& who) {
  watcher = who;
  if (zend_compile_file == compile_file_and_show) return;
  compile_file = zend_compile_file;
  zend_compile_file = compile_file_and_show;
  compile_string = zend_compile_string;
  zend_compile_string = compile_string_and_show;
}

}  // namespace assay::php
