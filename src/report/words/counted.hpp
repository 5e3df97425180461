// Numbers as a person reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::report {

std::string grouped(std::uint64_t n);                          // "1,647"
std::string counted(std::uint64_t n, std::string_view noun);   // "1,647 operations", "1 key"
std::string percent(std::uint64_t part, std::uint64_t whole);  // "34 %", "0.3 %"

// Of nanoseconds since 1970: "07:45:55.406559", in UTC.
std::string time_of_day(std::int64_t nanoseconds);
// "56.1 ms", to three digits.
std::string duration_told(std::uint64_t nanoseconds);

}  // namespace assay::report
