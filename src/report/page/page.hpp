// The verdict as one page that needs nothing else: no network, no other file. Its sources are in web/; the
// build puts them into the program, and a report is those with the data filled in.
#pragma once

#include <cstddef>
#include <string>

#include "evidence/examination.hpp"
#include "report/page/page_context.hpp"

namespace assay::report {

inline constexpr std::size_t kLargestPage = 2'000'000;  // bytes

// Always below kLargestPage: what does not fit is counted instead of shown.
std::string html(const evidence::Examination& examination, const PageContext& context = {});

}  // namespace assay::report
