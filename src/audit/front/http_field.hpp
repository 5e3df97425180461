// Header fields, "Name: value": what HTTP requests, their trailers and CGI responses have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::audit::front {

struct Field {
  std::string name;
  std::string value;
};
using Fields = std::vector<Field>;

bool is_token(std::string_view text);
// No control character but the tab.
bool is_field_value(std::string_view text);
std::string_view without_blanks(std::string_view text);

// One line without its end. False if it is not a name, a colon right after it, and a value: a line that
// begins with a blank (an obsolete way to continue the one before) is none.
bool parse_field(std::string_view line, Field& out);

// As names of fields and their tokens are compared: letters in either case.
bool same_name(std::string_view a, std::string_view b);
// Whether the comma-separated list holds this token.
bool lists_token(std::string_view list, std::string_view token);

// The first field of this name, or null.
const Field* find_field(const Fields& fields, std::string_view name);
std::size_t count_fields(const Fields& fields, std::string_view name);

}  // namespace assay::audit::front
