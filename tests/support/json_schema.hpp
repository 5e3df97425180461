// A validator for the part of JSON Schema (draft 2020-12) that docs/json-schema.json uses. A keyword that it
// does not know is a failure, so the schema cannot promise what is not checked.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace assay::testing {

// What is wrong with `value`, each with its place; empty if it is valid.
std::vector<std::string> schema_errors(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace assay::testing
