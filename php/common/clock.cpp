// One clock per request: it stands still, and is set forward only where PHP code asks for the time. So a
// request that took 30 ms looks at one or two times instead of hundreds, and the auditor can be told which.
// The originals then read the clock that C code sees, which is ours too (system_calls.cpp).
#include <array>

#include "common/intercept.hpp"
#include "common/told_call.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

void ask_then_original(INTERNAL_FUNCTION_PARAMETERS) {
  if (world != nullptr) world->ask_clock();
  call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

// The monotonic clock is the same clock: what a program can learn from it is how much time has passed.
void hrtime(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  bool as_number = false;
  ZEND_PARSE_PARAMETERS_START(0, 1)
  Z_PARAM_OPTIONAL
  Z_PARAM_BOOL(as_number)
  ZEND_PARSE_PARAMETERS_END();
  const auto now = static_cast<zend_long>(world->ask_clock());
  if (as_number) RETURN_LONG(now);
  array_init(return_value);
  add_next_index_long(return_value, now / 1000000000);
  add_next_index_long(return_value, now % 1000000000);
}

// How a sleep ended, and the clock after it.
void sleep(INTERNAL_FUNCTION_PARAMETERS) {
  tell_call(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  if (world != nullptr && EG(exception) == nullptr) world->ask_clock_after_sleep();
}

std::array table = {
    Interception{nullptr, "time", ask_then_original},
    Interception{nullptr, "microtime", ask_then_original},
    Interception{nullptr, "gettimeofday", ask_then_original},
    Interception{nullptr, "hrtime", hrtime},
    Interception{nullptr, "date", ask_then_original},
    Interception{nullptr, "gmdate", ask_then_original},
    Interception{nullptr, "idate", ask_then_original},
    Interception{nullptr, "getdate", ask_then_original},
    Interception{nullptr, "localtime", ask_then_original},
    Interception{nullptr, "mktime", ask_then_original},
    Interception{nullptr, "gmmktime", ask_then_original},
    Interception{nullptr, "strtotime", ask_then_original},
    Interception{nullptr, "strftime", ask_then_original},
    Interception{nullptr, "gmstrftime", ask_then_original},
    Interception{nullptr, "date_create", ask_then_original},
    Interception{nullptr, "date_create_immutable", ask_then_original},
    Interception{nullptr, "date_create_from_format", ask_then_original},
    Interception{nullptr, "date_create_immutable_from_format", ask_then_original},
    Interception{"datetime", "__construct", ask_then_original},
    Interception{"datetimeimmutable", "__construct", ask_then_original},
    Interception{"datetime", "createfromformat", ask_then_original},
    Interception{"datetimeimmutable", "createfromformat", ask_then_original},
    Interception{nullptr, "sleep", sleep},
    Interception{nullptr, "usleep", sleep},
    Interception{nullptr, "time_nanosleep", sleep},
    Interception{nullptr, "time_sleep_until", sleep},
};

}  // namespace

Rows clock_rows() {
  return {table.data(), table.data() + table.size()};
}

}  // namespace assay::php
