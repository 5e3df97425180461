#include "database/url.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "database/store.hpp"

namespace assay::database {

namespace {

// -1: not a hexadecimal digit.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

StoreUrl::StoreUrl(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) {
    throw StoreError(Failure::fatal,
                     "a store is named by an address such as sqlite:FILE or postgres://user@host/database");
  }
  scheme_ = text.substr(0, colon);
  text.remove_prefix(colon + 1);
  refuse_broken_password(text);
  const std::size_t question = text.find('?');
  if (question != std::string_view::npos) {
    parse_options(text.substr(question + 1));
    text = text.substr(0, question);
  }
  if (!text.starts_with("//")) {
    path_ = decoded(text);
    return;
  }
  text.remove_prefix(2);
  const std::size_t slash = text.find('/');
  parse_authority(text.substr(0, slash));
  if (slash != std::string_view::npos) path_ = decoded(text.substr(slash + 1));
}

// Where a password has a '/' or a '?', what follows would be taken for a path or an option, and what stands
// before for a host and its port: all of them stand in messages, which a password must not.
void StoreUrl::refuse_broken_password(std::string_view behind_scheme) const {
  if (!behind_scheme.starts_with("//")) return;
  const std::size_t end = behind_scheme.find_first_of("/?", 2);
  if (end != std::string_view::npos && behind_scheme.find('@', end) != std::string_view::npos) {
    fail(
        "an '@' stands behind the hosts; in a password '/' is written %2F, '?' %3F, '@' %40 and '%' %25, and "
        "an '@' in a path or an option is written %40");
  }
}

void StoreUrl::fail(const std::string& message) const {
  throw StoreError(Failure::fatal, scheme_ + ": " + message);
}

void StoreUrl::parse_authority(std::string_view authority) {
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    const std::string_view who = authority.substr(0, at);
    authority.remove_prefix(at + 1);
    const std::size_t colon = who.find(':');
    user_ = decoded(who.substr(0, colon));
    if (colon != std::string_view::npos) password_ = decoded(who.substr(colon + 1));
  }
  while (true) {
    const std::size_t comma = authority.find(',');
    std::string_view one = authority.substr(0, comma);
    Endpoint endpoint;
    if (one.starts_with('[')) {  // an IPv6 address has colons of its own
      const std::size_t close = one.find(']');
      if (close == std::string_view::npos) fail("a '[' in the host has no ']'");
      endpoint.host = one.substr(1, close - 1);
      one.remove_prefix(close + 1);
    } else {
      const std::size_t colon = one.find(':');
      endpoint.host = decoded(one.substr(0, colon));
      one.remove_prefix(std::min(colon, one.size()));
    }
    if (!one.empty()) {
      const auto port = one.starts_with(':') ? number_in(one.substr(1)) : std::nullopt;
      if (!port || *port == 0 || *port > 65535) {
        // What stands there may be a password, of an address without a host.
        fail("expected :PORT behind the host, a number from 1 to 65535");
      }
      endpoint.port = static_cast<std::uint16_t>(*port);
    }
    endpoints_.push_back(std::move(endpoint));
    if (comma == std::string_view::npos) break;
    authority.remove_prefix(comma + 1);
  }
}

void StoreUrl::parse_options(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view option = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      fail(fmt::format("expected option=value behind the '?', found '{}'", option));
    }
    std::string name = decoded(option.substr(0, equals));
    for (const auto& [given, value] : options_) {
      if (given == name) fail(fmt::format("the option '{}' is given twice", name));
    }
    options_.emplace_back(std::move(name), decoded(option.substr(equals + 1)));
  }
}

std::string StoreUrl::decoded(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) fail("a '%' must be followed by two hexadecimal digits");
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::vector<Endpoint> StoreUrl::endpoints(std::uint16_t default_port) const {
  if (endpoints_.empty()) fail(fmt::format("expected {}://host", scheme_));
  std::vector<Endpoint> all = endpoints_;
  for (Endpoint& endpoint : all) {
    if (endpoint.host.empty()) endpoint.host = "localhost";
    if (endpoint.port == 0) endpoint.port = default_port;
  }
  return all;
}

std::optional<std::string> StoreUrl::take(std::string_view name) {
  asked_.emplace_back(name);
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const auto& option) { return option.first == name; });
  if (found == options_.end()) return std::nullopt;
  std::string value = std::move(found->second);
  options_.erase(found);
  return value;
}

std::uint64_t StoreUrl::take_number(std::string_view name, std::uint64_t otherwise, std::uint64_t most) {
  const auto text = take(name);
  if (!text) return otherwise;
  const auto number = number_in(*text);
  if (!number || *number > most) {
    fail(fmt::format("the option '{}' is a whole number up to {}, not '{}'", name, most, *text));
  }
  return *number;
}

std::string StoreUrl::take_choice(std::string_view name, std::initializer_list<std::string_view> choices) {
  auto text = take(name);
  if (!text) return std::string(*choices.begin());
  if (std::find(choices.begin(), choices.end(), *text) == choices.end()) {
    fail(fmt::format("the option '{}' is one of {}, not '{}'", name, fmt::join(choices, ", "), *text));
  }
  return *std::move(text);
}

std::vector<std::pair<std::string, std::string>> StoreUrl::take_rest() {
  return std::exchange(options_, {});
}

void StoreUrl::expect_no_more_options() const {
  if (options_.empty()) return;
  if (asked_.empty()) fail(fmt::format("there is no option '{}', nor any other", options_.front().first));
  fail(fmt::format("there is no option '{}'; there are {}", options_.front().first, fmt::join(asked_, ", ")));
}

void StoreUrl::set_password(std::string password) {
  if (endpoints_.empty()) fail("there is no server to give a password to");
  if (!password_.empty()) fail("the password is given twice: in the address and beside it");
  password_ = std::move(password);
}

std::string escaped_for_url(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace assay::database
