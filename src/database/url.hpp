// The address of a database, taken apart: scheme://user:password@host:port,host:port/path?option=value or,
// for what lives in a file or in memory, scheme:path?option=value. Percent escapes work everywhere. Options
// are taken one by one; what is left over in the end is an error that names the options there are. No message
// repeats the address, since it may hold a password.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::database {

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};

class StoreUrl {
 public:
  // Throws StoreError.
  explicit StoreUrl(std::string_view text);

  const std::string& scheme() const { return scheme_; }
  const std::string& user() const { return user_; }
  const std::string& password() const { return password_; }
  // For one that was given beside the address. Throws StoreError if the address has one.
  void set_password(std::string password);
  // At least one where the scheme is followed by "//"; without a port it has `default_port`.
  std::vector<Endpoint> endpoints(std::uint16_t default_port) const;
  // Without the slash that ends the hosts.
  const std::string& path() const { return path_; }

  std::optional<std::string> take(std::string_view name);
  std::uint64_t take_number(std::string_view name, std::uint64_t otherwise, std::uint64_t most);
  // One of the choices; the first if the option is absent.
  std::string take_choice(std::string_view name, std::initializer_list<std::string_view> choices);
  std::vector<std::pair<std::string, std::string>> take_rest();
  // Throws StoreError if an option is left.
  void expect_no_more_options() const;

  [[noreturn]] void fail(const std::string& message) const;

 private:
  void parse_authority(std::string_view authority);
  void parse_options(std::string_view text);
  void refuse_broken_password(std::string_view behind_scheme) const;
  std::string decoded(std::string_view text) const;

  std::string scheme_;
  std::string user_, password_;
  std::vector<Endpoint> endpoints_;
  std::string path_;
  std::vector<std::pair<std::string, std::string>> options_;
  std::vector<std::string> asked_;
};

// For whoever writes an address: escapes what would be read as a delimiter.
std::string escaped_for_url(std::string_view text);

}  // namespace assay::database
