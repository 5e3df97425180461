// Passwords: where one comes from when it is not to stand on the command line, which others can see and shells
// remember; and how messages are kept from repeating one that does stand in an address.
#pragma once

#include <string>
#include <string_view>

namespace assay::cli {

// "env:NAME", "file:PATH" (its first line) or "prompt" (typed at the terminal, unseen). Throws UsageError.
std::string password_from(const std::string& source);

// What stands between "scheme://user:" and "@" becomes "…", as far as it has no blanks and no quotes.
std::string without_passwords(std::string_view text);

}  // namespace assay::cli
