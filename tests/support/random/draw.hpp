// Histories drawn in a few characters, for tests that read like specifications:
//
//   draw("a: w(x,1) w(y,1) | r(x,1)\n"
//        "b: r(y,1) r(x,0)")
//
// One line per session (several lines may continue one), transactions separated by '|', operations by spaces.
// r(key,value) w(key,value) i(key,value) d(key) a(key,element) l(key,[e,e,...]); value 0 is the initial
// state. g(low..high,[key=value,...]) is a range read, p(predicate,[key=value,...]) a predicate read, q([key=value,...]) a read
// of rows. A
// transaction may end in '!' (aborted) or '?' (fate unknown), and may begin with @start-end (times;
// @start- leaves the end open).
#pragma once

#include <string_view>

#include "history/history.hpp"

namespace assay {

History draw(std::string_view text);

}  // namespace assay
