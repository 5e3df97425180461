// web/report.html, web/report.css and the script in web/report/, as cmake/embed.cmake put them into the program.
#pragma once

#include <string_view>

namespace assay::report {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;

}  // namespace assay::report
