#include "api/handle.hpp"

#include <fmt/format.h>

#include "report/version.hpp"

namespace assay::api {

namespace {

thread_local std::string last_error;

}  // namespace

void forget_error() noexcept {
  last_error.clear();
}

void remember_error(const char* what) noexcept {
  try {
    last_error = what;
  } catch (...) {
    last_error.clear();
  }
}

Level level_named(const char* name) {
  if (const auto level = find_level(given_text(name, "level"))) return *level;
  throw Misuse(fmt::format("unknown level '{}'", name));
}

assay_verdict verdict_of(check::Verdict verdict) {
  switch (verdict) {
    case check::Verdict::holds:
      return ASSAY_HOLDS;
    case check::Verdict::violated:
      return ASSAY_VIOLATED;
    case check::Verdict::undecided:
      break;
  }
  return ASSAY_UNDECIDED;
}

}  // namespace assay::api

const char* assay_version(void) {
  return assay::report::version();
}

const char* assay_error(void) {
  return assay::api::last_error.c_str();
}

size_t assay_levels(void) {
  return assay::levels().size();
}

const char* assay_level_name(size_t index) {
  return index < assay_levels() ? assay::levels()[index].name.data() : nullptr;
}

const char* assay_level_promise(size_t index) {
  return index < assay_levels() ? assay::levels()[index].promise.data() : nullptr;
}
