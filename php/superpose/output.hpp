// What a group prints: a stretch that is the same for all lanes is kept once. PHP's own buffers (ob_start) hold what is the same;
// where something that differs belongs in between is remembered beside them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "superpose/multivalue.hpp"

namespace assay::php {

// A string, or a multivalue of strings.
void print(zval* text);

// What leaves PHP: SAPI's writer.
void receive_output(std::string_view text);
// All that a lane has printed.
std::string output_of(unsigned lane);
std::size_t output_size();  // of the largest lane at most

// Before a builtin that works on the innermost buffer, by its name; false if it has nothing to do with what differs. Else it
// has been carried out and `result` holds what it returned.
bool work_on_buffer(std::string_view function, zend_execute_data* call, zval* result);
// At the end of the program, after its destructors: what PHP's buffers hold goes out, through the program's own callbacks.
void end_buffers();
void forget_output();

}  // namespace assay::php
