#include "support/json_schema.hpp"

#include <algorithm>
#include <set>

namespace assay::testing {

namespace {

using nlohmann::json;

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  std::vector<std::string> errors(const json& schema, const json& value, const std::string& place) const {
    static const std::set<std::string> kAnnotations{"$schema", "$id", "$defs", "title", "description"};
    std::vector<std::string> out;
    const auto fail = [&](const std::string& what) { out.push_back(place + ": " + what); };
    const auto descend = [&](const json& inner, const json& part, const std::string& at) {
      for (std::string& error : errors(inner, part, at)) out.push_back(std::move(error));
    };
    for (const auto& [keyword, argument] : schema.items()) {
      if (kAnnotations.count(keyword) != 0) continue;
      if (keyword == "$ref") {
        descend(root_.at(json::json_pointer(argument.get<std::string>().substr(1))), value, place);
      } else if (keyword == "type") {
        if (!has_type(argument, value)) fail("expected " + argument.dump() + ", got " + value.dump());
      } else if (keyword == "enum") {
        if (std::find(argument.begin(), argument.end(), value) == argument.end())
          fail("none of " + argument.dump());
      } else if (keyword == "const") {
        if (value != argument) fail("not " + argument.dump());
      } else if (keyword == "minimum") {
        if (value.is_number() && value < argument) fail("below " + argument.dump());
      } else if (keyword == "required") {
        for (const json& name : argument) {
          if (value.is_object() && !value.contains(name.get<std::string>())) fail("lacks " + name.dump());
        }
      } else if (keyword == "properties") {
        for (const auto& [name, inner] : argument.items()) {
          if (value.is_object() && value.contains(name)) descend(inner, value[name], place + "/" + name);
        }
      } else if (keyword == "additionalProperties") {
        if (!value.is_object()) continue;
        for (const auto& [name, part] : value.items()) {
          if (schema.contains("properties") && schema["properties"].contains(name)) continue;
          if (argument.is_object()) {
            descend(argument, part, place + "/" + name);
          } else if (!argument.get<bool>()) {
            fail("has an unknown member " + name);
          }
        }
      } else if (keyword == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
          descend(argument, value[i], place + "/" + std::to_string(i));
        }
      } else if (keyword == "oneOf") {
        const auto valid = std::count_if(argument.begin(), argument.end(), [&](const json& inner) {
          return errors(inner, value, place).empty();
        });
        if (valid != 1) fail("matches " + std::to_string(valid) + " of the alternatives, not one");
      } else {
        fail("the schema uses the keyword " + keyword + ", which this validator does not know");
      }
    }
    return out;
  }

 private:
  static bool has_type(const json& type, const json& value) {
    if (type.is_array()) {
      return std::any_of(type.begin(), type.end(), [&](const json& one) { return has_type(one, value); });
    }
    const std::string name = type.get<std::string>();
    if (name == "object") return value.is_object();
    if (name == "array") return value.is_array();
    if (name == "string") return value.is_string();
    if (name == "boolean") return value.is_boolean();
    if (name == "null") return value.is_null();
    if (name == "integer") return value.is_number_integer();
    return name == "number" && value.is_number();
  }

  const json& root_;
};

}  // namespace

std::vector<std::string> schema_errors(const json& schema, const json& value) {
  return Validator(schema).errors(schema, value, "");
}

}  // namespace assay::testing
