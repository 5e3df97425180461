// Operations and what they read, as a person writes them down.
#pragma once

#include <span>
#include <string>

#include "history/history.hpp"

namespace assay::report {

// "[1,2,3]", of rows "[x=1,y=2]"; of a long one the beginning and the end.
std::string elements(const History& history, std::span<const Version> versions, bool with_keys);

// "5", "the initial value".
std::string value_of(const History& history, Version version);

// "r(x)=5", "w(x)=6", "r(x)=initial", "append(x)=7", "r(x)=[6,7]".
std::string operation(const History& history, Op op);

}  // namespace assay::report
