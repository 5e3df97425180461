#include "system/address.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "system/input_error.hpp"

namespace assay::system {

namespace {

constexpr std::string_view kUnix = "unix:";

}  // namespace

std::string shown(const Address& address) {
  if (!address.path.empty()) return std::string(kUnix) + address.path;
  const bool v6 = address.host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", address.host, address.port)
            : fmt::format("{}:{}", address.host, address.port);
}

Address address_of(std::string_view text) {
  const auto fail = [&](const char* why) { throw InputError(std::string(text), "", why); };
  Address address;
  if (text.starts_with(kUnix)) {
    address.path = text.substr(kUnix.size());
    if (address.path.empty()) fail("expected unix:PATH");
    return address;
  }
  const std::size_t colon = text.rfind(':');
  std::string_view port = text;
  if (colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
      host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
      fail("an IPv6 address stands in brackets: [::1]:7420");
    }
    if (!host.empty()) address.host = host;
  }
  const bool digits = !port.empty() && port.size() <= 5 &&
                      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || std::stoi(std::string(port)) > 65535)
    fail("expected HOST:PORT, with a port from 0 to 65535");
  address.port = port;
  return address;
}

}  // namespace assay::system
