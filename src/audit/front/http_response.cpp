#include "audit/front/http_response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace assay::audit::front {

namespace {

std::string_view usual_reason(std::uint32_t status) {
  using Entry = std::pair<std::uint32_t, std::string_view>;
  static constexpr std::array<Entry, 34> kReasons = {{
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {206, "Partial Content"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {303, "See Other"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {411, "Length Required"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {416, "Range Not Satisfiable"},
      {417, "Expectation Failed"},
      {422, "Unprocessable Content"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
  }};
  if (status == 505) return "HTTP Version Not Supported";
  const auto* const found = std::find_if(kReasons.begin(), kReasons.end(),
                                         [&](const Entry& entry) { return entry.first == status; });
  return found == kReasons.end() ? "" : found->second;
}

// As HTTP writes dates, in English whatever the locale.
std::string http_date(std::time_t now) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                     kDays.at(static_cast<std::size_t>(parts.tm_wday)), parts.tm_mday,
                     kMonths.at(static_cast<std::size_t>(parts.tm_mon)), parts.tm_year + 1900, parts.tm_hour,
                     parts.tm_min, parts.tm_sec);
}

bool speaks_of_the_connection(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Trailer", "Upgrade"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view one) { return same_name(name, one); });
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string response(const CgiHead& head, std::string_view body, const ResponseFraming& framing) {
  const bool no_body = framing.to_head || head.status == 204 || head.status == 304;
  const std::string_view reason = head.reason.empty() ? usual_reason(head.status) : head.reason;
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", head.status, reason);
  bool has_length = false;
  for (const Field& field : head.fields) {
    if (speaks_of_the_connection(field.name)) continue;
    if (same_name(field.name, "Content-Length")) {
      // Where a body follows, its true length stands below. Where none does, PHP knows what it would be.
      if (!no_body || head.status == 204 || has_length || !is_number(field.value)) continue;
      has_length = true;
    }
    out += fmt::format("{}: {}\r\n", field.name, field.value);
  }
  if (find_field(head.fields, "Date") == nullptr) out += fmt::format("Date: {}\r\n", http_date(framing.now));
  if (!no_body) out += fmt::format("Content-Length: {}\r\n", body.size());
  out += framing.keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  if (!no_body) out += body;
  return out;
}

std::string own_response(int status, std::string_view why, const ResponseFraming& framing) {
  CgiHead head;
  head.status = static_cast<std::uint32_t>(status);
  head.fields.push_back({"Content-Type", "text/plain"});
  return response(head, fmt::format("{} {}\n{}\n", status, usual_reason(head.status), why), framing);
}

}  // namespace assay::audit::front
