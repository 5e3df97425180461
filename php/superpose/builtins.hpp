// The functions of PHP that are written in C: which of them a group may call, and how (docs/audit-superposition.md).
#pragma once

#include <string>

#include "superpose/lanes.hpp"

namespace assay::php {

enum class Treatment : unsigned char {
  denied,
  pure,       // the result depends on the arguments alone, and nothing else changes: per lane if one differs
  mover,      // takes what is inside of arrays unseen: once
  shared,     // once; denied if an argument differs
  told,       // the world answers: always per lane
  printer,    // pure but for what it prints
  buffer,     // works on PHP's output buffers
  exception,  // a constructor that keeps its first argument
  message,    // what it has kept
  database,   // PDO's
  session,    // about the session of each lane
  replacer,   // preg_replace_callback
  date,       // of objects whose state may differ
};

struct Builtin {
  Treatment treatment = Treatment::denied;
  // Of a mover: which arguments may differ themselves, the first is bit 0. If another does: per lane, if it may be.
  unsigned may_differ = 0;
  bool or_pure = false;
};

// By its name in lower case, with its class and :: in front. `evaluable` if PHP itself calls it at compile time.
Builtin find_builtin(const std::string& name, bool evaluable);

// Before anything is compiled.
void watch_builtins();

}  // namespace assay::php
