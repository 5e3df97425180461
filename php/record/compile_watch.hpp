// Shows everything that PHP compiles to somebody, before it runs: scripts and what they define, and code from eval.
#pragma once

#include "common/php.hpp"

namespace assay::php {

struct CompileWatcher {
  // Opcache hands out the same code again and again.
  bool (*is_known)(const zend_op_array& script);
  // Each function of a script that is not known, methods and closures too, and the script's own code.
  void (*function)(zend_op_array& function);
  // All of them have been shown.
  void (*is_done)(zend_op_array& script);
};

// Call in each request: opcache puts itself in between later than us.
void watch_compiler(const CompileWatcher& watcher);

}  // namespace assay::php
