// The functions of PHP that are replaced, in one table for recorder and worker: a function that is missing
// here is one that an audited program can use to learn something that the auditor does not know. Each row
// names a function or method and what stands in for it.
#pragma once

#include "common/php.hpp"

namespace assay::php {

struct Interception {
  const char* scope;  // the class in lower case, or null
  const char* name;   // in lower case
  zif_handler handler;
  zif_handler original = nullptr;
};

// Replaces the handler of every function of the table that this PHP has, and keeps the optimizer from
// calling it while it compiles. Call once, after all extensions have started.
void install_interceptions();

// Calls the function that the running handler stands in for.
void call_original(INTERNAL_FUNCTION_PARAMETERS);

// Starts a request: numbers that are counted from its beginning begin again, mt_rand and its kin are seeded.
void begin_intercepted_request(std::uint64_t seed);

// The rooms of the table, one file each.
struct Rows {
  Interception* begin;
  Interception* end;
};
Rows clock_rows();
Rows chance_rows();
Rows machine_rows();
Rows file_rows();
Rows key_value_rows();
Rows lock_rows();
Rows unrepeatable_rows();

void begin_chance(std::uint64_t seed);  // chance.cpp
void begin_machine();                   // machine.cpp
void begin_locks();                     // locks.cpp
void release_locks();                   // those that the request still holds, at its end
void register_sessions();               // sessions.cpp: the save handler "assay"
void register_sql_driver();             // sql_driver.cpp: takes the place of PDO's driver "sqlite"
void begin_sql();                       // connections are numbered from 1 in each request

}  // namespace assay::php
