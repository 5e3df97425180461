#include "common/intercept.hpp"

#include "common/collector.hpp"
#include "common/world.hpp"

namespace assay::php {

World* world = nullptr;

namespace {

int row_slot = -1;  // where a function keeps its row of the table

zend_function* find(const Interception& row) {
  HashTable* functions = CG(function_table);
  if (row.scope != nullptr) {
    auto* ce = static_cast<zend_class_entry*>(
        zend_hash_str_find_ptr(CG(class_table), row.scope, std::strlen(row.scope)));
    if (ce == nullptr) return nullptr;
    functions = &ce->function_table;
  }
  auto* found =
      static_cast<zend_function*>(zend_hash_str_find_ptr(functions, row.name, std::strlen(row.name)));
  return found != nullptr && found->type == ZEND_INTERNAL_FUNCTION ? found : nullptr;
}

}  // namespace

void install_interceptions() {
  row_slot = zend_get_resource_handle("assay");
  for (const Rows rows : {clock_rows(), chance_rows(), machine_rows(), file_rows(), key_value_rows(),
                          lock_rows(), unrepeatable_rows()}) {
    for (Interception* row = rows.begin; row != rows.end; ++row) {
      zend_function* function = find(*row);
      if (function == nullptr) continue;
      row->original = function->internal_function.handler;
      function->internal_function.handler = row->handler;
      function->internal_function.reserved[row_slot] = row;
      // The optimizer would otherwise call it at compile time and keep that answer for every request.
      function->common.fn_flags &= ~static_cast<std::uint32_t>(ZEND_ACC_COMPILE_TIME_EVAL);
    }
  }
  register_sessions();
  register_sql_driver();
}

void call_original(INTERNAL_FUNCTION_PARAMETERS) {
  const auto* row = static_cast<const Interception*>(EX(func)->internal_function.reserved[row_slot]);
  row->original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void begin_intercepted_request(std::uint64_t seed) {
  begin_collector();
  begin_chance(seed);
  begin_machine();
  begin_locks();
  begin_sql();
}

}  // namespace assay::php
