#include "audit/trial/application.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "system/input_error.hpp"

namespace assay::audit {

namespace {

using Json = nlohmann::json;

RequestPattern pattern_of(const Json& json) {
  RequestPattern made;
  made.weight = json.value("weight", std::uint64_t{1});
  made.method = json.value("method", "GET");
  made.query = json.value("query", "");
  made.form = json.value("form", "");
  made.script = json.value("script", "");
  return made;
}

DrawnFrom range_of(const Json& json) {
  DrawnFrom made;
  if (json.at(0).is_string()) {
    made.words = json.get<std::vector<std::string>>();
  } else {
    made.least = json.at(0).get<std::uint64_t>();
    made.most = json.at(1).get<std::uint64_t>();
  }
  return made;
}

// Every name that a pattern uses must be known: a visitor cannot draw from nothing.
void check_names(const Application& application, const std::string& text) {
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    const std::string name = text.substr(open + 1, close - open - 1);
    if (close == std::string::npos || (name != "session" && application.names.count(name) == 0))
      throw std::invalid_argument(fmt::format("'{}' uses a name that is not among the ranges", text));
  }
}

void check(const Application& application) {
  if (application.requests.empty()) throw std::invalid_argument("there are no requests to draw from");
  if (application.sessions == 0) throw std::invalid_argument("there must be a session");
  for (const auto& [name, from] : application.names) {
    if (from.words.empty() && from.least > from.most)
      throw std::invalid_argument(fmt::format("the range '{}' is empty", name));
  }
  for (const auto* patterns : {&application.first, &application.requests}) {
    for (const RequestPattern& pattern : *patterns) {
      if (pattern.weight == 0) throw std::invalid_argument("a weight is 0");
      check_names(application, pattern.query);
      check_names(application, pattern.form);
    }
  }
}

}  // namespace

Application read_application(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "workload.json";
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw InputError(file.string(), "",
                     "cannot be read; an application to try is a folder with scripts and this file");
  try {
    const Json json = Json::parse(in);
    Application made;
    made.folder = std::filesystem::canonical(folder);
    made.script = json.at("script").get<std::string>();
    made.setup = json.value("setup", "");
    made.install = json.value("install", "");
    made.extensions = json.value("extensions", std::vector<std::string>{});
    const Json settings = json.value("settings", Json::object());
    for (const auto& [name, value] : settings.items())
      made.settings.emplace_back(name, value.get<std::string>());
    const Json parameters = json.value("parameters", Json::object());
    for (const auto& [name, value] : parameters.items())
      made.parameters.emplace_back(name, value.get<std::string>());
    const Json ranges = json.value("ranges", Json::object());
    for (const auto& [name, range] : ranges.items()) made.names[name] = range_of(range);
    made.sessions = json.value("sessions", std::uint64_t{1});
    if (json.contains("login")) made.first.push_back(pattern_of(json["login"]));
    for (const Json& each : json.at("requests")) made.requests.push_back(pattern_of(each));
    check(made);
    return made;
  } catch (const std::exception& error) {
    throw InputError(file.string(), "", error.what());
  }
}

}  // namespace assay::audit
