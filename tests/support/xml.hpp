// Whether a text is well-formed XML, as far as reports use it: one root, elements that nest, attributes in
// double quotes, the five entities and numeric ones, no character that XML 1.0 does not have.
#pragma once

#include <string>
#include <string_view>

namespace assay::testing {

// Empty, or what is wrong and where.
std::string xml_error(std::string_view text);

}  // namespace assay::testing
