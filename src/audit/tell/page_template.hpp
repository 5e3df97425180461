// The audit's page as it stands in web/audit.html; compiled in by cmake/embed.cmake.
#pragma once

#include <string_view>

namespace assay::audit {

extern const std::string_view kAuditPage;

}  // namespace assay::audit
