// Chance. mt_rand and everything built on it start from a seed that is written down; what comes from the
// kernel (random_bytes, password_hash, session ids) passes through system_calls.cpp. That leaves uniqid,
// which waits for the clock to move, and ours does not.
#include <array>

#include "common/intercept.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

std::uint64_t unique_ids = 0;  // given out by this request

void uniqid(INTERNAL_FUNCTION_PARAMETERS) {
  if (world == nullptr) return call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
  zend_string* prefix = nullptr;
  bool more = false;
  ZEND_PARSE_PARAMETERS_START(0, 2)
  Z_PARAM_OPTIONAL
  Z_PARAM_STR(prefix)
  Z_PARAM_BOOL(more)
  ZEND_PARSE_PARAMETERS_END();
  const std::uint64_t microseconds = world->ask_clock() / 1000 + unique_ids++;
  const auto seconds = static_cast<unsigned>(microseconds / 1000000);
  const auto rest = static_cast<unsigned>(microseconds % 1000000);
  const char* before = prefix != nullptr ? ZSTR_VAL(prefix) : "";
  if (more) RETURN_STR(strpprintf(0, "%s%08x%05x%.8F", before, seconds, rest, php_combined_lcg() * 10));
  RETURN_STR(strpprintf(0, "%s%08x%05x", before, seconds, rest));
}

std::array table = {Interception{nullptr, "uniqid", uniqid}};

}  // namespace

void begin_chance(std::uint64_t seed) {
  unique_ids = 0;
  php_mt_srand(static_cast<std::uint32_t>(seed));
  auto* lcg = static_cast<php_random_status_state_combinedlcg*>(RANDOM_G(combined_lcg)->state);
  lcg->state[0] = static_cast<std::int32_t>(seed & 0x7fffffff) | 1;
  lcg->state[1] = static_cast<std::int32_t>(seed >> 32 & 0x7fffffff) | 1;
  RANDOM_G(combined_lcg_seeded) = true;
}

Rows chance_rows() {
  return {table.data(), table.data() + table.size()};
}

}  // namespace assay::php
