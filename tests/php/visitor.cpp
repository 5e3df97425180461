#include "visitor.hpp"

#include "server.hpp"

namespace assay::php::testing {

Visitor::Visitor(std::uint64_t seed, int session)
    : workload_(nlohmann::json::parse(read_file(ASSAY_SOURCE_DIR "/tests/apps/forum/workload.json"))),
      random_(seed),
      session_(session) {}

std::string Visitor::fill(std::string text) {
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{')) {
    const std::size_t close = text.find('}', open);
    const std::string name = text.substr(open + 1, close - open - 1);
    std::string value = std::to_string(session_);
    if (name != "session") {
      const nlohmann::json& range = workload_["ranges"][name];
      if (range[0].is_string()) {
        value = range[random_() % range.size()];
      } else {
        const auto low = range[0].get<std::uint64_t>();
        value = std::to_string(low + random_() % (range[1].get<std::uint64_t>() - low + 1));
      }
    }
    text.replace(open, close - open + 1, value);
  }
  return text;
}

Click Visitor::next() {
  nlohmann::json drawn = workload_["login"];
  if (logged_in_) {
    std::uint64_t all = 0;
    for (const auto& each : workload_["requests"]) all += each["weight"].get<std::uint64_t>();
    std::uint64_t ticket = random_() % all;
    for (const auto& each : workload_["requests"]) {
      drawn = each;
      if (ticket < each["weight"].get<std::uint64_t>()) break;
      ticket -= each["weight"].get<std::uint64_t>();
    }
  }
  logged_in_ = true;
  return {drawn["method"], fill(drawn["query"]), fill(drawn.value("form", ""))};
}

std::string Visitor::cookie() const {
  std::string cookie;
  for (const auto& [name, value] : cookies_) cookie += (cookie.empty() ? "" : "; ") + name + "=" + value;
  return cookie;
}

Parameters Visitor::parameters(const Click& click, const std::string& data, std::uint64_t rid) const {
  Parameters parameters = parameters_for(ASSAY_SOURCE_DIR "/tests/apps/forum/index.php", click.method,
                                         click.query, cookie(), click.form.size(), rid);
  parameters.emplace_back("FORUM_DATA", data);
  return parameters;
}

void Visitor::keep_cookies(const Response& response) {
  for (const auto& [name, value] : response.headers) {
    if (name != "Set-Cookie") continue;
    const std::size_t equals = value.find('=');
    cookies_[value.substr(0, equals)] = value.substr(equals + 1, value.find(';') - equals - 1);
  }
}

}  // namespace assay::php::testing
