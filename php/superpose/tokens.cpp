#include "superpose/tokens.hpp"

#include <sys/random.h>

#include <array>
#include <unordered_map>

namespace assay::php {

namespace {

std::string secret;
std::unordered_map<std::string, zval> tokens;

}  // namespace

void begin_tokens() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return;
  constexpr char kDigits[] = "0123456789abcdef";
  secret = "assay";
  for (const unsigned char byte : bytes) {
    secret += kDigits[byte >> 4];
    secret += kDigits[byte & 15];
  }
}

zend_string* make_token(zval* multi) {
  if (secret.empty()) deny("there was no chance to make tokens of");
  const std::string text = secret + "x" + std::to_string(tokens.size());
  ZVAL_COPY(&tokens[text], multi);
  return new_string(text);
}

zval* behind_token(std::string_view text) {
  if (tokens.empty() || text.size() <= secret.size()) return nullptr;
  const auto found = tokens.find(std::string(text));
  return found != tokens.end() ? &found->second : nullptr;
}

void forget_tokens() {
  tokens.clear();
}

}  // namespace assay::php
