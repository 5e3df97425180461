#include "cli/option/command_line.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace assay::cli {

namespace {

std::vector<std::string> remembered;  // set by main()

constexpr std::string_view kHidden = "…";

// A page is passed on, so that too much is hidden rather than too little: all between the user's name and the last @,
// and what is called a password.
std::string without_password(std::string word) {
  if (const std::size_t scheme = word.find("://"); scheme != std::string::npos) {
    const std::size_t colon = word.find(':', scheme + 3);
    const std::size_t at = word.rfind('@');
    if (colon != std::string::npos && at != std::string::npos && colon < at)
      word.replace(colon + 1, at - colon - 1, kHidden);
  }
  constexpr std::string_view kCalled = "password=";
  for (std::size_t at = word.find(kCalled); at != std::string::npos; at = word.find(kCalled, at + 1)) {
    const std::size_t value = at + kCalled.size();
    const bool source = word.starts_with("--password=");  // where it comes from, not what it is
    if (!source) word.replace(value, std::min(word.find('&', value), word.size()) - value, kHidden);
  }
  return word;
}

bool is_plain(char c) {
  constexpr std::string_view kSigns = "_./:=@%+,-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kSigns.find(c) != std::string_view::npos;
}

std::string quoted(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

void remember_command_line(int argc, const char* const* argv) {
  remembered.assign(argv + std::min(argc, 1), argv + argc);
}

void remember_without(std::span<const std::string> words, const std::string& but) {
  std::set<std::string_view> out(words.begin(), words.end());
  out.erase(but);
  std::erase_if(remembered, [&](const std::string& word) { return out.contains(word); });
}

std::string command_line() {
  std::string out = "assay";
  for (const std::string& word : remembered) out += " " + quoted(without_password(word));
  return out;
}

}  // namespace assay::cli
