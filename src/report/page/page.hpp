// The verdict as one page that needs nothing else: no network, no other file. Its sources are in web/; the
// build puts them into the program, and a report is those with the data filled in.
#pragma once

#include <cstddef>
#include <string>

#include "evidence/examination.hpp"

namespace assay::report {

inline constexpr std::size_t kLargestPage = 2'000'000;  // bytes

// Always below kLargestPage: what does not fit is counted instead of shown.
std::string html(const evidence::Examination& examination);

}  // namespace assay::report
