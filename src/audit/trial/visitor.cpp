#include "audit/trial/visitor.hpp"

#include <algorithm>

namespace assay::audit {

Visitor::Visitor(const Application& application, std::uint64_t seed, std::uint64_t number)
    : application_(application),
      random_(seed * 0x9E3779B97F4A7C15ULL + number),
      session_(number % application.sessions + 1) {
  for (const RequestPattern& each : application.requests) all_weights_ += each.weight;
}

const RequestPattern& Visitor::draw() {
  if (asked_ < application_.first.size()) return application_.first[asked_];
  std::uint64_t ticket = below(all_weights_);
  for (const RequestPattern& each : application_.requests) {
    if (ticket < each.weight) return each;
    ticket -= each.weight;
  }
  return application_.requests.back();
}

std::string Visitor::fill(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', at)) {
    const std::size_t close = text.find('}', open);
    const std::string name = text.substr(open + 1, close - open - 1);
    out += text.substr(at, open - at);
    if (name == "session") {
      out += std::to_string(session_);
    } else {
      const DrawnFrom& from = application_.names.at(name);
      out += from.words.empty() ? std::to_string(from.least + below(from.most - from.least + 1))
                                : from.words[below(from.words.size())];
    }
    at = close + 1;
  }
  return out + text.substr(at);
}

WebRequest Visitor::next() {
  const RequestPattern& pattern = draw();
  ++asked_;
  WebRequest request;
  request.method = pattern.method;
  request.target = "/" + (pattern.script.empty() ? application_.script : pattern.script);
  const std::string query = fill(pattern.query);
  if (!query.empty()) request.target += "?" + query;
  request.form = fill(pattern.form);
  for (const auto& [name, value] : cookies_) {
    if (!request.cookies.empty()) request.cookies += "; ";
    request.cookies.append(name).append("=").append(value);
  }
  return request;
}

void Visitor::keep_cookies(const WebResponse& response) {
  for (const std::string& cookie : response.set_cookies) {
    const std::size_t equals = cookie.find('=');
    if (equals == std::string::npos) continue;
    const std::size_t end = std::min(cookie.find(';'), cookie.size());
    if (equals < end) cookies_[cookie.substr(0, equals)] = cookie.substr(equals + 1, end - equals - 1);
  }
}

}  // namespace assay::audit
